"""Imported questions become drafts that the bank's own loader takes, with nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from content.grading import grade
from content.importers import ImportFault, write_drafts
from content.importers.drafts import slug
from content.loader import load_bank
from content.question import Question, Response, Status
from tests.content.importers import layouts_en, layouts_zh
from tests.content.importers.reading import read

_EXAM = """一、单选题
1. LoRA 训练的是什么？
A. 全部权重
B. 低秩矩阵
C. 以上都是
答案：B
解析：只训练增量。
2. 没有答案的问题？
A. 甲
B. 乙
3. 只有一个选项的问题？
A. 甲
答案：A
二、多选题
1. 并行有哪些？
A. 数据
B. 张量
C. 颜色
答案：AB
三、判断题
1. 量化减少显存。（√）
四、填空题
1. 反向传播使用（ ）法则。
答案：链式/链
2. 训练由____和____组成。
答案：前向；反向
五、计算题
1. 70 亿参数的 FP16 权重占多少？
答案：14 GB
六、简答题
1. 简述数据并行。
答：
1. 切分数据（2分）
2. 归约梯度（3分）
"""


def _load(folder: Path, text: str = _EXAM) -> dict[str, Question]:
    write_drafts(read(text.strip()), folder, source_name="考试 2025.txt")
    return {question.id: question for question in load_bank(folder, drafts=True)}


def test_the_loader_takes_every_question_that_has_a_key(tmp_path: Path) -> None:
    """One file; ids from document, section and number; all drafts."""
    bank = _load(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kao-shi-2025.yaml"]
    assert list(bank) == [f"kao-shi-2025-{x}" for x in ("1-1", "2-1", "3-1", "4-1", "4-2", "5-1", "6-1")]
    assert {question.status for question in bank.values()} == {Status.DRAFT}


def test_keys_grade_as_the_document_says(tmp_path: Path) -> None:
    """The right response of each kind has full credit, a wrong one none."""
    bank = _load(tmp_path)
    for identity, right, wrong in (
        ("1-1", Response(choices=("b",)), Response(choices=("a",))),
        ("2-1", Response(choices=("a", "b")), Response(choices=("c",))),
        ("3-1", Response(choices=("true",)), Response(choices=("false",))),
        ("4-1", Response(text="链式"), Response(text="导数")),
        ("4-1", Response(text="链"), Response(text="链式反应")),
        ("4-2", Response(text="前向；反向"), Response(text="前向")),
        ("4-2", Response(text="前向、反向"), Response(text="反向、前向")),
        ("5-1", Response(text="14 GB"), Response(text="28 GB")),
    ):
        question = bank[f"kao-shi-2025-{identity}"]
        assert grade(question, right).credit == 1, identity
        assert grade(question, wrong).credit == 0, identity


def test_texts_options_and_rubric_arrive(tmp_path: Path) -> None:
    """Explanation, blanks as the bank writes them, options that speak of others in their place, points."""
    bank = _load(tmp_path)
    single = bank["kao-shi-2025-1-1"]
    assert (single.explanation.zh, single.keep_order, single.topic) == ("只训练增量。", True, "lora")
    assert bank["kao-shi-2025-4-1"].prompt.zh == "反向传播使用____法则。"
    case = bank["kao-shi-2025-6-1"]
    assert [(point.points, point.text.zh) for point in case.rubric] == [(2, "切分数据"), (3, "归约梯度")]
    assert "归约梯度" in case.model_answer.zh


def test_what_has_no_key_or_no_form_is_kept_in_the_file(tmp_path: Path) -> None:
    """A question without a key waits for one; one that is none yet stands as a comment, with its problem."""
    _load(tmp_path)
    text = (tmp_path / "kao-shi-2025.yaml").read_text(encoding="utf-8")
    assert 'zh: "没有答案的问题？"' in text
    assert "# E-NOKEY: Question 2 has no answer in the document." in text
    assert '#     zh: "只有一个选项的问题？"' in text


def test_english_papers_become_english_drafts(tmp_path: Path) -> None:
    """The language is the document's."""
    bank = _load(tmp_path, "1. What does a cache hold?\nA. Weights\nB. Keys\nAnswer: B\n")
    (question,) = bank.values()
    assert (question.prompt.en, question.prompt.zh) == ("What does a cache hold?", "")


@pytest.mark.parametrize("text", [x[1] for x in (*layouts_zh.LAYOUTS, *layouts_en.LAYOUTS)])
def test_drafts_of_every_layout_load(tmp_path: Path, text: str) -> None:
    """All questions with a sound key are there, whatever the layout."""
    report = read(text)
    write_drafts(report, tmp_path, source_name="exam.txt")
    keyed = [q for q in report.questions if q.sound and (q.answer is not None or q.reference)]
    assert len(load_bank(tmp_path, drafts=True)) == len(keyed)


def test_texts_that_look_like_other_things_in_yaml_stay_texts(tmp_path: Path) -> None:
    """Numbers, dates, yes and no, colons, quotes and hashes as options."""
    odd = ["1e5", "2025-01-01", "yes", "null", "a: b # c", "'x' \"y\"", "- z", "0o17", "12:30"]
    text = "1. 哪个对？\n" + "\n".join(f"{'ABCDEFGHI'[i]}. {t}" for i, t in enumerate(odd)) + "\n答案：A"
    (question,) = _load(tmp_path, text).values()
    assert [option.text.zh for option in question.options] == odd


def test_a_second_import_is_the_same_and_never_overwrites_edits(tmp_path: Path) -> None:
    """The same document gives the same file; an edited file is left alone and named."""
    report = read(_EXAM.strip())
    (path,) = write_drafts(report, tmp_path, source_name="a.txt")
    before = path.read_text(encoding="utf-8")
    write_drafts(report, tmp_path, source_name="a.txt")
    assert path.read_text(encoding="utf-8") == before
    path.write_text(before + "# edited\n", encoding="utf-8")
    with pytest.raises(ImportFault, match="exists and differs"):
        write_drafts(report, tmp_path, source_name="a.txt")
    assert path.read_text(encoding="utf-8").endswith("# edited\n")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """One sentence, and no file."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(ImportFault, match="cannot be written"):
        write_drafts(read(_EXAM.strip()), tmp_path / "taken", source_name="a.txt")


def test_a_document_without_questions_writes_nothing(tmp_path: Path) -> None:
    """No empty file for the loader to stumble over."""
    assert write_drafts(read("今天天气很好。"), tmp_path, source_name="a.txt") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("Exam 2025 (v2)", "exam-2025-v2"), ("分布式训练", "fen-bu-shi-xun-lian"), ("题", "ti")],
)
def test_ids_are_readable(name: str, wanted: str) -> None:
    """Small letters, digits and hyphens; Chinese by its sound."""
    assert slug(name) == wanted


@pytest.mark.parametrize("name", ["", "---", "é" * 100, "很" * 60, "x" * 300])
def test_ids_are_valid_for_any_name(name: str) -> None:
    """Never empty, never long, always of the format's form."""
    made = slug(name)
    assert 0 < len(made) <= 40
    assert made.replace("-", "").isalnum()
    assert made.isascii()
