"""Which question comes next, and in which order its options stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.selection import Asked, Candidate, Choice, choose, order_options, topics_for
from content.question import Kind, Option, Question, Text

START = date(2026, 12, 7)
BANKS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 6), min_size=1)


def bank(**counts: int) -> list[Candidate]:
    return [Candidate(f"{topic}{n}", topic) for topic, count in counts.items() for n in range(count)]


def run(candidates: Sequence[Candidate], topics: Sequence[str], days: int, seed: int = 1) -> list[tuple[Asked, bool]]:
    """A channel's next ``days`` rounds, a day apart."""
    asked: list[Asked] = []
    flags = []
    topic_of = {c.question_id: c.topic for c in candidates}
    for n in range(days):
        choice = choose(candidates, asked, topics, Random(seed * 1000 + n))
        assert choice is not None
        asked.append(Asked(choice.question_id, topic_of[choice.question_id], START + timedelta(days=n)))
        flags.append(choice.used_up)
    return list(zip(asked, flags, strict=True))


@given(BANKS, st.integers(0, 50))
def test_no_question_returns_before_all_were_asked(counts: dict[str, int], seed: int) -> None:
    """Then the least recently asked return, in the order of their first time, round after round."""
    candidates = bank(**counts)
    total = len(candidates)
    history = run(candidates, (), 3 * total, seed)
    ids = [asked.question_id for asked, _ in history]
    assert len(set(ids[:total])) == total
    assert ids[total : 2 * total] == ids[2 * total :] == ids[:total]
    assert [flag for _, flag in history] == [False] * total + [True] * 2 * total


@given(st.integers(1, 6), st.permutations("abcd"), st.integers(0, 50))
def test_the_rotation_gives_each_topic_its_turn(each: int, topics: list[str], seed: int) -> None:
    """Topics of equal size take turns in the order given until nothing is left."""
    history = run(bank(**dict.fromkeys("abcd", each)), topics, 4 * each, seed)
    assert [asked.topic for asked, _ in history] == topics * each


def test_a_topic_without_unasked_questions_is_passed_over() -> None:
    """The others go on taking turns."""
    history = run(bank(a=1, b=3, c=2), "abc", 6)
    assert [asked.topic for asked, _ in history] == ["a", "b", "c", "b", "c", "b"]


def test_a_topic_named_twice_comes_twice_as_often() -> None:
    """A rotation is a list of turns."""
    history = run(bank(a=8, b=8), "aab", 9)
    assert [asked.topic for asked, _ in history] == list("aabaabaab")


def test_topics_outside_the_set_are_never_asked_and_do_not_move_the_rotation() -> None:
    """Two weekdays with sets of their own each go on where they stood."""
    candidates = bank(a=4, b=4, c=4, d=4)
    asked: list[Asked] = []
    for n in range(8):
        choice = choose(candidates, asked, "ab" if n % 2 == 0 else "cd", Random(n))
        assert choice is not None
        asked.append(Asked(choice.question_id, choice.question_id[0], START + timedelta(days=n)))
    assert [a.topic for a in asked] == list("acbdacbd")


def test_the_order_of_the_history_is_that_of_its_dates() -> None:
    """Rows may come from the database in any order."""
    candidates = bank(a=3, b=3)
    asked = [Asked("a0", "a", START + timedelta(days=1)), Asked("b0", "b", START)]
    choice = choose(candidates, asked, "ab", Random(1))
    assert choice is not None
    assert choice.question_id.startswith("b")


def test_a_new_question_comes_before_any_returns() -> None:
    """A bank that grows after it was used up is fresh again."""
    asked = [Asked("a0", "a", START), Asked("a1", "a", START + timedelta(days=1))]
    assert choose(bank(a=2), asked, "a", Random(1)) == Choice("a0", used_up=True)
    assert choose(bank(a=3), asked, "a", Random(1)) == Choice("a2", used_up=False)


def test_nothing_to_ask_gives_nothing() -> None:
    """No candidate at all, or none in the topics."""
    assert choose([], [], (), Random(1)) is None
    assert choose(bank(a=2), [], ("b",), Random(1)) is None


def test_the_draw_depends_on_the_seed_alone() -> None:
    """Not on the order of the candidates; and other seeds draw others."""
    candidates = bank(a=6)
    shuffled = list(reversed(candidates))
    assert all(choose(candidates, [], (), Random(n)) == choose(shuffled, [], (), Random(n)) for n in range(20))
    assert len({choose(candidates, [], (), Random(n)) for n in range(60)}) == 6


def test_a_weekday_may_have_topics_of_its_own() -> None:
    """Others follow the rotation."""
    sets = {1: ("kv-cache", "attention"), 2: ()}
    assert topics_for(date(2026, 12, 7), ("lora",), sets) == ("kv-cache", "attention")
    assert topics_for(date(2026, 12, 8), ("lora",), sets) == ("lora",)
    assert topics_for(date(2026, 12, 9), ("lora",), sets) == ("lora",)


# --- options -------------------------------------------------------------------------------------------------------


def question(*texts: str, kind: Kind = Kind.SINGLE, keep_order: bool = False, language: str = "en") -> Question:
    options = tuple(
        Option(key, Text(**{language: text}), key == "a") for key, text in zip("abcdefghij", texts, strict=False)
    )
    return Question("q", kind, "t", 1, Text(en="?"), options=options, keep_order=keep_order)


WORDS = ("Paging", "Batching", "Sharding", "Caching")


