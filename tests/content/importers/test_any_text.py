"""Whatever stands in a document, the reader gives a report: it never raises."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.content.importers import layouts_en, layouts_zh
from tests.content.importers.reading import read, short

_PIECES = [
    "一、单选题",
    "二、判断题（共2题）",
    "Part A: Multiple Choice",
    "参考答案",
    "【答案与解析】:",
    "Answer Key",
    "答案：",
    "答案：B",
    "Answer: True",
    "解析：因为",
    "案例1.某公司",
    "问题：如何？",
    "1. 什么？",
    "2、是（A）",
    "（3）____",
    "第4题",
    "5.3 GB",
    "A. 甲",
    "B. 乙",
    "C. 丙 D. 丁",
    "- 戊",
    "- [x] 己",
    "①庚",
    "1-5 ABCDE",
    "1.B 2.C",
    "6.√",
    "正确（）错误（）",
    "| 题号 | 1 |",
    "| 答案 | B |",
    "题号\t1\t2",
    "答案\tA\tB",
    "难度：中",
    "",
    "任意的一行文字，没有什么特别。",
    "(((",
    "____",
    "**粗体**",
]

_lines = st.lists(st.one_of(st.sampled_from(_PIECES), st.text(max_size=20)), max_size=40)


@given(_lines)
@example(["1."])
@example(["1.", "A.", "B.", "答案："])
@example(["参考答案", "1.B"])
@settings(max_examples=400, deadline=None)
def test_any_lines_give_a_report(lines: list[str]) -> None:
    """Fragments of exams in any order, and any text."""
    report = read("\n".join(lines))
    for question in report.questions:
        assert 1 <= question.line <= sum(line.count("\n") + 1 for line in lines)
        assert question.kind in ("single", "multiple", "true_false", "blank", "numeric", "case")
    report.to_json()


@given(st.sampled_from([x[1] for x in (*layouts_zh.LAYOUTS, *layouts_en.LAYOUTS)]), st.data())
@settings(max_examples=150, deadline=None)
def test_a_document_cut_anywhere_loses_no_question_before_the_cut(text: str, data: st.DataObject) -> None:
    """Truncation spoils at most the question it hits: the stems before are read as ever."""
    cut = data.draw(st.integers(0, len(text)))
    whole = [short(q).prompt for q in read(text).questions]
    part = [short(q).prompt for q in read(text[:cut]).questions]
    assert len(part) <= len(whole) + 1


def test_a_long_document_is_read() -> None:
    """As many questions as are allowed, all alike in form; the suite's own time limit holds the time."""
    text = "一、单选题\n" + "".join(
        f"{n}. 第{n}个问题问的是第{n * 7919 % 1009}号部件的作用是什么？\nA. 甲{n}\nB. 乙{n}\nC. "
        f"丙{n}\n答案：{'ABC'[n % 3]}\n"
        for n in range(1, 2_001)
    )
    assert len(read(text).questions) == 2_000
