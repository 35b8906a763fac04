"""What is wrong with a document is said, each with its line, a fault and a cure; nothing is dropped or guessed."""

from __future__ import annotations

import pytest

from content.importers.report import ImportReport, report_text
from tests.content.importers.reading import read

_TWO = "1. 缓存保存什么？\nA. 权重\nB. 键值\n"

# name, text, (line, code) of every problem, answers of all questions
_CASES: list[tuple[str, str, list[tuple[int, str]], list[object]]] = [
    ("no answer", _TWO, [(1, "E-NOKEY")], [None]),
    ("a letter that is no option", _TWO + "答案：D", [(4, "E-KEYOPTION")], [None]),
    ("an answer that names no option", _TWO + "答案：不详", [(4, "E-KEY")], [None]),
    ("two answers on lines", _TWO + "答案：A\n答案：B", [(5, "E-TWOKEYS")], [None]),
    ("two answers on one line", _TWO + "答案：A 答案：B", [(4, "E-TWOKEYS")], [None]),
    ("stem and line disagree", "1. 缓存保存什么？（A）\nA. 权重\nB. 键值\n答案：B", [(4, "E-TWOKEYS")], [None]),
    ("line and table disagree", _TWO + "答案：A\n参考答案\n1.B", [(6, "E-TWOKEYS")], [None]),
    ("one option", "一、单选题\n1. 缓存保存什么？\nA. 权重\n答案：A", [(2, "E-FEWOPTIONS")], [["A"]]),
    ("no options", "一、单选题\n1. 缓存保存什么？\n答案：A", [(2, "E-FEWOPTIONS")], [["A"]]),
    ("an option is missing", "1. 缓存保存什么？\nA. 权重\nC. 键值\n答案：A", [(1, "E-OPTIONS")], [["A"]]),
    ("an option is there twice", _TWO + "B. 梯度\n答案：A", [(1, "E-OPTIONS")], [["A"]]),
    ("two options say the same", _TWO + "C. 键值。\n答案：A", [(1, "W-DUPOPT")], [["A"]]),
    ("single with several letters", "一、单选题\n" + _TWO + "答案：AB", [(2, "E-MANYKEYS")], [["A", "B"]]),
    ("multiple with one letter", "一、多选题\n" + _TWO + "答案：B", [(2, "W-ONEKEY")], [["B"]]),
    ("multiple with every letter", "一、多选题\n" + _TWO + "答案：AB", [(2, "W-ALLKEY")], [["A", "B"]]),
    ("a statement with an unclear answer", "一、判断题\n1. 甲成立。\n答案：不确定", [(3, "E-KEY")], [None]),
    ("a statement called both", "一、判断题\n1. 甲成立。（√）\n答案：错", [(3, "E-TWOKEYS")], [None]),
    ("a letter for a statement without options", "一、判断题\n1. 甲成立。\n答案：A", [(3, "E-KEY")], [None]),
    ("a fill-in that asks which", "一、填空题\n1. 以下哪种更好？____\n答案：甲", [(2, "W-BLANKQ")], [["甲"]]),
    (
        "fewer answers than blanks",
        "一、填空题\n1. 有____和____。\n答案：甲",
        [(2, "W-BLANKS")],
        [["甲"]],
    ),
    ("an answer without a question", _TWO + "参考答案\n1.B 2.A", [(5, "W-ORPHAN")], [["B"]]),
    (
        "a range that does not come out even",
        _TWO + "2. 同步什么？\nA. 激活\nB. 梯度\n3. 归约什么？\nA. 激活\nB. 梯度\n参考答案\n1-3 BA",
        [(1, "E-NOKEY"), (4, "E-NOKEY"), (7, "E-NOKEY"), (11, "E-KEYS")],
        [None, None, None],
    ),
    (
        "a number is left out",
        _TWO + "答案：B\n3. 同步的内容是哪一种？\nA. 激活\nB. 梯度\n答案：B",
        [(5, "W-NUMBER")],
        [["B"], ["B"]],
    ),
    (
        "a number stands twice",
        "一、单选题\n" + _TWO + "答案：B\n1. 同步的内容是哪一种？\nA. 激活\nB. 梯度\n答案：B",
        [(6, "W-NUMBER")],
        [["B"], ["B"]],
    ),
    ("the heading declares more", "一、单选题（共3题）\n" + _TWO + "答案：B", [(1, "W-COUNT")], [["B"]]),
    (
        "options without a question",
        "A. 权重\nB. 键值\n一、单选题\n" + _TWO + "答案：B",
        [(1, "E-UNREAD"), (2, "E-UNREAD")],
        [["B"]],
    ),
    (
        "a list that holds no questions",
        "目录\n1. 引言\n2. 方法",
        [(1, "E-NOQUESTIONS"), (2, "E-UNREAD"), (3, "E-UNREAD")],
        [],
    ),
    ("no question at all", "今天天气很好。", [(1, "E-NOQUESTIONS")], []),
    (
        "the same question with another answer",
        _TWO + "C. 梯度\n答案：B\n2. 缓存中保存什么\nA. 键值\nB. 权重\nC. 梯度\n答案：B",
        [(6, "W-DUPSTEM"), (6, "W-CONTRA")],
        [["B"], ["B"]],
    ),
    (
        "the same statement true and false",
        "一、判断题\n1. 该方法总能成立。（√）\n2. 该方法总能成立（×）",
        [(3, "W-DUPSTEM"), (3, "W-CONTRA")],
        [True, False],
    ),
    (
        "a choice and a fill-in that disagree",
        "一、单选题\n1. 持续预训练中，哪种方法更有效？\nA. 冻结\nB. 正则化\n答案：A\n"
        "二、填空题\n1. 持续预训练中，哪种方法更有效？____\n答案：正则化",
        [(7, "W-DUPSTEM"), (7, "W-CONTRA")],
        [["A"], ["正则化"]],
    ),
    (
        "the document breaks off in an explanation",
        _TWO + "答案：B\n解析：解码时复用键值，因此不需要再次计算前面的",
        [(5, "W-TRUNC")],
        [["B"]],
    ),
    (
        "the document breaks off in a reference answer",
        "一、简答题\n1. 简述甲。\n答：甲是这样的。\n2. 简述乙。\n答：乙的做法是先把数据切分，再",
        [(5, "W-TRUNC")],
        [None, None],
    ),
    (
        "the document breaks off in a stem",
        "一、单选题\n" + _TWO + "答案：B\n2. 在数据并行训练的每一步结束之后，各张卡之间需要",
        [(6, "E-NOKEY"), (6, "E-FEWOPTIONS"), (6, "W-TRUNC")],
        [["B"], None],
    ),
    (
        "the document breaks off in the options",
        _TWO + "答案：B\n2. 数据并行同步的是什么？\nA. 激活\nB. 梯",
        [(5, "E-NOKEY"), (7, "W-TRUNC")],
        [["B"], None],
    ),
    ("a character that was lost", _TWO.replace("权重", "权\ufffd") + "答案：B", [(2, "W-BYTES")], [["B"]]),
    ("a space lost between words", "1. What is Low-RankAdaptation?\nA. x\nB. y\nAnswer: A", [(1, "W-GLUED")], [["A"]]),
]