@pytest.mark.parametrize("kind", [Kind.SINGLE, Kind.MULTIPLE])
def test_options_are_shuffled_evenly_and_the_same_for_a_seed(kind: Kind) -> None:
    """Each option stands in each place about as often as the others."""
    asked = question(*WORDS, kind=kind)
    orders = [order_options(asked, Random(seed)) for seed in range(2400)]
    assert all(sorted(order) == list("abcd") for order in orders)
    assert len(set(orders)) == 24
    assert all(400 < count < 800 for place in range(4) for count in Counter(order[place] for order in orders).values())
    assert orders[:50] == [order_options(asked, Random(seed)) for seed in range(50)]


def keeps(asked: Question) -> bool:
    return len({order_options(asked, Random(seed)) for seed in range(12)}) == 1


def test_what_the_author_says_and_true_false_keep_their_place() -> None:
    """True stands before false."""
    assert keeps(question(*WORDS, keep_order=True))
    asked = Question("q", Kind.TRUE_FALSE, "t", 1, Text(en="?"), answer=False)
    assert {order_options(asked, Random(seed)) for seed in range(12)} == {("true", "false")}


@pytest.mark.parametrize("kind", [Kind.BLANK, Kind.NUMERIC, Kind.CASE])
def test_kinds_without_options_have_no_order(kind: Kind) -> None:
    """There is nothing to show."""
    assert order_options(Question("q", kind, "t", 1, Text(en="?")), Random(1)) == ()


@pytest.mark.parametrize(
    "texts",
    [
        ("1", "2", "4", "8"),
        ("8", "4", "2", "1"),
        ("256 MiB", "512 MiB", "1 GiB", "2 GiB"),
        ("1000 KiB", "1 MiB", "1024.5 KiB"),
        ("12 GB per GPU", "24 GB per GPU", "48 GB per GPU"),
        ("16 GB/s", "600 GB/s", "3.35 TB/s"),
        ("about 5 ms", "50 ms", "2 s", "1 min"),
        ("350M", "1.3B", "7B", "70B"),
        ("1 layer", "2 layers", "4 layers"),
        ("1e-5", "1e-4", "1e-3"),
        ("10⁻³", "10⁻²", "10⁻¹"),
        ("2^10", "2^12", "2^14"),
        ("3×10^8", "3×10^9"),
        ("1/8", "1/4", "1/2"),
        ("50%", "75%", "100%"),
        ("1,024 tokens", "4,096 tokens"),
        ("−1", "0", "1"),
        ("1–2", "3–4", "5–6"),
        ("`8`", "`16`"),
        ("128 个", "256 个"),
        ("约 1.5 倍", "约 3 倍", "约 6 倍"),
        ("5000", "1万", "3亿"),
        ("１６", "３２"),
    ],
)
def test_ordered_numbers_keep_their_place(texts: tuple[str, ...]) -> None:
    """Rising or falling, with units of any size, in either language."""
    assert keeps(question(*texts))
    assert keeps(question(*texts, language="zh"))


@pytest.mark.parametrize(
    "texts",
    [
        ("4", "2", "8", "1"),
        ("2 GiB", "512 MiB", "1 GiB"),
        ("1 GiB", "2 tokens", "3 s"),
        ("7B models fit", "13B models do not", "70B needs two"),
        ("2 heads", "several heads", "8 heads"),
        ("1", "1", "2"),
        ("2", "1", "1"),
        ("3 of 4", "2 of 4", "1 of 4 but faster"),
        ("FP16", "BF16", "FP8", "INT4"),
    ],
)
def test_other_numbers_are_shuffled(texts: tuple[str, ...]) -> None:
    """Numbers that are not in order, not alike, or only part of what an option says."""
    assert not keeps(question(*texts))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Both A and B",
            "A and C",
            "A and C only",
            "(A) and (C)",
            "A, B and C",
            "Neither A nor B",
            "only A",
            "C only",
        ),
        *("All of the above", "None of the above.", "none of these", "Both of the above", "Neither", "Option B"),
        *(
            "the other two options are wrong in the other options",
            "Any of the above",
            "Same as A",
            "A and B are correct",
        ),
        *(
            "以上都是",
            "以上都不对",
            "以上选项均正确",
            "上述说法都正确",
            "A和B",
            "A、C",
            "A、B、C都对",
            "AB都对",
            "选项A",
            "B项",
        ),
        *("都不对", "前两项", "其他选项都错", "全部", "两者都是"),
    ],
)
def test_options_that_speak_of_other_options_keep_every_place(text: str) -> None:
    """Shuffled, "both A and B" would mean other ones."""
    assert keeps(question("Paging", "Batching", "Sharding", text))
    assert keeps(question("分页", "批处理", "分片", text, language="zh"))


@pytest.mark.parametrize(
    "text",
    [
        *("LoRA trains A and B and freezes W", "A KV cache", "A100 and B200", "A larger batch and a smaller cache"),
        *("A/B testing", "It needs all of its experts", "The others' gradients", "Neither faster nor smaller"),
        *("80%以上", "延迟降低到 10 ms 以下", "GPU 和 CPU 都可以", "显存占用更低", "前者更快", "全部请求"),
    ],
)
def test_options_about_something_else_are_shuffled(text: str) -> None:
    """Letters and "above" also stand for matrices, cards and amounts."""
    assert not keeps(question("Paging", "Batching", "Sharding", text))


@given(st.lists(st.text(max_size=90), min_size=2, max_size=6), st.integers())
def test_any_texts_can_be_ordered(texts: list[str], seed: int) -> None:
    """Imported options may hold anything."""
    order = order_options(question(*texts), Random(seed))
    assert sorted(order) == list("abcdef")[: len(texts)]
