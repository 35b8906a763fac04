"""The loader reads what authors write, and says everything that is wrong at once, each with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

import content
from content.loader import BankFault, Fault, check_files, load_bank
from content.question import Kind, Status, from_plain, to_plain

DOCS = Path(__file__).parents[2] / "docs" / "question-format.md"
EXAMPLES = "\n".join(re.findall(r"```yaml\n(- id.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL))

DRAFT = "- {id: draft, kind: true_false, topic: imported, difficulty: 1, prompt: {zh: 一句话}, answer: true}\n"
SINGLE = """\
- id: kv-size
  kind: single
  topic: kv-cache
  difficulty: 2
  status: published
  prompt: {en: "How large is the cache of 2 layers?", zh: "2 层的缓存有多大？"}
  options:
    - {key: a, text: 1 MiB, why: {en: Counts keys alone., zh: 只算了键。}, misconception: keys-alone}
    - {key: b, text: 2 MiB, correct: true}
    - {key: c, text: 4 MiB, why: {en: Takes FP32., zh: 按 FP32 计算。}, misconception: fp32-bytes}
  explanation:
    en: Each layer keeps one key and one value for every token, in two bytes an element.
    zh: 每一层为每个词元各存一个键和一个值，每个元素占两个字节。
  sources: [{title: PagedAttention, arxiv: "2309.06180", locator: "§3", year: 2023}]