def _places(report: ImportReport) -> list[tuple[int | None, str]]:
    return sorted((p.line, p.code) for p in report.problems)


@pytest.mark.parametrize(("text", "problems", "answers"), [c[1:] for c in _CASES], ids=[c[0] for c in _CASES])
def test_a_fault_is_reported_with_its_line(text: str, problems: list[tuple[int, str]], answers: list[object]) -> None:
    """The code and line of every problem, and no answer where the document's own is not to be trusted."""
    report = read(text.rstrip("\n"))
    assert _places(report) == sorted(problems)
    assert [question.answer for question in report.questions] == answers
    assert all(problem.fault.endswith(".") and problem.cure.endswith(".") for problem in report.problems)


def test_questions_that_ask_alike_of_other_things_do_not_contradict_each_other() -> None:
    """Matching questions share options and most of their stems; statements may be each other's negation."""
    report = read(
        "一、单选题\n1. 下列属于推理优化的是\nA. 连续批处理\nB. 梯度累积\n答案：A\n"
        "2. 下列属于训练优化的是\nA. 连续批处理\nB. 梯度累积\n答案：B\n"
        "二、判断题\n1. 该方法在任何时候都成立。（√）\n2. 该方法在任何时候都不成立。（×）"
    )
    assert "W-CONTRA" not in {problem.code for problem in report.problems}


def test_the_stock_question_may_be_asked_again_of_other_options() -> None:
    """以下说法正确的是 says nothing by itself."""
    report = read(
        "一、单选题\n1. 以下说法正确的是\nA. 甲大于乙\nB. 甲小于乙\n答案：A\n"
        "2. 以下说法正确的是\nA. 丙先于丁\nB. 丙后于丁\n答案：B"
    )
    assert report.problems == ()


def test_a_document_that_ends_without_a_stop_as_all_its_texts_do_is_whole() -> None:
    """Truncation is told from the document's own habit."""
    lines = [
        f"{n}. 第{n}个问题问的是完全不同的第{n}件事吗\nA. 甲{n}\nB. 乙{n}\n答案：A\n解析：因为第{n}件事是这样的"
        for n in (1, 2, 3)
    ]
    assert "W-TRUNC" not in {problem.code for problem in read("\n".join(lines)).problems}


def test_the_report_for_people_says_counts_and_places() -> None:
    """The first line counts by kind; every problem stands with its line."""
    text = report_text(read(_TWO))
    assert text.splitlines()[0] == "1 questions: 1 single"
    assert "1 of them must be mended" in text
    assert "line 1: E-NOKEY" in text


def test_the_json_has_the_promised_shape() -> None:
    """Questions and problems, each with exactly the fields that are promised."""
    plain = read(_TWO + "答案：B\n2. 甲成立。").to_json()
    assert list(plain) == ["questions", "problems"]
    assert plain["questions"][0] == {
        "line": 1,
        "number": 1,
        "kind": "single",
        "prompt": "缓存保存什么？",
        "options": [{"key": "A", "text": "权重"}, {"key": "B", "text": "键值"}],
        "answer": ["B"],
        "explanation": None,
    }
    assert all(list(problem) == ["line", "code", "fault", "cure"] for problem in plain["problems"])
