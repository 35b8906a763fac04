"""Facts about grading: exact credit, bounded work, and no answer that can make it fail."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from content.grading import Grade, RequestFault, grade, grade_requests, multiple_credit, ticked
from content.question import Kind, Mistake, NumericKey, Option, Question, Response, RubricPoint, Text
from content.text_rules import LONGEST, fold, plain

TYPED = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="0123456789.,eE+-×^*/ %()=~或至一二三百千万亿点分之kMGiBbps ", max_size=40),
    st.lists(
        st.sampled_from(
            [
                "512",
                "MiB",
                " ",
                "or",
                "或",
                "(",
                ")",
                "=",
                "10^9",
                "half",
                "百分之",
                "一",
                "亿",
                "each",
                "per",
                "/",
                "每秒",
                "½",
                "⁹",
                "-",
                "'",
                "≈",
            ]
        ),
        max_size=12,
    ).map("".join),
)


def _question(kind: Kind, **fields: object) -> Question:
    return Question(id="q", kind=kind, topic="t", difficulty=1, prompt=Text("p"), **fields)  # type: ignore[arg-type]


def _choice(kind: Kind, keys: str, right: str) -> Question:
    return _question(kind, options=tuple(Option(key, Text(key), correct=key in right) for key in keys))


NUMERIC = _question(
    Kind.NUMERIC,
    number=NumericKey(27.27, "%", tolerance=0.01),
    mistakes=(Mistake(42.86, Text("Relative to the ideal time.", "相对理想时间。")),),
)
BLANK = _question(
    Kind.BLANK,
    accept={"en": ("negative log-likelihood", "NLL"), "zh": ("负对数似然",)},
    shown=Text("negative log-likelihood (NLL)", "负对数似然（NLL）"),
)
CASE = _question(
    Kind.CASE,
    rubric=(
        RubricPoint(2, Text("peak"), {"en": ("peak", "headroom"), "zh": ("峰值",)}),
        RubricPoint(1, Text("budget"), {"en": ("budget",), "zh": ("预算",)}),
    ),
)


@given(data=st.data(), keys=st.integers(2, 10).map(lambda n: "abcdefghij"[:n]))
def test_multiple_credit_is_a_share_that_the_order_of_ticks_does_not_change(data: st.DataObject, keys: str) -> None:
    """Credit lies in 0..1, is 1 only for exactly the right set, and depends on the set of ticks alone."""
    right = data.draw(st.sets(st.sampled_from(keys), min_size=1))
    chosen = data.draw(st.lists(st.sampled_from(keys), max_size=12))
    question = _choice(Kind.MULTIPLE, keys, "".join(right))
    credit = grade(question, Response(tuple(chosen))).credit
    assert 0 <= credit <= 1
    assert (credit == 1) == (set(chosen) == right)
    shuffled = data.draw(st.permutations(chosen))
    assert grade(question, Response(tuple(shuffled) + tuple(chosen))).credit == credit


def test_multiple_credit_follows_the_published_rule_in_every_case_of_five_options() -> None:
    """+1/k for each right one, −1/(n−k) for each wrong one, floor 0; all or nothing where every option is right."""
    everything = [frozenset(c) for r in range(6) for c in itertools.combinations("abcde", r)]
    for right, chosen in itertools.product(everything[1:], everything):
        k, hits, misses = len(right), len(right & chosen), len(chosen - right)
        if k == 5:
            expected = Fraction(int(hits == 5))
        else:
            expected = max(Fraction(0), Fraction(hits, k) - Fraction(misses, 5 - k))
        assert multiple_credit(5, right, chosen) == expected


def test_ticking_everything_or_nothing_earns_nothing_unless_everything_is_right() -> None:
    """Neither blanket answers nor blanks pay."""
    question = _choice(Kind.MULTIPLE, "abcd", "ab")
    assert grade(question, Response(tuple("abcd"))).credit == 0
    assert grade(question, Response()) == Grade(Fraction(0), None)


@pytest.mark.parametrize("kind", [Kind.SINGLE, Kind.MULTIPLE])
def test_an_unknown_option_is_refused_with_the_options_there_are(kind: Kind) -> None:
    """A response that names an option of another question is a fault of the caller, not a wrong answer."""
    with pytest.raises(ValueError, match="'z' is not an option of question q; choose from a, b, c"):
        grade(_choice(kind, "abc", "a"), Response(("z",)))


def test_one_tap_kinds_take_one_option() -> None:
    """single and true_false: the right key earns 1; two keys are no answer."""
    single = _choice(Kind.SINGLE, "abcd", "b")
    truth = _question(Kind.TRUE_FALSE, answer=False)
    assert grade(single, Response(("b",))) == Grade(Fraction(1), "B")
    assert grade(single, Response(("b", "b"))).credit == 1
    assert grade(single, Response(("c",))) == Grade(Fraction(0), "C")
    both = grade(single, Response(("b", "c")))
    assert (both.credit, both.read_as, bool(both.note)) == (0, None, True)
    assert grade(truth, Response(("false",))) == Grade(Fraction(1), "false")
    assert grade(truth, Response(("true",))) == Grade(Fraction(0), "true")


def test_a_known_mistake_brings_its_reason() -> None:
    """A wrong number that a misconception leads to is answered with the reason; other wrong numbers are not."""
    assert grade(NUMERIC, Response(text="42.9%")).note.en == "Relative to the ideal time."
    assert grade(NUMERIC, Response(text="0.4286")).note == Text()
    assert grade(NUMERIC, Response(text="27.3")) == Grade(Fraction(1), "27.3%")


def test_a_wrong_unit_is_read_and_told() -> None:
    """A unit that measures something else earns nothing; the note names the unit asked for, in both languages."""
    graded = grade(NUMERIC, Response(text="27.3 ms"))
    assert (graded.credit, graded.read_as) == (0, "27.3 ms")
    assert "%" in graded.note.en
    assert "%" in graded.note.zh


@pytest.mark.parametrize("question", [NUMERIC, BLANK], ids=["numeric", "blank"])
def test_several_values_are_no_answer_and_the_note_says_so(question: Question) -> None:
    """The member learns to give one value."""
    text = "27.3 or 42.9" if question is NUMERIC else "NLL or MSE"
    graded = grade(question, Response(text=text))
    assert (graded.credit, graded.read_as) == (0, None)
    assert graded.note == Text("Give one value, without alternatives.", "请只给一个值，不要列出多个。")


def test_how_a_blank_is_shown_is_itself_right() -> None:
    """A member who types the answer as it is shown at the close is right."""
    for text in ("negative log-likelihood (NLL)", "负对数似然（NLL）"):
        assert grade(BLANK, Response(text=text)).credit == 1


def test_a_case_earns_the_points_its_mentions_tick() -> None:
    """Ticks in the rubric's order; credit is the share of points."""
    response = Response(text="按峰值估算容量")
    assert ticked(CASE, response) == (True, False)
    assert grade(CASE, response) == Grade(Fraction(2, 3), "2/3")
    assert grade(CASE, Response(text=" ")) == Grade(Fraction(0), None)


