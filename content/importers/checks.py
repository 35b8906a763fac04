"""What is doubtful about a document as a whole: counts, numbering, duplicates, contradictions, truncation."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

from content.importers import layout
from content.importers.document import Line
from content.importers.items import Section
from content.importers.report import Imported, Problem

_ALIKE = 0.80  # ratio of equal characters from which two stems ask the same
_ALIKE_KIN = 0.90  # the same where both are of one kind and have no options to tell them apart
_COMPARISONS = 30_000  # exact comparisons per document at most; the likeliest pairs come first
_CHOICE = ("single", "multiple")


def check(questions: Sequence[Imported], sections: Sequence[Section], lines: Sequence[Line]) -> list[Problem]:
    """All that a reader of the whole document would notice."""
    problems = [*_counts(sections), *_numbers(sections), *_single_questions(questions)]
    problems += [*_duplicates(questions), *_truncated(questions, lines), *_odd_text(lines)]
    return problems


def _counts(sections: Sequence[Section]) -> Iterator[Problem]:
    for section in sections:
        found = sum(not item.has_parts or bool(item.keys) for item in section.items)
        if section.declared is not None and section.declared != found:
            yield Problem(
                section.line,
                "W-COUNT",
                f"The heading “{section.title[:40]}” declares {section.declared} questions, {found} were found.",
                "Look for questions that are missing or that could not be told apart, or correct the heading.",
            )


def _numbers(sections: Sequence[Section]) -> Iterator[Problem]:
    for section in sections:
        seen: set[int] = set()
        last: int | None = None
        for item in section.items:
            number = item.number
            if number is None or item.scenario is not None:
                continue
            if number in seen:
                fault = f"The number {number} stands twice in this section."
                yield Problem(item.line, "W-NUMBER", fault, "Number the questions in order, so that answers find them.")
            elif last is not None and number != last + 1:
                missing = f"{last + 1}" if number == last + 2 else f"{last + 1} to {number - 1}"
                fault = f"Question {number} follows question {last}"
                fault += f": {missing} cannot be found." if number > last else ": the numbers are out of order."
                yield Problem(item.line, "W-NUMBER", fault, "Look for the missing question, or number them in order.")
            seen.add(number)
            last = number


_WHICH = re.compile(
    r"以下哪|下列哪|以下(?:选项|说法|属于)|下列(?:选项|说法|属于|各项)|which (?:one )?of the following|which of these",
    re.I,
)


def _single_questions(questions: Sequence[Imported]) -> Iterator[Problem]:
    for q in questions:
        name = f"Question {q.number}" if q.number is not None else "The question"
        if q.kind == "blank" and _WHICH.search(layout.shape(q.prompt)):
            yield Problem(
                q.line,
                "W-BLANKQ",
                f"{name} is a fill-in that asks “which of the following”, but has no options.",
                "Give it options under single choice, or ask for a term that only one answer fits.",
            )
        if q.kind == "multiple" and isinstance(q.answer, list) and len(q.options) > 1:
            if len(q.answer) == len(q.options):
                yield Problem(
                    q.line,
                    "W-ALLKEY",
                    f"{name} keys every option, so ticking all is always right.",
                    "Add at least one wrong option.",
                )
            elif len(q.answer) == 1:
                yield Problem(
                    q.line,
                    "W-ONEKEY",
                    f"{name} is multiple choice but only {q.answer[0]} is right.",
                    "Check the answer, or move the question to single choice.",
                )


# --- duplicates -----------------------------------------------------------------------------------------------------


def _plain(text: str) -> str:
    folded = layout.BLANK.sub("", layout.shape(unicodedata.normalize("NFKC", text))).lower()
    return re.sub(r"[\s_，。,.、;；:：\"']", "", folded)


def _grams(text: str) -> Counter[str]:
    return Counter(text[i : i + 2] for i in range(len(text) - 1)) or Counter([text])


def _candidates(plains: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs that share most of their letter pairs, likeliest first; found through an index, not pair by pair."""
    grams = [_grams(p) for p in plains]
    index: defaultdict[str, list[int]] = defaultdict(list)
    shared: Counter[tuple[int, int]] = Counter()
    for position, gram in enumerate(grams):
        for pair in gram:
            # A pair of letters that is everywhere tells nothing; leaving it out bounds the work.
            if len(index[pair]) <= 60:
                for other in index[pair]:
                    shared[other, position] += 1
                index[pair].append(position)
    by_text: defaultdict[str, list[int]] = defaultdict(list)
    for position, plain in enumerate(plains):
        by_text[plain].append(position)
    exact = [(a, b) for group in by_text.values() for a, b in pairwise(group)]
    likely = [
        (count / min(len(grams[a]), len(grams[b])), (a, b))
        for (a, b), count in shared.items()
        if count >= 0.4 * min(len(grams[a]), len(grams[b]))
    ]
    ordered = [pair for _, pair in sorted(likely, key=lambda x: (-x[0], x[1]))]
    return list(dict.fromkeys([*exact, *ordered]))[:_COMPARISONS]


