"""Gaps in the asker's language: what the folder's sources really say has a Chinese wording."""

from __future__ import annotations

import re
from pathlib import Path

import subagents.folder
from subagents.gaps import worded

CJK = re.compile(r"[\u3400-\u9fff]")
TOLD = re.compile(r'gaps(?:: tuple\[str, \.\.\.\])? = \((?:\*gaps, )?f?"([^"]+)"|gaps\.append\(f?"([^"]+ [^"]+)"\)')


def test_every_gap_that_the_folder_tells_has_a_chinese_wording():
    root = Path(subagents.folder.__file__).parent
    said = [a or b for path in root.glob("*.py") for a, b in TOLD.findall(path.read_text())]
    assert len(said) >= 8
    filled = [re.sub(r"\{[^}]*\}", "3", text) for text in said]
    worded_ones = [text for text in filled if re.search("[a-z]{2}", text)]
    assert [text for text in worded_ones if not CJK.search(worded(text, "zh"))] == []


def test_numbers_and_names_stay_and_english_is_left_alone():
    assert worded("no source of metrics is configured, so nothing was searched", "zh") == (
        "没有配置 metrics 的数据源，因此没有查询"
    )
    assert worded("the first 4,000 of 9,120 characters", "zh") == "只读了 9,120 个字符中的前 4,000 个"
    assert worded("the logs don't reach back over the baseline", "en") == "the logs don't reach back over the baseline"
    assert worded("something new", "zh") == "something new"
