"""Rules for a bank as a whole: patterns that let a reader guess, and questions that repeat or contradict each other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher

from content import lint_text
from content.library import Entry
from content.lint_items import CHOICES, absolutes
from content.lint_text import length, normal
from content.question import LANGUAGES, Kind, Question, Status
from content.taxonomy import Taxonomy

SIMILAR = 0.80  # SequenceMatcher's ratio from which two prompts are near-duplicates
ENOUGH = 20  # questions below which a share says nothing
_GRAM = 3
_TWINS = 3  # of questions with one and the same prompt, the later ones are compared with the first few alone
_JACCARD = 0.35  # shared 3-grams below which two prompts cannot reach SIMILAR, as tried on exam papers


@dataclass(frozen=True, slots=True)
class BankFlaw:
    """A flaw of the whole bank, or of one question beside others (``entry``)."""

    code: str
    severity: str
    fault: str
    cure: str
    entry: Entry | None = None


def bank_flaws(entries: Sequence[Entry], taxonomy: Taxonomy, today: date | None = None) -> Iterator[BankFlaw]:
    """Every flaw by the rules B01 to B11; shares are taken over questions that are no drafts, where there are any."""
    asked = [e for e in entries if e.question.status is not Status.DRAFT] or list(entries)
    yield from _key_positions(asked)
    yield from _key_counts(asked)
    yield from _truths(asked, taxonomy)
    yield from _longest_keys(asked)
    yield from _absolutes(asked)
    yield from _coverage(asked, taxonomy)
    yield from _sources(asked)
    yield from _reading(asked)
    yield from _repeats(entries)
    if today is not None:
        yield from _freshness(asked, today)


def _of(entries: Iterable[Entry], kind: Kind) -> list[Question]:
    return [entry.question for entry in entries if entry.question.kind is kind]


def _positions(counts: Sequence[int]) -> str:
    return ", ".join(f"{'abcdefghij'[i]} {count}" for i, count in enumerate(counts))


def _key_positions(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B01. Options are shuffled when they are asked; exports and ordered options are not."""
    by_size: defaultdict[int, list[int]] = defaultdict(list)
    for question in _of(entries, Kind.SINGLE):
        right = [index for index, option in enumerate(question.options) if option.correct]
        if len(right) == 1 and not question.keep_order:
            by_size[len(question.options)].append(right[0])
    for size, positions in sorted(by_size.items()):
        counts = [positions.count(index) for index in range(size)]
        total, share = len(positions), 1 / size
        p = chi_square_p(counts)
        said = f"right options of {size} stand at {_positions(counts)} (p = {p:.3f})"
        skewed = total >= 5 * ENOUGH and any(abs(count / total - share) > 0.05 for count in counts)
        if total >= ENOUGH and (p < 0.05 or skewed):
            yield BankFlaw("B01", "W", said, "move right options to the rare places")
        else:
            yield BankFlaw("B01", "I", said, "nothing to do")


def chi_square_p(counts: Sequence[int]) -> float:
    """Chance that equally likely places give counts at least this uneven (Pearson's chi-square, upper tail)."""
    total, freedom = sum(counts), len(counts) - 1
    if not total or not freedom:
        return 1.0
    expected = total / len(counts)
    x = sum((count - expected) ** 2 / expected for count in counts) / 2
    # The regularised upper incomplete gamma function for half-integers, by its recurrence.
    a = 0.5 if freedom % 2 else 1.0
    tail = math.erfc(math.sqrt(x)) if freedom % 2 else math.exp(-x)
    while a < freedom / 2:
        tail += x**a * math.exp(-x) / math.gamma(a + 1)
        a += 1
    return tail