"""


def bank(tmp_path: Path, text: str | bytes, name: str = "kv-cache.yaml") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def faults(tmp_path: Path, text: str | bytes) -> list[Fault]:
    return check_files([bank(tmp_path, text)])


def test_every_example_of_the_documentation_loads(tmp_path: Path) -> None:
    bank(tmp_path, EXAMPLES)
    library = load_bank(tmp_path)
    assert {question.kind for question in library} == set(Kind)


def test_the_schema_for_editors_takes_what_the_loader_takes() -> None:
    """Editors use the whole file as it stands; the loader uses its parts."""
    schema = json.loads((Path(content.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    questions = yaml.safe_load(EXAMPLES)
    assert list(validator.iter_errors(questions)) == []
    for change in ({"kind": "essay"}, {"options": None}, {"difficulty": 0}, {"answer": True}, {"sources": "a book"}):
        assert not validator.is_valid([questions[0] | change]), change
    assert not validator.is_valid([{k: v for k, v in questions[0].items() if k != "explanation"}])


def test_a_question_keeps_all_that_its_file_says(tmp_path: Path) -> None:
    bank(tmp_path, SINGLE + "  check: {inputs: {layers: 2}, value: layers*2**20, unit: B, equals: 2 MiB}\n")
    (entry,) = load_bank(tmp_path).entries
    question = entry.question
    assert (question.id, question.kind, question.status, question.version) == ("kv-size", "single", "published", 1)
    assert question.prompt.zh == "2 层的缓存有多大？"
    assert question.options[0].text.en == question.options[0].text.zh == "1 MiB"
    assert question.right_keys == {"b"}
    assert question.options[2].misconception == "fp32-bytes"
    assert question.sources[0].link == "https://arxiv.org/abs/2309.06180"
    assert entry.check is not None
    assert (entry.line, entry.check.equals) == (1, "2 MiB")
    assert from_plain(to_plain(question)) == question


def test_options_that_are_numbers_in_order_keep_their_order(tmp_path: Path) -> None:
    bank(tmp_path, SINGLE)
    assert load_bank(tmp_path).questions[0].keep_order
    bank(tmp_path, SINGLE.replace("4 MiB", "1.5 MiB"))
    assert not load_bank(tmp_path).questions[0].keep_order


def test_options_in_different_prefixes_are_compared_by_size(tmp_path: Path) -> None:
    bank(tmp_path, SINGLE.replace("4 MiB", "1 GiB"))
    assert load_bank(tmp_path).questions[0].keep_order


@pytest.mark.parametrize("text", [SINGLE.replace("\n", "\r\n"), "\ufeff" + SINGLE, "---\n" + SINGLE, SINGLE.rstrip()])
def test_windows_line_ends_a_byte_order_mark_and_a_document_mark_are_no_fault(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text) == []
    assert load_bank(tmp_path).questions[0].explanation.en.endswith("element.")


def test_a_block_text_has_no_line_break_at_its_end(tmp_path: Path) -> None:
    text = SINGLE.replace("    en: Each layer", "    en: |\n      Each layer", 1)
    bank(tmp_path, text)
    assert load_bank(tmp_path).questions[0].explanation.en.endswith("element.")


# --- drafts ----------------------------------------------------------------------------------------------------------


def test_only_published_questions_are_loaded_unless_drafts_are_asked_for(tmp_path: Path) -> None:
    bank(tmp_path, SINGLE + DRAFT)
    assert [q.id for q in load_bank(tmp_path)] == ["kv-size"]
    assert [q.id for q in load_bank(tmp_path, drafts=True)] == ["kv-size", "draft"]


def test_a_draft_may_have_one_language_no_source_and_no_topic_yet(tmp_path: Path) -> None:
    assert faults(tmp_path, DRAFT) == []
    (question,) = load_bank(tmp_path, drafts=True)
    assert question.status is Status.DRAFT


@pytest.mark.parametrize(
    "text",
    [
        "- {id: x, kind: true_false, topic: imported, difficulty: 1, prompt: {zh: 一}}",
        "- {id: x, kind: blank, topic: imported, difficulty: 1, prompt: {zh: 一}}",
        "- {id: x, kind: numeric, topic: imported, difficulty: 1, prompt: {zh: 一}}",
        "- {id: x, kind: case, topic: imported, difficulty: 1, prompt: {zh: 一}}",
        "- {id: x, kind: single, topic: imported, difficulty: 1, prompt: {zh: 一},"
        " options: [{key: a, text: 甲}, {key: b, text: 乙}]}",
    ],
)
def test_a_draft_without_a_key_is_reported_and_left_out_but_stops_nothing(tmp_path: Path, text: str) -> None:
    (fault,) = faults(tmp_path, text)
    assert (fault.code, fault.fatal, fault.question_id) == ("F14", False, "x")
    assert len(load_bank(tmp_path, drafts=True)) == 0


def test_fields_left_empty_count_as_left_out(tmp_path: Path) -> None:
    text = DRAFT.replace("answer: true", "answer: true, explanation: {}, discussion: , sources: [], as_of: ''")
    assert faults(tmp_path, text) == []


# --- faults of the file ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "code", "said"),
    [
        ("", 1, "F04", "empty"),
        (" \n\n", 1, "F04", "empty"),
        ("# nothing yet\n", 1, "F04", "no question"),
        ("[]", 1, "F04", "no question"),
        (b"- id: a\n  kind: \xff\xfe", 2, "F02", "UTF-8"),
        ("- id: a".encode("utf-16"), 1, "F02", "UTF-8"),
        (DRAFT + "- id: b\x07", 2, "F02", "U+0007"),
        (b"- " + b"x" * 5_000_001, 1, "F03", "5,000,000"),
        ("questions: []", 1, "F05", "not a list"),
        ("just text", 1, "F05", "not a list"),
        (DRAFT + "---\n" + DRAFT, 2, "F05", "second YAML document"),
        ("- id: a\n\tkind: single", 2, "F05", "tab"),
        ("- id: a\n  prompt: Why: so", 2, "F05", "colon"),
        ("- id: a\n  prompt: {en: Why: so}", 2, "F05", "braces"),
        ("- id: a\n  prompt: 'open", 2, "F05", "not closed"),
        ("- id: a\n  prompt: `code` here", 2, "F05", "sign"),
        ('- id: a\n  prompt: "\\d"', 2, "F05", "backslash"),
        ("- id: a\n  prompt: {en: x]", 2, "F05", "bracket"),
        ("[" * 200_000, 1, "F05", "nest"),
        ("- " * 20_000 + "x", 1, "F05", "nest"),
        ("- id: a\n  prompt: &x {en: b}", 2, "F07", "anchor"),
        ("- id: a\n  prompt: *x", 2, "F07", "alias"),
        ("- id: !!python/object/apply:os.system [ls]", 1, "F07", "tag"),
    ],
)
def test_a_file_that_is_no_list_of_questions_is_reported(
    tmp_path: Path, text: str | bytes, line: int, code: str, said: str
) -> None:
    found = faults(tmp_path, text)
    assert (line, code) in [(fault.line, fault.code) for fault in found if said in fault.fault]
    with pytest.raises(BankFault, match=re.escape(f"kv-cache.yaml:{line}: ")):
        load_bank(tmp_path, drafts=True)


def test_a_bomb_of_aliases_costs_nothing(tmp_path: Path) -> None:
    bomb = "- a: &a [x, x]\n" + "".join(
        f"  {name}: &{name} [*{last}, *{last}, *{last}, *{last}]\n"
        for last, name in zip("abcdefghijklmnopqrstu", "bcdefghijklmnopqrstuv", strict=True)
    )
    assert {fault.code for fault in faults(tmp_path, bomb)} >= {"F07"}


def test_a_file_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    (fault,) = check_files([tmp_path / "missing.yaml"])
    assert str(fault).startswith(f"{tmp_path}/missing.yaml:1: cannot read it: no such file")
    with pytest.raises(BankFault, match="cannot read it"):
        load_bank(tmp_path / "nowhere")


def test_a_folder_without_questions_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / ".hidden").mkdir()
    bank(tmp_path / ".hidden", SINGLE)
    bank(tmp_path, "not for us", "notes.txt")
    with pytest.raises(BankFault, match="no question file"):
        load_bank(tmp_path)


def test_folders_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        bank(tmp_path / name, DRAFT.replace("id: draft", f"id: {name}"), "x.yml")
    assert [q.id for q in load_bank(tmp_path, drafts=True)] == ["a", "b"]


# --- faults of fields ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "code", "said", "cure"),
    [
        ("difficulty: 2", "dificulty: 2", 4, "F09", "dificulty", "did you mean 'difficulty'"),
        ("  difficulty: 2\n", "", 1, "F10", "no 'difficulty'", "add 'difficulty"),
        ("difficulty: 2", "difficulty: two", 4, "F11", "the text 'two'", "whole number"),
        ("difficulty: 2", "difficulty: 6", 4, "F11", "is 6", "5 or less"),
        ("difficulty: 2", "difficulty: true", 4, "F11", "truth value", "whole number"),
        ("difficulty: 2", "difficulty: 2\n  difficulty: 3", 5, "F06", "first in line 4", "keep one"),
        ("kind: single", "kind: singel", 2, "F11", "no kind 'singel'", "did you mean 'single'"),
        ("  kind: single\n", "", 1, "F11", "missing", "single, multiple"),
        ("id: kv-size", "id: KV_size", 1, "F11", "KV_size", "hyphens"),
        ("status: published", "status: publishd", 5, "F11", "publishd", "did you mean 'published'"),
        ("status: published", "answer: true", 5, "F13", "answer", "change the kind"),
        ("topic: kv-cache", "topic: kv-cahce", 3, "A27", "unknown topic", "did you mean kv-cache"),
        ("topic: kv-cache", "topic: imported", 3, "A27", "imported", "topic of the taxonomy"),
        ("text: 2 MiB", "text: 2", 9, "F11", "the number 2", "in quotes"),
        ("text: 2 MiB", "text: [2]", 9, "F11", "a list", "{en: …, zh: …}"),
        ("text: 2 MiB", "text: {en: x, fr: y}", 9, "F09", "'fr'", "known are en, zh"),
        ("zh: 只算了键。", "zh: 1,024 个", 8, "F11", "the number 1", "in quotes"),
        ("en: Counts keys alone.", "en: Keys, not both.", 8, "F09", "'not both.'", "comma"),
        ("key: b", "key: B", 9, "F11", "'B'", "small letters"),
        ("key: b", "key: d", 9, "A05", "'d'", "in order"),
        ("correct: true", "correct: yes", 9, "F08", "'yes'", "true or false"),
        ("text: 2 MiB", "text: 1e5", 9, "F08", "'1e5'", "in quotes"),
        ("text: 2 MiB", "text: 12:30", 9, "F08", "base 60", "in quotes"),
        ("text: 2 MiB", "text: 2024-01-01", 9, "F08", "date", "in quotes"),
        ("text: 2 MiB", "text: 0755", 9, "F08", "another base", "in quotes"),
        ("text: 2 MiB", "text: 1.0e+999", 9, "F08", "too large", "in quotes"),
        ("text: 2 MiB", "text: no", 9, "F08", "'no'", "in quotes"),
        ("year: 2023", "year: soon", 14, "F11", "soon", "whole number"),
        ("  options:", "  waive: [{code: A08, reason: ok}]\n  options:", 7, "F11", "too short", "10 characters"),
        ("  options:", "  as_of: last June\n  options:", 7, "F11", "last June", "2025-06"),
    ],
)
def test_a_wrong_field_is_named_with_its_line_and_cure(
    tmp_path: Path, old: str, new: str, line: int, code: str, said: str, cure: str
) -> None:
    assert old in SINGLE
    found = faults(tmp_path, SINGLE.replace(old, new, 1))
    assert [(fault.line, fault.code) for fault in found if said in fault.fault and cure in fault.cure] == [(line, code)]


def test_something_that_is_no_question_is_named(tmp_path: Path) -> None:
    assert [(f.line, f.code) for f in faults(tmp_path, DRAFT + "- text\n- [1]\n-\n")] == [
        (2, "F11"),
        (3, "F11"),
        (4, "F11"),
    ]


def test_an_id_is_taken_once_over_all_files(tmp_path: Path) -> None:
    bank(tmp_path, DRAFT, "a.yaml")
    bank(tmp_path, SINGLE + DRAFT, "b.yaml")
    (fault,) = check_files([tmp_path])
    assert (fault.path, fault.line, fault.code) == (str(tmp_path / "b.yaml"), 15, "F12")
    assert f"{tmp_path}/a.yaml:1" in fault.fault


def test_all_faults_come_at_once_and_sound_neighbours_are_still_read(tmp_path: Path) -> None:
    """A broken question hides neither its neighbours nor their faults."""
    broken = "- id: broken\n  prompt: {en: a: b}\n"
    wrong = "- {id: wrong, kind: blank, topic: nowhere, difficulty: 9, prompt: {zh: 一}}\n"
    unsound = SINGLE.replace("id: kv-size", "id: unsound").replace(", correct: true", "")
    bank(tmp_path, broken + wrong, "a.yaml")
    bank(tmp_path, DRAFT + unsound, "b.yaml")
    with pytest.raises(BankFault) as error:
        load_bank(tmp_path, drafts=True)
    found = {(Path(f.path).name, f.line, f.code) for f in error.value.faults}
    assert found >= {("a.yaml", 2, "F05"), ("a.yaml", 3, "F11"), ("b.yaml", 8, "A05")}
    lines = str(error.value).splitlines()
    assert len(lines) == len(error.value.faults)
    assert all(re.match(r".+\.yaml:\d+: .+; .+", line) for line in lines)


# --- what a published question must have -----------------------------------------------------------------------------

BLANK = """\
- id: perplexity
  kind: blank
  topic: perplexity
  difficulty: 1
  status: published
  prompt: {en: "Perplexity is the exponential of the mean ____ per token.", zh: "困惑度是每个词元平均____的指数。"}
  accept: {en: [NLL], zh: [负对数似然]}
  shown: {en: NLL, zh: 负对数似然}
  explanation:
    en: The mean negative log-likelihood is the cross-entropy in nats; its exponential counts choices.
    zh: 平均负对数似然就是以奈特为单位的交叉熵，取指数得到等可能选择的个数。
  sources: [{title: Book, url: "https://example.org/book", locator: "§3"}]