def _ratio(a: str, b: str) -> float:
    if a == b:
        return 1.0
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    return matcher.ratio()


def _options_shared(a: Imported, b: Imported) -> float:
    one, two = {_plain(t) for _, t in a.options}, {_plain(t) for _, t in b.options}
    return len(one & two) / max(1, min(len(one), len(two)))


def _alike(a: Imported, b: Imported, plain_a: str, plain_b: str) -> bool:
    ratio = _ratio(plain_a, plain_b)
    short = min(len(plain_a), len(plain_b))
    if ratio < _ALIKE:
        return False
    if a.options and b.options and (a.kind == b.kind or short < 12):
        # “Which is right?” may be asked many times, of other options.
        return _options_shared(a, b) >= 0.5 and (short >= 10 or ratio >= 0.85)
    if short < 10:
        return ratio >= _ALIKE_KIN
    if a.kind == b.kind:
        return ratio >= _ALIKE_KIN
    return True


_FILLERS = re.compile(
    r"以下|下列|下面|请问|在|中|的|是|了|有|哪一?[个种项些]|什么|包括|属于|正确|[?!()\[\]]|\b(?:the|a|an|of|is|are"
    r"|which|what)\b"
)
_TURNS = re.compile(r"不|非|无|没|错|误|除|\bnot?\b|except|incorrect|false|least|never|n't", re.I)


def _asks_the_same(plain_a: str, plain_b: str) -> bool:
    """Of one kind: nothing but filling words was added or left out, and no negation."""
    a, b = _FILLERS.sub("", plain_a), _FILLERS.sub("", plain_b)
    if a == b:
        return True
    changes = [op for op in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if op[0] != "equal"]
    size = sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in changes)
    return all(op[0] != "replace" for op in changes) and size <= 0.2 * max(len(a), len(b))


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text))


def _conflict(a: Imported, b: Imported, plain_a: str, plain_b: str) -> bool:
    """The two ask the same but their keys cannot both be right."""
    if a.answer is None or b.answer is None or _words(plain_a) != _words(plain_b):
        return False
    if len(_TURNS.findall(plain_a)) != len(_TURNS.findall(plain_b)):
        return False
    if a.kind == b.kind and not _asks_the_same(plain_a, plain_b):
        return False
    if isinstance(a.answer, bool) or isinstance(b.answer, bool):
        return a.kind == b.kind and a.answer != b.answer
    one, two = _said(a), _said(b)
    if a.options and b.options:
        return one != two
    if one == two:
        return False
    if not a.options and not b.options:
        return a.kind == b.kind and not one & two
    choice, blank = (one, two) if a.options else (two, one)
    return len(choice) > 1 or not any(x in y or y in x for x in choice for y in blank)


def _said(q: Imported) -> set[str]:
    texts = dict(q.options)
    answer = q.answer if isinstance(q.answer, list) else []
    return {_plain(texts.get(key, key)) for key in answer}


def _duplicates(questions: Sequence[Imported]) -> list[Problem]:
    plains = [_plain(q.prompt) for q in questions]
    pairs = [
        (a, b)
        for a, b in _candidates(plains)
        if plains[a] and plains[b] and _alike(questions[a], questions[b], plains[a], plains[b])
    ]
    problems = [
        Problem(
            questions[max(pair)].line,
            "W-DUPSTEM",
            f"The question asks nearly the same as the one on line {questions[min(pair)].line}.",
            "Keep one of them, or make clear what tells them apart.",
        )
        for pair in sorted(pairs, key=lambda p: (max(p), min(p)))
    ]
    return problems + _contradictions(questions, plains, pairs)