def _key_counts(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B02"""
    questions = [q for q in _of(entries, Kind.MULTIPLE) if q.right_keys]
    if len(questions) < ENOUGH / 2:
        return
    sizes = Counter(len(q.right_keys) for q in questions)
    size, most = sizes.most_common(1)[0]
    if most > 0.5 * len(questions):
        fault = f"{most} of {len(questions)} multiple questions have {size} right options"
        yield BankFlaw("B02", "W", fault, "vary how many are right")
    nearly = sum(len(q.right_keys) == len(q.options) - 1 for q in questions)
    if nearly > 0.3 * len(questions):
        fault = f"{nearly} of {len(questions)} multiple questions have all but one option right"
        yield BankFlaw("B02", "W", fault, "vary how many are right")


def _truths(entries: Sequence[Entry], taxonomy: Taxonomy) -> Iterator[BankFlaw]:
    """B03, by area where an area has enough, and over the bank."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for question in _of(entries, Kind.TRUE_FALSE):
        if question.answer is not None:
            groups["the bank"].append(question.answer)
            if question.topic in taxonomy:
                groups[taxonomy.topic(question.topic).area].append(question.answer)
    for name, answers in groups.items():
        true = sum(answers)
        if len(answers) >= ENOUGH / 2 and not 0.4 <= true / len(answers) <= 0.6:
            fault = f"{true} of {len(answers)} true/false statements of {name} are true"
            yield BankFlaw("B03", "W", fault, "aim at half")


def _longest_keys(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B05"""
    questions = [q for q in _of(entries, Kind.SINGLE) if len(q.right_keys) == 1]
    if len(questions) < ENOUGH:
        return
    for language in LANGUAGES:
        longest = chance = 0.0
        for question in questions:
            lengths = {o.key: length(getattr(o.text, language), language) for o in question.options}
            (right,) = question.right_keys
            longest += all(lengths[right] > size for key, size in lengths.items() if key != right)
            chance += 1 / len(question.options)
        if longest > chance + 0.1 * len(questions):
            fault = f"the right option is the longest in {longest:.0f} of {len(questions)} single choices ({language})"
            yield BankFlaw("B05", "W", fault, f"aim at {chance:.0f}: lengthen wrong options")


def _absolutes(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B06"""
    for language in LANGUAGES:
        seen = {True: [0, 0], False: [0, 0]}  # right or wrong -> [with an absolute word, all]
        for entry in entries:
            for option in entry.question.options if entry.question.kind in CHOICES else ():
                count = seen[option.correct]
                count[0] += bool(absolutes(getattr(option.text, language), language))
                count[1] += 1
        if min(seen[True][1], seen[False][1]) < ENOUGH:
            continue
        right, wrong = (seen[truth][0] / seen[truth][1] for truth in (True, False))
        if wrong > 3 * right + 0.02:
            fault = f"absolute words stand in {wrong:.0%} of wrong and {right:.0%} of right options ({language})"
            yield BankFlaw("B06", "W", fault, "take them out of wrong options")


def _coverage(entries: Sequence[Entry], taxonomy: Taxonomy) -> Iterator[BankFlaw]:
    """B07"""
    topics = {entry.question.topic for entry in entries} & {topic.slug for topic in taxonomy.topics}
    said = f"{len(entries)} questions on {len(topics)} of {len(taxonomy.topics)} topics"
    yield BankFlaw("B07", "I", said, "write on the topics that have none")
    for area in taxonomy.areas:
        slugs = {topic.slug for topic in area.topics}
        levels = {entry.question.difficulty for entry in entries if entry.question.topic in slugs}
        missing = sorted(set(range(1, 6)) - levels)
        if levels and missing:
            said = f"{area.slug} has no question of difficulty {', '.join(map(str, missing))}"
            yield BankFlaw("B07", "I", said, "write some")


def _sources(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B09"""
    cited = Counter(source.link for entry in entries for source in entry.question.sources if source.link)
    for link, count in cited.most_common(3):
        if count > 0.05 * cited.total() and cited.total() >= 5 * ENOUGH:
            yield BankFlaw("B09", "I", f"{link} is cited {count} times of {cited.total()}", "use other sources too")


def _reading(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B10"""
    for language, limit in (("zh", 80), ("en", 220)):
        prompts = [getattr(entry.question.prompt, language) for entry in entries]
        lengths = [length(prompt, language) for prompt in prompts if prompt]
        if lengths and (mean := sum(lengths) / len(lengths)) > limit:
            yield BankFlaw("B10", "I", f"prompts have {mean:.0f} characters on average ({language})", "shorten them")


def _freshness(entries: Sequence[Entry], today: date) -> Iterator[BankFlaw]:
    """B11"""
    for entry in entries:
        if entry.as_of:
            year, month = map(int, entry.as_of.split("-"))
            if (today.year - year) * 12 + today.month - month > 18:
                yield BankFlaw("B11", "W", f"the claim is of {entry.as_of}", "look again and renew 'as_of'", entry)


# --- B04: repeats and contradictions ---------------------------------------------------------------------------------


def _repeats(entries: Sequence[Entry]) -> Iterator[BankFlaw]:
    """B04"""
    for entry, other, ratio in similar_pairs(entries):
        if other.question.id in (entry.variant_of, "") or entry.question.id == other.variant_of:
            continue
        name = f"'{other.question.id}'" + (f" ({other.path}:{other.line})" if other.path else "")
        if contradict(entry.question, other.question):
            fault = f"the prompt is that of {name}, the key is not"
            yield BankFlaw("B04", "E", fault, "settle which is right", entry)
        else:
            fault = f"the prompt is much like that of {name} ({ratio:.0%})"
            yield BankFlaw("B04", "W", fault, "drop one, or declare 'variant_of'", entry)


def similar_pairs(entries: Sequence[Entry]) -> Iterator[tuple[Entry, Entry, float]]:
    """(later, earlier, ratio) of entries whose prompts are near-duplicates in a language both have."""
    seen: set[tuple[int, int]] = set()
    for language in LANGUAGES:
        stems = [_stem(entry.question, language) for entry in entries]
        for a, b in _candidates(stems):
            if (a, b) in seen:
                continue
            matcher = SequenceMatcher(None, stems[a], stems[b], autojunk=False)
            if matcher.quick_ratio() >= SIMILAR and (ratio := matcher.ratio()) >= SIMILAR:
                seen.add((a, b))
                yield entries[b], entries[a], ratio


def _stem(question: Question, language: str) -> str:
    text = getattr(question.prompt, language)
    return normal(text).replace("_", "").replace("(多选)", "").replace("(单选)", "")


def _candidates(stems: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs (earlier, later) that share enough 3-grams: two such sets must meet among their rarest grams."""
    grams = [{stem[i : i + _GRAM] for i in range(len(stem) - _GRAM + 1)} for stem in stems]
    frequency = Counter(gram for found in grams for gram in found)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    twins: Counter[str] = Counter()
    for index, found in enumerate(grams):
        twins[stems[index]] += 1
        kept = len(found) - math.ceil(_JACCARD * len(found)) + 1
        near: set[int] = set()
        for gram in sorted(found, key=lambda g: (frequency[g], g))[:kept]:
            near.update(holders[gram])
            if twins[stems[index]] <= _TWINS:
                holders[gram].append(index)
        for other in sorted(near):
            if len(found & grams[other]) >= _JACCARD * len(found | grams[other]):
                yield other, index


def contradict(a: Question, b: Question) -> bool:
    """Do two questions with the same prompt have keys that cannot both be right?

    Other numbers in the prompts, or opposite statements, explain different keys.
    """
    if Kind.TRUE_FALSE in (a.kind, b.kind) or Kind.CASE in (a.kind, b.kind):
        return False
    if _numbers(a) != _numbers(b):
        return False
    if a.kind is Kind.NUMERIC and b.kind is Kind.NUMERIC:
        return a.number != b.number
    keys_a, keys_b = _keys(a), _keys(b)
    if not keys_a or not keys_b:
        return False
    if Kind.BLANK in (a.kind, b.kind):  # one of several accepted spellings is enough
        single = max(len(a.right_keys), len(b.right_keys)) <= 1
        return not (single and keys_a & keys_b)
    return keys_a != keys_b


def _numbers(question: Question) -> frozenset[float]:
    text = question.prompt.get("en")
    return frozenset(value for readings in lint_text.written_numbers(text) for value in readings)


def _keys(question: Question) -> frozenset[str]:
    texts = [option.text.get("zh") for option in question.options if option.correct]
    texts += [text for accepted in question.accept.values() for text in accepted]
    return frozenset(normal(text) for text in texts)