@settings(max_examples=400)
@given(text=TYPED)
def test_nothing_that_is_typed_makes_grading_fail(text: str) -> None:
    """Every text gets a credit in 0..1 from every typed kind, and something to show or a reason to show nothing."""
    for question in (NUMERIC, BLANK, CASE):
        graded = grade(question, Response(text=text))
        assert 0 <= graded.credit <= 1
        assert graded.credit == 0 or graded.read_as


@settings(max_examples=400)
@given(text=TYPED)
def test_an_accepted_text_is_right_as_it_stands(text: str) -> None:
    """Whatever an author accepts, the same text earns the credit, in every width, case and spacing."""
    if not fold(text):
        return
    question = _question(Kind.BLANK, accept={"en": (text,)})
    assert grade(question, Response(text=text)).credit == 1
    assert grade(question, Response(text=f"  {plain(text)} ")).credit == 1


@settings(max_examples=500)
@given(text=st.one_of(TYPED, st.text(st.characters(min_codepoint=0x3400, max_codepoint=0x9FFF), max_size=20)))
def test_plain_spelling_is_final(text: str) -> None:
    """Normalising a normalised text changes nothing."""
    assert plain(plain(text)) == plain(text)


@given(value=st.fractions(min_value=-(10**12), max_value=10**12, max_denominator=10**6))
def test_a_decimal_or_a_fraction_is_read_exactly(value: Fraction) -> None:
    """p/q is right for a key p/q where a float holds it, however it is written."""
    number = float(value)
    question = _question(Kind.NUMERIC, number=NumericKey(number))
    for text in (repr(number), f"{number:e}" if float(f"{number:e}") == number else repr(number)):
        assert grade(question, Response(text=text)).credit == 1
    assert grade(question, Response(text=f"{value.numerator}/{value.denominator}")).credit == 1