"""
NUMERIC = """\
- id: bubble
  kind: numeric
  topic: pipeline-parallelism
  difficulty: 3
  status: published
  prompt: {en: "8 stages, 32 micro-batches: idle share in percent?", zh: "8 个阶段、32 个微批：空闲占百分之几？"}
  number: {value: 17.95, unit: "%", tolerance: 0.01}
  check: {inputs: {p: 8, m: 32}, value: 100*(p-1)/(m+p-1)}
  mistakes: [{value: 21.9, why: {en: Relative to the ideal., zh: 相对理想时间。}}]
  explanation:
    en: The step lasts m + p - 1 slots and each device works in m of them, idling in the others.
    zh: 整步共 m + p - 1 个时隙，每个设备只在其中 m 个工作，其余时间空闲。
  sources: [{title: Megatron, doi: 10.1145/3458817.3476209, locator: "§2.2"}]
"""
CASE = """\
- id: design
  kind: case
  topic: finance
  difficulty: 4
  status: published
  prompt: {en: "Describe the service.", zh: "请描述该服务。"}
  rubric:
    - {points: 2, text: {en: capacity, zh: 容量}, mentions: {en: [peak], zh: [峰值]}}
    - {points: 2, text: {en: fallback, zh: 降级}}
    - {points: 2, text: {en: release, zh: 发布}}
  model_answer: {en: Plan for the peak., zh: 按峰值规划。}
  explanation:
    en: The latency budget decides the size of the model and the way of batching requests.
    zh: 延迟预算决定模型的大小，也决定请求如何分批处理，以及怎样降级。
  sources: [{title: Tail at Scale, doi: 10.1145/2408776.2408794, locator: all}]
