"""Damage of converters is undone at byte level, and nothing else is touched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from content.importers.repair import repair, simplify
from tests.content.importers.damage import clean_line, damaged

_BANK = Path(__file__).parents[3] / "content" / "bank"

# Enough damage around a line for the document's guard to see it.
_FRAME = ["訓(xùn)練(liàn)數(shù)據(jù)與(yǔ)參(cān)數(shù)", "學(xué)習(xí)率調(diào)優(yōu)"]


def _own_lines() -> list[str]:
    """The Chinese sentences of the bank, in traditional characters, without the spaces that papers do not have."""
    texts: list[str] = []

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                if key == "zh" and isinstance(inner, str):
                    texts.extend(re.findall("[^。？]+[。？]?", "".join(inner.split())))
                else:
                    walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for path in sorted(_BANK.rglob("*.yaml")):
        walk(yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    lines = [clean_line(text) for text in dict.fromkeys(texts) if len(text) > 3]
    return [line for line in lines if _in_gbk(line)]


def _in_gbk(line: str) -> bool:
    try:
        line.encode("gbk")
    except UnicodeEncodeError:
        return False
    return True


@pytest.fixture(scope="module")
def trial() -> list[tuple[str, str, str, bool]]:
    """Every line: clean, damaged, repaired, and whether the damage swallowed an ASCII sign for good."""
    clean = _own_lines()
    harm = [damaged(line) for line in clean]
    mended = repair([text for text, _ in harm]).lines
    return [(c, d, m, lossy) for c, (d, lossy), m in zip(clean, harm, mended, strict=True)]


def test_what_was_damaged_forward_comes_back(trial: list[tuple[str, str, str, bool]]) -> None:
    """At least 99.5% of all lines whose bytes are all still there are exactly as before."""
    whole = [(clean, mended) for clean, _, mended, lossy in trial if not lossy]
    wrong = [(clean, mended) for clean, mended in whole if clean != mended]
    assert len(whole) > 500
    assert len(wrong) <= 0.005 * len(whole), wrong[:5]


def test_what_was_swallowed_is_said_and_not_guessed(trial: list[tuple[str, str, str, bool]]) -> None:
    """A sign that was lost is never replaced by another (but a stop at the end of a line); the place shows it."""
    lost = [(clean, mended) for clean, _, mended, lossy in trial if lossy]
    assert lost
    for clean, mended in lost:
        assert mended[:-1] == clean[:-1] or "\ufffd" in mended or "?" in mended


def test_clean_text_stays_as_it_is(trial: list[tuple[str, str, str, bool]]) -> None:
    """Repairing what was repaired, or never damaged, changes nothing."""
    clean = [line for line, _, _, _ in trial]
    assert repair(clean).lines == clean
    mended = [line for _, _, line, _ in trial]
    assert repair(mended).lines == mended


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("因?yàn)樗\ue3c8Y(jié)合了二者", "因為它結合了二者"),
        ("適當(dāng)?shù)牧炕\ue1f1夹g(shù)可以", "適當的量化技術可以"),
        ("F1分?jǐn)?shù)", "F1分數"),
        ("模型的L(dòng)oRA參(cān)數(shù)", "模型的LoRA參數"),
    ],
)
def test_shifted_bytes_are_realigned(broken: str, whole: str) -> None:
    """Lost bytes are found again by the reading that was written in their place."""
    assert repair([*_FRAME, broken]).lines[-1] == whole


@pytest.mark.parametrize(
    "control",
    [
        "函数f(x)",
        "区间(a,b)",
        "数据(data)",
        "LoRA(Low-Rank)",
        "你好(nǐ hǎo)",
        "模型(mó xíng)",
        "學習率(lr)",
        "權重(w)",
        "損失函數(loss)",
        "是嗎?(a)不是",
        "重(zhòng)要",
    ],
)
def test_brackets_that_are_no_damage_stay(control: str) -> None:
    """Formulas, names and readings of whole words survive even in a damaged document."""
    assert repair([*_FRAME, control]).lines[-1] == control
    assert repair([control]).lines == [control]


def test_text_that_teaches_chinese_stays() -> None:
    """Readings behind characters that are not traditional are meant."""
    lesson = ["重(zhòng)要", "行(háng)业", "长(zhǎng)大", "好(hǎo)人", "大(dà)家", "調(tiáo)整"]
    assert repair(lesson).lines == lesson


def test_the_report_counts_what_was_removed() -> None:
    """Annotations, realigned ones among them, with the lines where bytes were moved."""
    result = repair([*_FRAME, "F1分?jǐn)?shù)"])
    assert (result.removed, result.realigned, result.realigned_lines, result.first_line) == (13, 2, (2,), 0)


def test_simplifying_writes_the_aspect_marker() -> None:
    """著 behind a verb becomes 着; names and books keep it."""
    assert simplify("這些因素影響著結果，顯著，著名的著作") == "这些因素影响着结果，显著，著名的著作"


@given(st.lists(st.text(alphabet=st.sampled_from("訓練因為?�()xùnjiéyà着abY 0９，。\ue3c8"), max_size=60), max_size=8))
@example(["?yàn)" * 50])
@example(["訓(xùn)" * 5 + "?yàn)" * 300 + "樗" * 500])
@settings(max_examples=60, deadline=None)
def test_any_text_is_taken(lines: list[str]) -> None:
    """Repair never raises and keeps the number of lines, whatever stands in them."""
    assert len(repair([*_FRAME, *lines]).lines) == len(lines) + 2


def test_a_flood_of_damage_is_bounded() -> None:
    """A line of many thousand losses is not searched without end: past the budget it is left as it is."""
    flood = "訓(xùn)" * 10 + "因?yàn)樗" * 60_000
    assert len(repair([flood]).lines) == 1
