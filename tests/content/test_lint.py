"""The linter finds each flaw it knows, is silent on sound questions, and counts what a whole bank gives away."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from content.importers.exam import import_file
from content.importers.report import Imported
from content.library import Check, Entry, Library
from content.lint import SEVERITIES, Finding, lint, lint_report, main
from content.lint_bank import chi_square_p, contradict, similar_pairs
from content.lint_text import length, missing_numbers, normal
from content.question import (
    Kind,
    Mistake,
    NumericKey,
    Option,
    Question,
    RubricPoint,
    Source,
    Status,
    Text,
)

SOURCE = Source("ZeRO", "§3", 2019, arxiv="1910.02054")
WHY = Text("That memory stays where it is.", "那部分显存原样保留。")
EXPLANATION = Text(
    "Stage 1 shards the states of the optimiser, so each rank keeps the parameters and gradients in full.",
    "第一阶段切分优化器状态，因此每个进程仍完整保存参数和梯度，只省下状态的显存。",
)


def option(key: str, en: str, zh: str, *, correct: bool = False) -> Option:
    return Option(key, Text(en, zh), correct, Text() if correct else WHY, "" if correct else "wrong-shard")


OPTIONS = (
    option("a", "Gradients alone", "只有梯度"),
    option("b", "Optimiser states", "优化器状态", correct=True),
    option("c", "Parameters alone", "只有参数"),
    option("d", "Activation buffers", "激活缓冲区"),
)
SINGLE = Question(
    id="zero-stage-1",
    kind=Kind.SINGLE,
    topic="zero-fsdp",
    difficulty=2,
    status=Status.PUBLISHED,
    prompt=Text("What does stage 1 of ZeRO split over 8 ranks?", "ZeRO 第 1 阶段在 8 个进程间切分什么？"),
    explanation=EXPLANATION,
    options=OPTIONS,
    sources=(SOURCE,),
)
MULTIPLE = replace(
    SINGLE,
    id="zero-stage-2",
    kind=Kind.MULTIPLE,
    prompt=Text("What does stage 2 of ZeRO split over 8 ranks?", "ZeRO 第 2 阶段在 8 个进程间切分什么？"),
    options=(replace(OPTIONS[0], correct=True), *OPTIONS[1:]),
)
TRUE_FALSE = replace(
    SINGLE,
    id="zero-traffic",
    kind=Kind.TRUE_FALSE,
    prompt=Text(
        "Stage 3 of ZeRO sends more bytes per step than stage 2.", "ZeRO 第 3 阶段每步比第 2 阶段传输更多字节。"
    ),
    options=(),
    answer=True,
)
BLANK = replace(
    SINGLE,
    id="zero-name",
    kind=Kind.BLANK,
    prompt=Text("Stage 1 of ZeRO splits the ____ over the ranks.", "ZeRO 第 1 阶段在进程间切分____。"),
    options=(),
    accept={"en": ("optimizer states",), "zh": ("优化器状态",)},
    shown=Text("optimizer states", "优化器状态"),
)
NUMERIC = replace(
    SINGLE,
    id="zero-bytes",
    kind=Kind.NUMERIC,
    prompt=Text("12 bytes a weight over 8 ranks: how many bytes?", "每个权重 12 字节分到 8 个进程：多少字节？"),
    options=(),
    number=NumericKey(1.5, "B", 0.01),
    mistakes=(Mistake(12, WHY),),
)
CASE = replace(
    SINGLE,
    id="zero-plan",
    kind=Kind.CASE,
    prompt=Text("Plan the memory of a 7B model on 8 ranks.", "请规划 7B 模型在 8 个进程上的显存。"),
    options=(),
    rubric=tuple(RubricPoint(2, Text(en, zh)) for en, zh in (("states", "状态"), ("limits", "上限"), ("plan", "方案"))),
    model_answer=Text("Shard the states first.", "先切分状态。"),
)
CLEAN = (SINGLE, MULTIPLE, TRUE_FALSE, BLANK, NUMERIC, CASE)


def findings(question: Question, **extra: Any) -> list[Finding]:
    return [f for f in lint(Library((Entry(question, **extra),))) if f.question_id]


def codes(question: Question, **extra: Any) -> set[str]:
    return {finding.code for finding in findings(question, **extra)}


def options(*pairs: tuple[str, str], right: int = 1) -> dict[str, tuple[Option, ...]]:
    return {"options": tuple(option("abcdef"[i], en, zh, correct=i == right) for i, (en, zh) in enumerate(pairs))}


def prompt(en: str = SINGLE.prompt.en, zh: str = SINGLE.prompt.zh) -> dict[str, Text]:
    return {"prompt": Text(en, zh)}


def one_option(index: int, en: str, zh: str) -> dict[str, tuple[Option, ...]]:
    changed = list(OPTIONS)
    changed[index] = replace(OPTIONS[index], text=Text(en, zh))
    return {"options": tuple(changed)}


@pytest.mark.parametrize("question", CLEAN, ids=lambda question: question.id)
def test_a_sound_question_of_each_kind_has_no_finding(question: Question) -> None:
    assert [str(finding) for finding in findings(question)] == []


LONG_KEY = ("The states of the optimiser, such as both moments of Adam", "优化器的状态，例如 Adam 的一阶矩和二阶矩估计")
FLAWED: list[tuple[str, Question, dict[str, Any]]] = [
    ("A01", SINGLE, one_option(3, "All of the above", "以上都是")),
    ("A01", SINGLE, one_option(3, "All of these", "上述全部")),
    ("A02", SINGLE, one_option(3, "None of the above", "以上都不是")),
    ("A03", SINGLE, {"options": OPTIONS[:2]}),
    ("A03", MULTIPLE, {"options": MULTIPLE.options[:3]}),
    ("A04", SINGLE, one_option(0, "parameters  alone.", "只有梯度")),
    ("A05", SINGLE, {"options": tuple(replace(o, correct=False) for o in OPTIONS)}),
    ("A05", MULTIPLE, {"options": tuple(replace(o, correct=True) for o in OPTIONS)}),
    ("A06", SINGLE, one_option(1, *LONG_KEY)),
    ("A07", SINGLE, one_option(0, *LONG_KEY)),
    ("A08", SINGLE, prompt(en="Which of the 3 parts does stage 1 of ZeRO not split?")),
    ("A08", SINGLE, prompt(zh="关于 ZeRO 第 1 阶段的 8 个进程，下列哪项不正确？")),
    ("A09", SINGLE, prompt(en="Which part does stage 1 NOT split over 8?") | one_option(0, "No part", "梯度")),
    ("A10", SINGLE, one_option(0, "Gradients, always", "只有梯度")),
    ("A10", SINGLE, one_option(0, "Gradients", "必须是梯度")),
    ("A10", TRUE_FALSE, prompt("Stage 3 of ZeRO must send 2 times the bytes.", "第 3 阶段必须传输 2 倍字节。")),
    ("A11", SINGLE, one_option(0, "Gradients, usually", "只有梯度")),
    ("A11", SINGLE, prompt("What makes sharding work better?", "怎样让切分更好？")),
    ("A12", SINGLE, prompt(en="What does stage 1 of ZeRO split of an optimiser over 8 ranks?")),
    ("A12", SINGLE, prompt(zh="ZeRO 第 1 阶段为节省优化器显存，在 8 个进程间切分什么？")),
    ("A13", SINGLE, prompt(en="Are optimiser states what stage 1 of ZeRO splits over 8 ranks?")),
    ("A13", BLANK, prompt("ZeRO splits optimizer states: stage 1 splits ____.", "第 1 阶段切分____。")),
    ("A14", SINGLE, one_option(0, "Parameters alone on rank 0", "只有梯度")),
    ("A14", SINGLE, options(("1–4", "1–4"), ("3–8", "3–8"), ("9–10", "9–10"))),
    ("A15", SINGLE, options(("1 GiB", "1 GiB"), ("512 MiB", "512 MiB"), ("2 GiB", "2 GiB"))),
    ("A16", SINGLE, options(("1 GiB", "1 GiB"), ("2 s", "2 s"), ("4 GiB", "4 GiB"))),
    ("A17", SINGLE, options(("1 GiB", "1 GiB"), ("2 GiB", "2 GiB"), ("Too much", "太多了"))),
    ("A17", SINGLE, options(("`zero(1)`", "`zero(1)`"), ("`zero(2)`", "`zero(2)`"), ("A patch", "补丁"))),
    ("A18", SINGLE, one_option(0, "Gradients alone.", "只有梯度")),
    ("A18", SINGLE, prompt(en="On 8 ranks stage 1 of ZeRO splits a")),
    ("A19", SINGLE, one_option(3, "Both A and B", "A 和 B")),
    ("A19", SINGLE, one_option(3, "①③", "①③")),
    ("A20", SINGLE, prompt(en="Stage 1 of ZeRO splits over 8 ranks:")),
    ("A20", SINGLE, prompt(zh="切分啥？")),
    ("A21", SINGLE, prompt(en="Which of the following is right?", zh="下列哪项对？")),
    ("A21", SINGLE, prompt(en="Stage 1 runs. " * 50 + "What does it split over 8 ranks?")),
    ("A22", BLANK, prompt("Stage 1 of ZeRO splits the states.", "第 1 阶段切分状态。")),
    ("A22", NUMERIC, {"number": NumericKey(1.5, "B")}),
    ("A23", TRUE_FALSE, prompt("Stage 3 splits weights, and it sends 2 times more.", "它切分权重，且传 2 倍字节。")),
    ("A23", TRUE_FALSE, prompt("Stage 3 of ZeRO does not split weights.", "第 3 阶段不是切分权重。")),
    ("A24", SINGLE, {"explanation": Text("", "")}),
    ("A24", SINGLE, {"explanation": Text("Optimiser states: stage 1 of ZeRO does split optimiser states over 8 ranks.",
                                         "第 1 阶段在 8 个进程间切分优化器状态。ZeRO 切分优化器状态。")}),
    ("A24", SINGLE, {"options": (replace(OPTIONS[0], why=Text()), *OPTIONS[1:])}),
    ("A25", SINGLE, {"sources": ()}),
    ("A25", SINGLE, {"sources": (Source("White paper, 2025 edition", "§4.3"),)}),
    ("A26", SINGLE, {"options": (replace(OPTIONS[0], misconception=""), *OPTIONS[1:])}),
    ("A27", SINGLE, prompt(zh="")),
    ("A27", SINGLE, {"topic": "zero"}),
    ("A28", SINGLE, prompt(zh="ZeRO 第 1 阶段在 16 个进程间切分什么？")),
    ("A28", SINGLE, prompt(en="What does stage 1 of `ZeRO` split over 8 ranks?")),
    ("A30", SINGLE, one_option(1, "Optimiser states " + "x" * 70, "优化器状态")),
    ("A30", CASE, prompt(en="Plan 7B on 8 ranks. " * 120)),
    ("A31", SINGLE, prompt(zh="ZeRO 第 1 階段在 8 个进程间切分什么？")),
    ("A31", SINGLE, prompt(zh="ZeRO 第 1 阶段在 8 个进程间切分(qiē fēn)什么？")),
    ("A31", SINGLE, prompt(zh="ZeRO 第 1 阶段,在 8 个进程间切分什么？")),
    ("A31", SINGLE, prompt(zh="ZeRO 第 1 阶段在 8 个进程\ufffd切分什么？")),
    ("A31", SINGLE, prompt(zh="大模子的 ZeRO 第 1 阶段在 8 个进程间切分什么？")),
    ("A33", SINGLE, prompt(en="What does the latest version of ZeRO, stage 1, split over 8 ranks?")),
]  # fmt: skip


@pytest.mark.parametrize(("code", "question", "change"), FLAWED, ids=[f"{c}-{i}" for i, (c, _, _) in enumerate(FLAWED)])
def test_a_flaw_is_found(code: str, question: Question, change: dict[str, Any]) -> None:
    flawed = replace(question, **change)
    assert code in codes(flawed)
    found = [finding for finding in findings(flawed) if finding.code == code]
    assert found[0].severity == SEVERITIES[code]
    assert found[0].blocks
    assert found[0].cure


def test_a_key_that_does_not_follow_from_its_check_is_found() -> None:
    assert "A29" in codes(NUMERIC, check=Check("12/4", unit="B"))
    assert "A29" not in codes(NUMERIC, check=Check("w/n", {"w": 12, "n": 8}, unit="B"))


def test_every_rule_for_questions_has_a_flawed_question_here() -> None:
    tried = {code for code, _, _ in FLAWED} | {"A29", "A32", "A00"}
    assert tried == set(SEVERITIES)


@pytest.mark.parametrize(
    "change",
    [
        one_option(0, "All-reduce buffers", "全归约缓冲区"),
        one_option(0, "Decoder-only weights", "仅解码器权重"),
        one_option(0, "Absolute positions", "绝对位置编码"),
        options(("Only the states", "只有状态"), ("Every gradient", "所有梯度"), ("All the rest", "任何数据"), right=1),
        prompt(zh="省显存效果显著的 ZeRO 第 1 阶段在 8 个进程间切分什么？"),
        prompt(
            zh="若延迟为 max(0, 带宽 × 8)，ZeRO 第 1 阶段切分什么？",
            en="If latency is max(0, b × 8), what does stage 1 split?",
        ),
        prompt(en="Why do 8 ranks not need a full copy in stage 1 of ZeRO?"),
    ],
)
def test_proper_terms_are_no_flaw(change: dict[str, Any]) -> None:
    assert codes(replace(SINGLE, **change)) == set()


# --- waivers ---------------------------------------------------------------------------------------------------------


def test_a_warning_can_be_waived_with_a_reason() -> None:
    flawed = replace(SINGLE, **one_option(0, "Gradients, always", "只有梯度"))
    (finding,) = findings(flawed, waivers={"A10": "the docs use this word"})
    assert (finding.waived, finding.blocks) == ("the docs use this word", False)


def test_an_error_cannot_be_waived_and_a_waiver_for_nothing_is_told() -> None:
    flawed = replace(SINGLE, **one_option(3, "All of the above", "以上都是"))
    found = findings(flawed, waivers={"A01": "we like it that way", "A33": "not there at all"})
    assert [f.blocks for f in found if f.code == "A01"] == [True, True]
    assert sorted(f.message for f in found if f.code == "A00") == [
        "A01 cannot be waived",
        "the waiver of A33 is not needed",
    ]


def test_a_draft_is_criticised_but_stops_nothing() -> None:
    draft = replace(SINGLE, status=Status.DRAFT, sources=())
    assert "A25" in codes(draft)
    assert not any(finding.blocks for finding in findings(draft))


def test_a_claim_with_a_date_is_no_time_bound_claim_until_it_is_old() -> None:
    flawed = Entry(replace(SINGLE, **prompt(en="What does the latest version of ZeRO, stage 1, split over 8 ranks?")))
    dated = replace(flawed, as_of="2024-01")
    assert not [f for f in lint(Library((dated,)), today=date(2025, 7, 1)) if f.blocks]
    assert [f.code for f in lint(Library((dated,)), today=date(2025, 8, 1)) if f.blocks] == ["B11"]


def test_a_copy_of_a_given_text_is_found_in_either_script() -> None:
    sentence = "第一阶段切分优化器状态，因此每个進程仍完整保存參數和梯度"
    assert [f.code for f in lint(Library.of([SINGLE]), against=["前言。" + sentence]) if f.blocks] == ["A32"]
    assert [f.code for f in lint(Library.of([SINGLE]), against=[EXPLANATION.en.upper()]) if f.blocks] == ["A32"]
    assert not [f for f in lint(Library.of([SINGLE]), against=[sentence[:15], EXPLANATION.en[:60]]) if f.blocks]


# --- the whole bank --------------------------------------------------------------------------------------------------


def bank_codes(*questions: Question) -> set[str]:
    return {finding.code for finding in lint(Library.of(questions)) if finding.blocks and finding.code[0] == "B"}


def numbered(question: Question, count: int, **change: Any) -> list[Question]:
    """Copies that are not alike: their prompts are hashes of their numbers."""
    stems = [f"{i * 7919 % 9973:x}{i * 104729 % 99991:x}{i * 1299709 % 999983:x}" for i in range(1, count + 1)]
    return [
        replace(question, id=f"{question.id}-{i}", prompt=Text(f"{stem}?", f"{stem[::-1]}？"), **change)
        for i, stem in enumerate(stems)
    ]


def test_right_options_in_one_place_are_found_and_an_even_spread_is_not() -> None:
    assert "B01" in bank_codes(*numbered(SINGLE, 24))
    spread = [
        replace(question, options=tuple(replace(o, correct=j == i % 4) for j, o in enumerate(OPTIONS)))
        for i, question in enumerate(numbered(SINGLE, 24))
    ]
    assert "B01" not in bank_codes(*spread)


def test_chi_square_agrees_with_published_values() -> None:
    """Upper tails from printed tables of the chi-square distribution, and the count of an exam of 15 questions."""
    assert round(chi_square_p([2, 7, 2, 4]), 3) == 0.215
    assert round(chi_square_p([25, 15]), 4) == 0.1138
    assert round(chi_square_p([10, 20, 30]), 4) == 0.0067
    assert round(chi_square_p([10, 20, 30, 40, 50]), 8) == 0.00000102
    assert chi_square_p([5, 5, 5]) == 1
    assert chi_square_p([]) == 1


def test_multiple_questions_that_all_have_the_same_number_of_right_options_are_found() -> None:
    assert "B02" in bank_codes(*numbered(MULTIPLE, 12))


def test_statements_that_are_nearly_all_false_are_found() -> None:
    assert "B03" in bank_codes(*numbered(TRUE_FALSE, 11, answer=False))
    mixed = [replace(question, answer=i % 2 == 0) for i, question in enumerate(numbered(TRUE_FALSE, 12))]
    assert "B03" not in bank_codes(*mixed)


def test_right_options_that_are_mostly_the_longest_are_found() -> None:
    assert "B05" in bank_codes(*numbered(SINGLE, 20, **one_option(1, "Optimiser states of all", "优化器的全部状态")))


def test_absolute_words_that_stand_in_wrong_options_alone_are_found() -> None:
    assert "B06" in bank_codes(*numbered(SINGLE, 24, **one_option(0, "Gradients, always", "只有梯度")))


def test_near_duplicates_must_be_declared() -> None:
    twin = replace(
        SINGLE, id="twin", prompt=Text("What does stage 1 of ZeRO split over its 8 ranks?", "完全不同的话。")
    )
    assert bank_codes(SINGLE, twin) >= {"B04"}
    declared = Library((Entry(SINGLE), Entry(twin, variant_of=SINGLE.id)))
    assert not [f for f in lint(declared) if f.code == "B04"]


def test_the_same_prompt_with_another_key_is_a_contradiction() -> None:
    other = replace(SINGLE, id="other", options=tuple(replace(o, correct=o.key == "a") for o in OPTIONS))
    assert [f.severity for f in lint(Library.of([SINGLE, other])) if f.code == "B04"] == ["E"]
    assert contradict(SINGLE, replace(BLANK, prompt=SINGLE.prompt)) is False
    assert contradict(SINGLE, replace(BLANK, prompt=SINGLE.prompt, accept={"zh": ("梯度",)}))
    assert contradict(NUMERIC, replace(NUMERIC, number=NumericKey(12, "B", 0.01)))


def test_other_numbers_in_the_prompt_explain_another_key() -> None:
    other = replace(SINGLE, prompt=Text("What does stage 3 of ZeRO split over 8 ranks?", "x"), options=OPTIONS[::-1])
    assert not contradict(SINGLE, other)


def test_similar_prompts_are_found_among_a_thousand() -> None:
    questions = [*numbered(SINGLE, 1000), SINGLE, replace(SINGLE, id="twin")]
    pairs = [(b.question.id, a.question.id) for a, b, _ in similar_pairs(Library.of(questions).entries)]
    assert pairs == [("zero-stage-1", "twin")]


# --- measures --------------------------------------------------------------------------------------------------------


def test_length_counts_a_latin_word_in_chinese_as_two() -> None:
    assert length("KV 缓存以 FP16 存放", "zh") == 2 + 3 + 2 + 2
    assert length(" two  words ", "en") == 9


def test_comparing_options_keeps_the_signs_of_arithmetic() -> None:
    assert normal("Ｏｐｔｉｍｉｓｅｒ states.") == normal("optimiser  states")
    assert normal("1.5") != normal("15")
    assert normal("x + y") != normal("x − y")


def test_numbers_that_one_language_lacks_are_named() -> None:
    assert missing_numbers("8 ranks, 3 steps", "16 个进程，三步") == ([8], [16])
    assert missing_numbers("2× of 1,024 and a half", "1024 的 2 倍与一半") == ([], [])


# --- reports ---------------------------------------------------------------------------------------------------------


def test_a_report_names_places_and_says_what_is_left_to_mend(tmp_path: Path) -> None:
    good = (
        "- {id: one, kind: true_false, topic: lora, difficulty: 1, prompt: {zh: 一}, answer: true}\n"
        "- {id: two, kind: true_false, topic: lora, difficulty: 1, prompt: {zh: 二}}\n"
    )
    (tmp_path / "good.yaml").write_text(good, encoding="utf-8")
    found, text = lint_report([tmp_path])
    assert not any(finding.blocks for finding in found)
    waiting = sum(finding.severity in "EW" for finding in found)
    assert text.endswith(f"nothing to mend now, {waiting} before the drafts are published")
    assert main([str(tmp_path)]) == 0
    (tmp_path / "bad.yaml").write_text("- {id: bad, kind: single, topic: lora, difficulty: 7}", encoding="utf-8")
    found, text = lint_report([tmp_path])
    assert f"{tmp_path}/bad.yaml:1: E F11 bad: 'difficulty' is 7; write 5 or less" in text.splitlines()
    assert main([str(tmp_path)]) == 1
    assert main([str(tmp_path / "nowhere")]) == 2


def test_the_shipped_bank_is_what_is_linted_without_a_path(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert capsys.readouterr().out.strip().endswith("nothing to mend")


def test_every_code_is_explained_in_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "lint-codes.md").read_text(encoding="utf-8")
    structure = {f"F{n:02}" for n in range(1, 15)}
    bank = {f"B{n:02}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11)}
    for code in SEVERITIES.keys() | structure | bank:
        assert f"| {code} |" in text, code


SEED = Path(__file__).parents[3] / "shared" / "samples" / "exam-2025-distributed-training.txt"


def of_paper(imported: Imported) -> Question:
    """A draft of an imported question: options with letters, texts in Chinese alone."""
    kind, answer = Kind(imported.kind), imported.answer
    letters = answer if isinstance(answer, list) else []
    return Question(
        id=f"{kind.value}-{imported.number}",
        kind=kind,
        topic="imported",
        difficulty=3,
        prompt=Text(zh=imported.prompt),
        explanation=Text(zh=imported.explanation or ""),
        options=tuple(Option(key.lower(), Text(zh=text), key in letters) for key, text in imported.options),
        answer=answer if isinstance(answer, bool) else None,
        accept={"zh": tuple(letters)} if kind is Kind.BLANK else {},
    )


@pytest.mark.skipif(
    not SEED.exists(), reason="the sample paper is not part of the project; put it in ../shared/samples"
)
def test_a_real_exam_paper_shows_the_flaws_that_were_counted_by_hand() -> None:
    """Options "all of the above", keys of every option, blanks that ask "which of the following", false statements
    with absolute words, explanations that explain nothing, repeats and contradictions."""
    questions = [of_paper(imported) for imported in import_file(SEED, simplify=True).questions]
    found = lint(Library.of(questions))

    def of(code: str, kind: str = "", said: str = "") -> list[str]:
        ids = {f.question_id for f in found if f.code == code and said in f.message}
        return sorted(name.partition("-")[2] for name in ids if name.startswith(kind))

    assert of("A01", "single") == sorted(["4", "5", "6", "11", "12", "14", "15"])
    assert of("A02") == ["10"]
    assert len(of("A05", "multiple")) == 9
    assert of("A06", "single") == sorted(["2", "3", "7", "12"])
    assert set(of("A12", "single")) >= {"8", "9", "11", "12", "13"}
    assert len(of("A10", "true_false")) == 6
    assert len(of("A22", "blank", "which of the following")) == 12
    assert len(of("A24", said="again")) >= 17
    assert [f.message for f in found if f.code == "B01"] == [
        "right options of 4 stand at a 2, b 7, c 2, d 4 (p = 0.215)"
    ]
    assert [f.message for f in found if f.code == "B03"] == ["1 of 10 true/false statements of the bank are true"]
    repeats = [f for f in found if f.code == "B04"]
    assert len(repeats) >= 18
    contradicted = {f.question_id.partition("-")[2] for f in repeats if f.severity == "E"}
    assert contradicted >= {"3", "4", "5", "6", "9", "10", "11"}
