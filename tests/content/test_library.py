"""The bank in memory, the topics, and the arithmetic that recomputes keys."""

from __future__ import annotations

import math

import pytest

from content.arithmetic import ExpressionError, convert, evaluate, is_monotonic, magnitudes, read_quantity
from content.library import Library, default_bank_path
from content.question import Kind, Question, Text
from content.taxonomy import IMPORTED, UnknownTopicError, default_taxonomy, read_taxonomy


def question(id: str, topic: str = "lora", kind: Kind = Kind.CASE, difficulty: int = 3, zh: str = "题") -> Question:
    return Question(id=id, kind=kind, topic=topic, difficulty=difficulty, prompt=Text("A question", zh))


LIBRARY = Library.of(
    [
        question("a", difficulty=1),
        question("b", topic="qlora", kind=Kind.NUMERIC),
        question("c", topic="lora", kind=Kind.BLANK, difficulty=5),
        question("d", topic="kv-cache", zh=""),
    ]
)


def ids(questions: tuple[Question, ...]) -> str:
    return "".join(q.id for q in questions)


def test_a_question_is_found_by_its_id() -> None:
    found = LIBRARY.get("b")
    assert found is not None
    assert found.kind is Kind.NUMERIC
    assert LIBRARY.get("none") is None
    assert "b" in LIBRARY
    assert "none" not in LIBRARY


def test_questions_lie_by_topic_in_their_order() -> None:
    assert ids(LIBRARY.by_topic("lora")) == "ac"
    assert LIBRARY.by_topic("slurm") == ()
    assert LIBRARY.topics() == ("lora", "qlora", "kv-cache")
    assert (len(LIBRARY), ids(LIBRARY.questions), ids(tuple(LIBRARY))) == (4, "abcd", "abcd")


def test_selection_combines_topics_kinds_difficulty_and_languages() -> None:
    assert ids(LIBRARY.select()) == "abcd"
    assert ids(LIBRARY.select(topics=["kv-cache", "lora", "lora"])) == "dac"
    assert ids(LIBRARY.select(kinds={Kind.CASE})) == "ad"
    assert ids(LIBRARY.select(difficulty=(3, 5))) == "bcd"
    assert ids(LIBRARY.select(languages=["zh-TW"])) == "abc"
    assert ids(LIBRARY.select(topics=["lora"], kinds=[Kind.CASE], difficulty=(1, 2), languages=["en", "zh"])) == "a"
    assert LIBRARY.select(topics=["slurm"]) == ()


def test_two_questions_with_one_id_are_refused() -> None:
    with pytest.raises(ValueError, match="two questions have the id 'a'"):
        Library.of([question("a"), question("a")])


def test_the_shipped_bank_lies_in_the_package() -> None:
    assert (default_bank_path() / "inference-serving").is_dir()


# --- topics ----------------------------------------------------------------------------------------------------------


def test_the_taxonomy_has_its_areas_and_topics_in_both_languages() -> None:
    taxonomy = default_taxonomy()
    assert (len(taxonomy.areas), len(taxonomy.topics)) == (16, 123)
    for named in (*taxonomy.areas, *taxonomy.topics):
        assert named.name.en, named.slug
        assert named.name.zh, named.slug
    assert taxonomy.topic("kv-cache").area == "inference-serving"
    assert taxonomy.area("alignment").topics[0].slug == "rlhf"


def test_imported_is_a_place_for_drafts_and_no_topic() -> None:
    taxonomy = default_taxonomy()
    assert taxonomy.topic(IMPORTED).name.zh == "导入"
    assert IMPORTED not in taxonomy
    assert IMPORTED not in [topic.slug for topic in taxonomy.search("imported")]


def test_an_unknown_topic_names_what_may_have_been_meant() -> None:
    with pytest.raises(UnknownTopicError, match=r"unknown topic 'kv-cahce'; did you mean kv-cache\?") as error:
        default_taxonomy().topic("kv-cahce")
    assert error.value.suggestions == ("kv-cache",)
    with pytest.raises(UnknownTopicError, match=r"see content/taxonomy.yaml for the topics"):
        default_taxonomy().topic("zzz")
    with pytest.raises(LookupError, match="unknown area 'x'; the areas are foundations"):
        default_taxonomy().area("x")


@pytest.mark.parametrize(
    ("text", "language", "first"),
    [
        ("kv-cache", "en", "kv-cache"),
        ("KV Cache", "en", "kv-cache"),
        ("kvc", "en", "kv-cache"),
        ("pagedattention", "en", "kv-cache"),
        ("键值", "zh", "kv-cache"),
        ("鍵值快取", "zh", None),
        ("鍵值緩存", "zh-TW", "kv-cache"),
        ("優化器", "zh", "optimizers"),
        ("ＬｏＲＡ", "en", "lora"),
        ("混淆精度", "zh", "mixed-precision"),
        ("pipline parallelism", "en", "pipeline-parallelism"),
        ("A/B", "en", "ab-testing"),
        ("reward", "en", "preference-optimization"),
        ("困惑", "en", "perplexity"),
    ],
)
def test_topics_are_found_by_name_alias_part_script_and_misspelling(
    text: str, language: str, first: str | None
) -> None:
    found = [topic.slug for topic in default_taxonomy().search(text, language)]
    assert (found[0] if found else None) == first