@given(number=st.integers(1, 10**9))
def test_thousands_separators_change_nothing(number: int) -> None:
    """1,024 and 1 024 and 1'024 are 1024."""
    question = _question(Kind.NUMERIC, number=NumericKey(float(number)))
    for separator in (",", "，", " ", "\u202f", "'", "’", "_"):
        assert grade(question, Response(text=f"{number:,}".replace(",", separator))).credit == 1


HOSTILE = [
    "9" * 10_000,
    "1," * 1_990,
    "9" * 300,
    "0." + "1" * 250,
    "1e" + "9" * 250,
    "2^" * 140,
    "9^" + "9" * 200,
    "1*" * 145 + "1",
    "(" * 3_990,
    "-" * 3_990 + "x",
    ".,;" * 1_300 + "x",
    "\ufdfa" * 3_990,
    "a" + "\u0301" * 3_990,
    "\u200b" * 3_990,
    "=" * 290,
    "1=" * 145,
    "一" * 290,
    "万" * 290,
    "亿万" * 145,
    "一又" * 140,
    "分之" * 140,
    "half and " * 30,
    "1 h " * 70,
    "/s" * 140,
    "\ud800512",
    "\x00512\x00",
    "𝟝𝟙𝟚" * 90,
    "[" * 1_000 + "]" * 1_000,
    "'" * 3_990,
    "^{" * 1_900,
    "a^(" * 1_300,
    "\\" * 3_990,
    "the " * 990,
    "x" * 1_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_are_graded_without_growing_work(text: str) -> None:
    """Huge literals, powers and nestings are refused or read, never computed at their size; nothing is right."""
    blank = _question(Kind.BLANK, accept={"en": ("512 MiB", "n-1", "2", "LoRA")})
    assert grade(blank, Response(text=text)).credit == 0
    assert grade(NUMERIC, Response(text=text)).credit == 0
    assert grade(CASE, Response(text=text)).credit == 0


def test_a_text_over_the_limit_is_no_answer() -> None:
    """The limit is told; a right answer behind padding does not count."""
    graded = grade(BLANK, Response(text="NLL" + " " * LONGEST))
    assert (graded.credit, graded.read_as) == (0, None)
    assert "4,000" in graded.note.en


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        ({}, "must be a JSON list"),
        ([5], "Request 1: must be an object"),
        ([{"kind": "essay", "response": ""}], "Request 1: .*'essay'.*single, multiple"),
        ([{"kind": ["blank"], "response": ""}], "Request 1: .*use one of"),
        ([{"kind": "blank", "accept": ["a"], "response": "a"}, {"kind": "blank"}], 'Request 2: has no "response"'),
        ([{"kind": "blank", "accept": [], "response": "a"}], '"accept" is empty'),
        ([{"kind": "blank", "accept": [2], "response": "a"}], '"accept" must be a list of texts'),
        ([{"kind": "blank", "response": "a"}], '"accept" must be a list of texts'),
        ([{"kind": "numeric", "value": "many", "response": "1"}], '"value" must be a number'),
        ([{"kind": "numeric", "value": True, "response": "1"}], '"value" must be a number'),
        ([{"kind": "numeric", "value": float("nan"), "response": "1"}], '"value" must be a number'),
        ([{"kind": "numeric", "value": 10**400, "response": "1"}], '"value" must be a number'),
        ([{"kind": "numeric", "value": "1e350", "response": "1"}], '"value" must be a number'),
        ([{"kind": "numeric", "value": 1, "unit": 3, "response": "1"}], '"unit" must be a text'),
        ([{"kind": "numeric", "value": 1, "tolerance": -0.1, "response": "1"}], '"tolerance" must be'),
        ([{"kind": "numeric", "value": 1, "abs_tolerance": "x", "response": "1"}], '"abs_tolerance" must be'),
        ([{"kind": "multiple", "options": 1, "answer": ["A"], "response": []}], '"options" must be'),
        ([{"kind": "multiple", "options": 4, "answer": ["E"], "response": []}], "letters of the 4 options, A to D"),
        ([{"kind": "multiple", "options": 4, "answer": [], "response": []}], '"answer" must name letters'),
        ([{"kind": "single", "options": 4, "answer": "AB", "response": "A"}], "must be one letter"),
        ([{"kind": "true_false", "answer": "maybe", "response": True}], '"answer" must be true or false'),
        ([{"kind": "case", "rubric": [], "response": ""}], '"rubric" must be a list'),
        ([{"kind": "case", "rubric": [{"points": 0, "mentions": ["a"]}], "response": ""}], '"points"'),
        ([{"kind": "case", "rubric": [{"points": 1}], "response": ""}], '"mentions" must be a list'),
    ],
)
def test_a_request_that_cannot_be_understood_names_its_place_and_cure(requests: list[dict], message: str) -> None:
    """One sentence, with the number of the request; nothing is graded."""
    with pytest.raises(RequestFault, match=message) as fault:
        grade_requests(requests)
    assert "\n" not in str(fault.value)
    assert str(fault.value).endswith(".")