"""


@pytest.mark.parametrize("text", [SINGLE, BLANK, NUMERIC, CASE])
def test_the_sound_questions_of_these_tests_have_no_fault(tmp_path: Path, text: str) -> None:
    assert faults(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "code", "said"),
    [
        (SINGLE, ', zh: "2 层的缓存有多大？"', "", 6, "A27", "Chinese"),
        (SINGLE, "{en: Counts keys alone., zh: 只算了键。}", "{zh: 只算了键。}", 8, "A27", "English"),
        (SINGLE, ", correct: true", "", 7, "A05", "no option is right"),
        (SINGLE, "1 MiB", "1 MiB, correct: true", 7, "A05", "several"),
        (SINGLE, "4 MiB", "2  mib", 10, "A04", "say the same"),
        (SINGLE, "    - {key: c, text: 4 MiB, why: {en: Takes FP32., zh: 按 FP32 计算。}, misconception: fp32-bytes}\n",
         "",
         7, "A03", "2 options"),
        (SINGLE, "why: {en: Takes FP32., zh: 按 FP32 计算。}, ", "", 10, "A24", "no reason"),
        (SINGLE, "zh: 每一层为每个词元各存一个键和一个值，每个元素占两个字节。", "zh: 键和值。", 13, "A24", "shorter"),
        (SINGLE, "sources: [{title: PagedAttention, arxiv: \"2309.06180\", locator: \"§3\", year: 2023}]",
         "sources: []", 1, "A25", "no source"),
        (SINGLE, ", locator: \"§3\"", "", 14, "A25", "locator"),
        (SINGLE, "arxiv: \"2309.06180\", ", "", 14, "A25", "exactly one"),
        (SINGLE, "2309.06180", "vllm", 14, "A25", "no readable arxiv"),
        (SINGLE, "zh: \"2 层", "zh: \"3 层", 6, "A28", "only the English has 2; only the Chinese has 3"),
        (SINGLE, "cache of 2 layers?", "`cache` of 2 layers?", 6, "A28", "code"),
        (SINGLE, "  explanation:", "  check: {value: 2*x}\n  explanation:", 11, "A29", "'x' is not among the inputs"),
        (SINGLE, "  explanation:", "  check: {value: 3*2**20, unit: B, equals: 2 MiB}\n  explanation:", 11, "A29",
         "gives 3 MiB, not 2 MiB"),
        (SINGLE, "  explanation:", "  check: {value: 2**22, unit: B, equals: 4 MiB}\n  explanation:", 9, "A29",
         "the check says 4 MiB"),
        (SINGLE, "  explanation:", "  check: {value: 2**22, unit: B, equals: 4 MiB}\n  explanation:", 10, "A29",
         "within 1 %"),
        (SINGLE, "  explanation:", "  check: {value: 2, unit: s, equals: 2 MiB}\n  explanation:", 11, "A29", "in 's'"),
        (BLANK, "____ per", "loss per", 6, "A22", "0 blanks"),
        (BLANK, "Perplexity is", "Which of the following: ____", 6, "A22", "which of the following"),
        (BLANK, "[NLL]", "[the negative logarithm of the likelihood that the model gives]", 7, "A22", "longer than 40"),
        (BLANK, ", zh: [负对数似然]", "", 7, "A22", "nothing is accepted (zh)"),
        (BLANK, "  shown: {en: NLL, zh: 负对数似然}\n", "", 1, "A22", "showing"),
        (NUMERIC, ", tolerance: 0.01", "", 7, "A22", "tolerance"),
        (NUMERIC, "tolerance: 0.01", "tolerance: 0.01, abs_tolerance: 1", 7, "A22", "tolerance"),
        (NUMERIC, "17.95", "21.9", 7, "A29", "the check gives 17.948718 %, the number is 21.9"),
        (NUMERIC, "21.9", "18", 9, "A29", "counts as right"),
        (NUMERIC, "value: 100*(p-1)/(m+p-1)", "value: __import__('os')", 8, "A29", "cannot be computed"),
        (CASE, "    - {points: 2, text: {en: release, zh: 发布}}\n", "", 7, "A05", "2 points"),
        (CASE, "  model_answer: {en: Plan for the peak., zh: 按峰值规划。}\n", "", 1, "A24", "model answer"),
    ],
)  # fmt: skip
def test_a_question_that_is_not_whole_is_not_published(
    tmp_path: Path, text: str, old: str, new: str, line: int, code: str, said: str
) -> None:
    assert old in text
    found = faults(tmp_path, text.replace(old, new, 1))
    assert (line, code) in [(fault.line, fault.code) for fault in found if said in fault.fault]
    draft = text.replace(old, new, 1).replace("status: published", "status: draft")
    for_drafts = {"no reason", "longer", "blanks", "locator", "shorter", "Chinese", "English"}
    if any(word in said for word in for_drafts):
        assert faults(tmp_path, draft) == []


def test_spoken_numbers_and_scaled_numbers_agree_with_written_ones(tmp_path: Path) -> None:
    """Four and 4, 20,000 and 2 万, 10⁹ and 10⁹ say the same in both languages."""
    pairs = [
        ("four of 8 cards", "8 张卡中的 4 张"),
        ("20,000 requests", "2 万个请求"),
        ("7 billion weights", "70 亿个权重"),
        ("1.5 × 10⁹ bytes", "1.5 × 10⁹ 字节"),
        ("half of 64", "64 的一半"),
        ("4,096 tokens", "4096 个词元"),
        ("the first 3 of twelve", "12 个中的前 3 个"),
    ]
    for en, zh in pairs:
        text = SINGLE.replace("How large is the cache of 2 layers?", f"What of {en}?").replace("2 层的缓存有多大", zh)
        assert faults(tmp_path, text) == [], (en, zh)


def test_a_thousand_questions_load_with_their_faults_found(tmp_path: Path) -> None:
    """The size of a year's bank: nothing is lost on the way, and the one wrong question is found."""
    for area in range(10):
        text = "".join(SINGLE.replace("id: kv-size", f"id: kv-size-{area}-{n}") for n in range(100))
        bank(tmp_path, text, f"{area}.yaml")
    assert len(load_bank(tmp_path)) == 1000
    path = tmp_path / "7.yaml"
    path.write_text(path.read_text().replace("difficulty: 2", "difficulty: 0", 1))
    (fault,) = check_files([tmp_path])
    assert (fault.path, fault.line, fault.question_id) == (str(path), 4, "kv-size-7-0")
