"""Elements of a page: a tree of the standard library, so that text is always escaped and every tag is closed.

Control characters and marks of direction stay out of texts and attributes.
"""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from hermes_ops.report.view.figures import visible

Node = Element | str | None


def el(tag: str, *children: Node, **attributes: str | float | bool | None) -> Element:
    """`cls` is the class, `_` stands for `-`; True is a bare attribute, None and False leave it out."""
    made = Element(tag)
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = "class" if name == "cls" else name.rstrip("_").replace("_", "-")
        made.set(key, "" if value is True else f"{value:g}" if isinstance(value, float) else visible(str(value)))
    for child in children:
        add(made, child)
    return made


def add(parent: Element, child: Node) -> None:
    if child is None:
        return
    if not isinstance(child, str):
        parent.append(child)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + visible(child)
    else:
        parent.text = (parent.text or "") + visible(child)


def name(text: str) -> Element:
    """A name from outside: its direction of writing stays its own."""
    return el("bdi", " ".join(text.split()))


def link(address: str, *children: Node) -> Element:
    """Only web addresses become links."""
    if not address.startswith(("https://", "http://")):
        return el("span", *children)
    return el("a", *children, href=address, rel="noopener noreferrer")


def page(root: Element) -> str:
    return "<!DOCTYPE html>\n" + ElementTree.tostring(root, "unicode", method="html") + "\n"