def test_requests_are_answered_in_their_order_with_credit_and_reading() -> None:
    """The formats of the command, one of each kind; values may be texts, responses may be numbers."""
    graded = grade_requests(
        [
            {"kind": "blank", "accept": ["LoRA"], "response": "ｌｏｒａ"},
            {"kind": "numeric", "value": 512, "unit": "MiB", "tolerance": 0.01, "response": "0.5 GiB"},
            {"kind": "numeric", "value": "1.5e9", "response": 1500000000},
            {"kind": "multiple", "options": 5, "answer": ["A", "C"], "response": ["C", "B"]},
            {"kind": "single", "options": 4, "answer": "B", "response": "b"},
            {"kind": "true_false", "answer": True, "response": "×"},
            {"kind": "case", "rubric": [{"points": 2, "mentions": ["batch"]}], "response": "batch"},
            {"kind": "numeric", "value": 3, "response": "3 or 4"},
        ]
    )
    assert graded == [
        {"credit": 1.0, "read_as": "LoRA"},
        {"credit": 1.0, "read_as": "0.5 GiB"},
        {"credit": 1.0, "read_as": "1.5e9"},
        {"credit": pytest.approx(1 / 6), "read_as": "B, C"},
        {"credit": 1.0, "read_as": "B"},
        {"credit": 0.0, "read_as": "false"},
        {"credit": 1.0, "read_as": "2/2"},
        {"credit": 0.0, "read_as": None},
    ]
    assert grade_requests([]) == []
