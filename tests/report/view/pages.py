"""Reads a page strictly: every tag closed, nothing run, nothing loaded."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "input", "link", "col", "base"}


class Page(HTMLParser):
    """`texts`: what is shown, by tag; `tags`: all that stand in it; `links`: addresses of anchors."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, f"never closed: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self.ids += [value for name, value in attrs if name == "id" and value]
        self.links += [value for name, value in attrs if name == "href" and value]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open[-1:] == [tag], f"</{tag}> closes {self._open[-1:]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))

    @property
    def shown(self) -> str:
        return "".join(text for tag, text in self.texts if tag != "style")

    def within(self, tag: str) -> list[str]:
        return [text for at, text in self.texts if at == tag]