def _contradictions(
    questions: Sequence[Imported], plains: Sequence[str], pairs: Sequence[tuple[int, int]]
) -> list[Problem]:
    parent = list(range(len(questions)))

    def root(x: int) -> int:
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    against: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in pairs:
        parent[root(a)] = root(b)
    for a, b in pairs:
        if _conflict(questions[a], questions[b], plains[a], plains[b]):
            against[root(a)] |= {a, b}
    problems = []
    for members in sorted(against.values(), key=min):
        ordered = sorted(members)
        said = "; ".join(f"line {questions[i].line}: {_shown(questions[i])}" for i in ordered)
        problems.append(
            Problem(
                questions[ordered[1]].line,
                "W-CONTRA",
                f"Questions that ask the same have different answers ({said}).",
                "Find out which answer is right and correct or remove the others.",
            )
        )
    return problems


def _shown(q: Imported) -> str:
    if isinstance(q.answer, bool):
        return "true" if q.answer else "false"
    answer = q.answer or []
    texts = dict(q.options)
    if len(answer) > 1 and q.options:
        return "".join(answer)
    return " / ".join(f"{a} {texts[a]}" if a in texts else a for a in answer)[:60]


# --- the text itself ------------------------------------------------------------------------------------------------

_STOPS = frozenset("。！？.!?…；;）)】]」”\"'’》>}`|~*_√×:：")
_GLUED = re.compile(r"\b[A-Z][a-z]+-[A-Z]?[a-z]+[A-Z][a-z]+\b")


def _truncated(questions: Sequence[Imported], lines: Sequence[Line]) -> list[Problem]:
    rest = [line for line in lines if not layout.is_noise(layout.shape(line.text))]
    if not rest or not questions:
        return []
    last = rest[-1]
    if not _breaks_off(last.text, questions):
        return []
    return [
        Problem(
            last.number,
            "W-TRUNC",
            f"The document ends in mid-sentence: “…{last.text[-20:]}”.",
            "Get the whole document, or complete its last lines by hand.",
        )
    ]


def _breaks_off(text: str, questions: Sequence[Imported]) -> bool:
    end = text.rstrip()
    if end.endswith(("，", "、", ",", "：", ":", "；", "-")) and len(end) > 6:
        return True
    if end[-1] in _STOPS:
        return False
    tail = end[-12:]
    last, before = questions[-1], questions[:-1]
    if last.options and last.answer is None and last.options[-1][1] and tail.endswith(last.options[-1][1][-12:]):
        # Options and then nothing, where every other question has its answer.
        return bool(before) and all(q.answer is not None or q.reference for q in before)
    for texts in (
        [q.explanation or "" for q in questions],
        [p.text for q in questions for p in q.rubric],
        [q.prompt for q in questions if q.kind in ("true_false", "case") or len(q.options) < 2],
    ):
        holders = [t for t in texts if t.endswith(tail)]
        if not holders:
            continue
        others = [t for t in texts if t and t not in holders]
        stopped = sum(t[-1] in _STOPS for t in others)
        long = len(end) >= 8 if any(layout.is_han(c) for c in end) else len(end.split()) >= 4
        return stopped >= 0.5 * len(others) and long
    return False


def _odd_text(lines: Sequence[Line]) -> Iterator[Problem]:
    for line in lines:
        odd = [c for c in line.text if c == "\ufffd" or unicodedata.category(c) in ("Co", "Cn")]
        if odd:
            yield Problem(
                line.number,
                "W-BYTES",
                f"The line holds {len(odd)} characters that could not be decoded.",
                "Compare the line with the original document and type the characters again.",
            )
        glued = _GLUED.search(line.text)
        if glued:
            seam = re.sub(r"([a-z])([A-Z])", r"\1 \2", glued[0])
            yield Problem(
                line.number,
                "W-GLUED",
                f"“{glued[0]}” seems to have lost a space between its words.",
                f"Write “{seam}” if that is meant.",
            )