def test_a_search_for_nothing_gives_all_topics_up_to_the_limit() -> None:
    taxonomy = default_taxonomy()
    assert taxonomy.search("  ") == taxonomy.topics[:25]
    assert len(taxonomy.search("", limit=200)) == 123
    assert taxonomy.search("no such thing at all") == ()


def test_a_name_in_the_readers_language_goes_first() -> None:
    text = """
- {area: a, en: A, zh: 甲, topics: [{slug: x, en: One, zh: 量化}, {slug: y, en: 量化 two, zh: 乙, aliases: [z]}]}
"""
    taxonomy = read_taxonomy(text)
    assert [t.slug for t in taxonomy.search("量化", "zh")] == ["x", "y"]
    with pytest.raises(ValueError, match="slug twice"):
        read_taxonomy("- {area: a, en: A, zh: 甲, topics: [{slug: x, en: A, zh: a}, {slug: x, en: B, zh: b}]}")


# --- arithmetic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2*layers*kv_heads*128*2*4096", 2 * 32 * 8 * 128 * 2 * 4096),
        ("100*(8-1)/(32+8-1)", 700 / 39),
        ("ceil(7/2) + floor(7/2) - 7 % 4 + 7 // 4", 4 + 3 - 3 + 1),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("max(1, min(layers, 5))", 5),
        ("log2(1024) + log10(1000) + log(exp(2)) + sqrt(9) + abs(-1) + round(2.567, 2)", 10 + 3 + 2 + 3 + 1 + 2.57),
        ("2**1000", 2**1000),
    ],
)
def test_arithmetic_is_computed(expression: str, value: float) -> None:
    assert math.isclose(evaluate(expression, {"layers": 32, "kv_heads": 8}), value)


def test_whole_numbers_stay_exact() -> None:
    assert evaluate("(2**64 + 1) - 2**64", {}) == 1


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 +",
        "__import__('os').system('ls')",
        "().__class__",
        "[1][0]",
        "'a' * 3",
        "True",
        "x if x else y",
        "lambda: 1",
        "1 < 2",
        "print(1)",
        "min(*[1, 2])",
        "round(2.5, ndigits=1)",
        "unknown",
        "1/0",
        "9**9**9",
        "10.0**400",
        "1e308 * 10",
        "sqrt(-1)",
        "(-8)**0.5",
        "min()",
        "1j",
        "(" * 200 + "1" + ")" * 200,
        "1" + "+1" * 300,
        "-" * 60 + "1",
    ],
)
def test_what_is_not_arithmetic_is_refused_and_not_run(expression: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(expression, {"x": 1})


@pytest.mark.parametrize(
    ("text", "value", "unit", "step"),
    [
        ("512 MiB", 512, "MiB", 1),
        ("17.9%", 17.9, "%", 0.1),
        ("about 65,536", 65536, "", 1),
        ("1.5 × 10⁹", 1.5e9, "", 1e8),
        ("2e-3 s", 2e-3, "s", 1e-3),
        ("1.3 亿", 1.3e8, "", 1e7),
        ("7 billion", 7e9, "", 1e9),
        ("−3", -3, "", 1),
    ],
)
def test_a_written_quantity_is_read(text: str, value: float, unit: str, step: float) -> None:
    found = read_quantity(text)
    assert found is not None
    assert (found.unit, round(found.value / value, 9), round(found.step / step, 9)) == (unit, 1, 1)


@pytest.mark.parametrize(
    "text",
    ["", "all of them", "4, as most agree", "from 2 to 4, say", "12:30 and later, maybe", "1 x 10^999", "9" * 400],
)
def test_what_is_more_than_a_quantity_is_none(text: str) -> None:
    assert read_quantity(text) is None


def test_units_convert_between_their_prefixes_alone() -> None:
    assert convert(1, "GiB", "MiB") == 1024
    assert convert(1, "GB", "MB") == 1000
    assert convert(2**30, "B", "GiB") == 1
    assert convert(1500, "ms", "s") == 1.5
    assert convert(1, "GB/s", "B/s") == 1e9
    assert convert(1, "GiB", "s") is None
    assert convert(1, "%", "") is None


def test_options_are_numbers_in_order_or_not() -> None:
    assert magnitudes(["256 MiB", "512 MiB", "1 GiB"]) == [256, 512, 1024]
    assert magnitudes(["1 s", "1 B"]) is None
    assert magnitudes(["1", "two"]) is None
    assert is_monotonic([3, 2, 1])
    assert not is_monotonic([1, 1, 2])
