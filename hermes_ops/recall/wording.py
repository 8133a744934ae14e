"""What a person is told about notes: kept, refused, forgotten; in Chinese and English. Texts only."""

from __future__ import annotations

from collections.abc import Sequence

from hermes_ops.recall.kinds import NAMES, kind_of, show
from orchestrator.contracts import Json

_REFUSED = {
    "secret": ("看起来含有密钥或口令", "it looks like a secret"),
    "personal": ("看起来是个人信息", "it looks like personal data"),
    "instruction": ("这是会影响结论的指令，不是偏好", "it is an instruction that would bend answers, no preference"),
    "long": ("太长", "it is too long"),
    "unclear": ("没看懂要记什么", "its value could not be read"),
}


def kept(notes: Sequence[Sequence[str]], lang: str, cli: bool) -> str:
    """ "已记住：默认环境 prod · 撤销": shown once. On the command line the undo is a command."""
    if not notes:
        return ""
    zh = lang == "zh"
    said = ("；" if zh else "; ").join(show(key, value, lang) for key, value in notes)
    undo = "撤销" if zh else "undo"
    if cli:
        undo += f"{'：' if zh else ': '}`hermes-ops memory forget {' '.join(key for key, _ in notes)}`"
    return f"{'已记住：' if zh else 'Remembered: '}{said} · {undo}"


def obeyed(done: Json, lang: str) -> list[str]:
    """A line each for what was forgotten, taken back, not found and refused."""
    zh = lang == "zh"
    lines = []
    for key, words in (("gone", ("已忘掉：", "Forgotten: ")), ("back", ("已撤销：", "Taken back: "))):
        if done[key]:
            lines.append(words[0 if zh else 1] + _names(done[key], zh))
    if done["missing"]:
        lines.append(("没有记着：" if zh else "Nothing was kept as: ") + _names(done["missing"], zh))
    for kind, why in done["refused"]:
        name, reason = NAMES[kind_of(kind)][0 if zh else 1], _REFUSED[why][0 if zh else 1]
        lines.append(f"没有记住{name}：{reason}。" if zh else f"Not remembered ({name}): {reason}.")
    return lines


def _names(keys: Sequence[str], zh: bool) -> str:
    named = (NAMES.get(kind_of(key), ("全部", "all")) for key in keys)
    return ("、" if zh else ", ").join(dict.fromkeys(chinese if zh else english for chinese, english in named))
