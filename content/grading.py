"""From a question and a response to the credit, 0 to 1, exactly.

Choice questions are graded by option keys. Blanks are compared after normalisation (``content.text_rules``), never
by likeness. Numbers are read with their unit (``content.numbers``). Cases are marked by the mentions of their rubric.
Grading never raises for what a member typed; several values in a typed answer are no answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any

from content.numbers import CLOSE, read_value, show_number, unit_of_number
from content.question import Kind, NumericKey, Question, Response, Text
from content.text_rules import LONGEST, Speech, fold, is_formula, plain
from content.trials import RequestFault, read_requests

__all__ = [
    "Grade",
    "RequestFault",
    "grade",
    "grade_blank",
    "grade_number",
    "grade_requests",
    "multiple_credit",
    "ticked",
]

_NO_NOTE = Text()
_ONE_VALUE = Text("Give one value, without alternatives.", "请只给一个值，不要列出多个。")
_ONE_NUMBER = Text("Give one number, with a unit if you like.", "请给一个数，可以带单位。")
_ONE_OPTION = Text("Choose one option.", "请选择一个选项。")
_TOO_LONG = Text(f"Keep the answer under {LONGEST:,} characters.", f"请把答案控制在 {LONGEST} 个字符以内。")


@dataclass(frozen=True, slots=True)
class Grade:
    """``credit`` is exact. ``read_as`` is how the response was understood, to show the member; None where it could
    not be read (nothing, several values, no number). Options are shown by their stable keys in capitals, so
    a platform that shuffles letters shows its own. ``note`` is a hint in both languages, empty where none is known."""

    credit: Fraction
    read_as: str | None
    note: Text = _NO_NOTE


_NOTHING = Grade(Fraction(0), None)


def grade(question: Question, response: Response) -> Grade:
    """The credit of a response. ValueError where a chosen key is no option of the question, or its key is unusable."""
    return _GRADERS[question.kind](question, response)


# --- choices ---------------------------------------------------------------------------------------------------------


def _chosen(question: Question, response: Response) -> tuple[str, ...]:
    """The chosen keys, each once, in the question's own order."""
    keys = tuple(option.key for option in question.choices)
    unknown = [key for key in response.choices if key not in keys]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is not an option of question {question.id}; choose from {', '.join(keys)}.")
    return tuple(key for key in keys if key in response.choices)


def multiple_credit(options: int, right: frozenset[str], chosen: frozenset[str]) -> Fraction:
    """+1/k for each of the k right options chosen, −1/(n−k) for each wrong one, at least 0; all or nothing if k = n."""
    k = len(right)
    if k in (0, options):
        return Fraction(int(bool(chosen) and chosen == right))
    return max(Fraction(0), Fraction(len(chosen & right), k) - Fraction(len(chosen - right), options - k))


def _grade_multiple(question: Question, response: Response) -> Grade:
    chosen = _chosen(question, response)
    if not chosen:
        return _NOTHING
    credit = multiple_credit(len(question.options), question.right_keys, frozenset(chosen))
    return Grade(credit, ", ".join(key.upper() for key in chosen))


def _grade_one_tap(question: Question, response: Response) -> Grade:
    chosen = _chosen(question, response)
    if len(chosen) != 1:
        return Grade(Fraction(0), None, _ONE_OPTION if chosen else Text())
    shown = chosen[0] if question.kind is Kind.TRUE_FALSE else chosen[0].upper()
    return Grade(Fraction(int(chosen[0] in question.right_keys)), shown)


# --- blanks ----------------------------------------------------------------------------------------------------------

_GLOSS = re.compile(r"^(?P<outside>[^()]+?) ?\((?P<inside>[^()]+)\)$")
_SAID_TWICE = re.compile(r"\s*,?\s*(?:\bi\.?e\.?,|\baka\b|\balso known as\b|即|也就是|也称为?|又称为?|简称)\s*")
_LISTED = re.compile(r"[;、\n]|\b(?:or|and/or|versus|vs)\b|或者?|还是")
_LISTED_WORDS = re.compile(r",| [/|] ")


def _grade_blank(question: Question, response: Response) -> Grade:
    texts = [text for texts in question.accept.values() for text in texts]
    return grade_blank([*texts, *filter(None, (question.shown.en, question.shown.zh))], response.text)


def grade_blank(accept: Sequence[str], text: str) -> Grade:
    """1 where the text is one of the accepted texts in another spelling, or glosses one with another."""
    if len(text) > LONGEST:
        return Grade(Fraction(0), None, _TOO_LONG)
    understood = plain(text)
    if len(understood) > LONGEST:  # some characters stand for a whole phrase
        return Grade(Fraction(0), None, _TOO_LONG)
    if (match := _accepted(accept, text)) is not None:
        return Grade(Fraction(1), match)
    if not fold(text):
        return _NOTHING
    if (match := _glossed(accept, understood)) is not None:
        return Grade(Fraction(1), match)
    if _is_list(accept, text, understood):
        return Grade(Fraction(0), None, _ONE_VALUE)
    return Grade(Fraction(0), understood)


def _accepted(accept: Iterable[str], text: str) -> str | None:
    """The accepted text that this is, or None."""
    folded = {formula: fold(text, formula=formula) for formula in (False, True)}
    for wanted in accept:
        form = _form(wanted)
        if form.folded == folded[form.formula] and (form.folded or plain(wanted) == plain(text)):
            return wanted
        if form.unit is not None and _is_number(wanted, text, form.unit):
            return wanted
        if any(side == folded[False] for side in form.sides):
            return wanted
    return None


@dataclass(frozen=True, slots=True)
class _Form:
    formula: bool
    folded: str
    unit: str | None  # where it is a number
    sides: tuple[str, ...]  # 权重衰减（weight decay） is one name in two languages: either will do


@lru_cache(maxsize=4096)
def _form(wanted: str) -> _Form:
    """How an accepted text is compared; kept, since the same keys are asked again and again."""
    formula = is_formula(wanted)
    return _Form(formula, fold(wanted, formula=formula), unit_of_number(wanted), _two_languages(plain(wanted)))


_HAN_NAME = re.compile(r"[\u4e00-\u9fff][\u4e00-\u9fff -]*")
_LATIN_NAME = re.compile(r"[A-Za-z][A-Za-z -]*[A-Za-z]")


def _two_languages(text: str) -> tuple[str, ...]:
    """Both names of a text that says one in Chinese and the other in Latin letters in brackets, folded."""
    match = _GLOSS.match(text)
    if not match:
        return ()
    sides = (match["outside"], match["inside"])
    for one, other in (sides, sides[::-1]):
        if _HAN_NAME.fullmatch(one) and _LATIN_NAME.fullmatch(other):
            return fold(one), fold(other)
    return ()


def _is_number(wanted: str, text: str, unit: str) -> bool:
    """The same number in other words; a unit that the accepted text has must be typed too."""
    key, given = read_value(wanted, unit), read_value(text, unit)
    if key is None or given is None or key.amount is None or given.amount is None:
        return False
    return (not unit or given.bare is None) and _within(given.amount, key.amount, CLOSE * abs(key.amount))


def _glossed(accept: Iterable[str], text: str) -> str | None:
    """Both sides are accepted, or one is and the other is its initials: Tensor Parallelism (TP)."""
    sides = _gloss(text)
    found = [(side, _accepted(accept, side)) for side in sides]
    right = [match for _, match in found if match is not None]
    if not right:
        return None
    others = [side for side, match in found if match is None]
    if not others:
        return right[0]
    initials = {_initials(side) for side, match in found if match is not None} - {""}
    return (
        right[0]
        if all(fold(side) in initials or fold(_initials(side)) in map(fold, right) for side in others)
        else None
    )


def _initials(text: str) -> str:
    """First letters of the Latin words, at least two."""
    letters = "".join(re.findall(r"(?<![A-Za-z])[A-Za-z]", text)).lower()
    return letters if len(letters) > 1 else ""


def _gloss(text: str) -> list[str]:
    """Both sides of 负对数似然（NLL）; nothing where there is one side."""
    if match := _GLOSS.match(text):
        return [match["outside"], match["inside"]]
    sides = [side for side in _SAID_TWICE.split(text) if side]
    return sides if len(sides) > 1 else []


def _is_list(accept: Iterable[str], text: str, understood: str) -> bool:
    """Several values were typed. In formulas a comma, a slash and a bar have other meanings."""
    if read_value(text, "") is not None:
        return False
    if _LISTED.search(understood) or "\n" in text.strip():
        return True
    words = [wanted for wanted in accept if not _form(wanted).formula]
    if words and _LISTED_WORDS.search(understood):
        return True
    return "/" in understood and any(_accepted(words, side) for side in understood.split("/"))


# --- numbers ---------------------------------------------------------------------------------------------------------


def _exact(number: float, what: str) -> Fraction:
    """The number as its author wrote it: 0.1 is one tenth."""
    if isinstance(number, bool) or not isfinite(number):
        raise ValueError(f"The {what} must be a finite number, not {number}.")
    return Fraction(repr(number))


def _room(key: NumericKey, value: Fraction) -> Fraction:
    """How far from ``value`` an answer may be, in the key's unit. Without a tolerance one part in 10⁹."""
    room = CLOSE * abs(value)
    if key.tolerance is not None:
        room += _exact(key.tolerance, "tolerance") * abs(value)
    if key.abs_tolerance is not None:
        room = max(room, _exact(key.abs_tolerance, "tolerance") + CLOSE * abs(value))
    return room


def _within(number: Fraction, value: Fraction, room: Fraction) -> bool:
    return abs(number - value) <= room


def _grade_numeric(question: Question, response: Response) -> Grade:
    if question.number is None:
        raise ValueError(f"Question {question.id} is numeric but has no number; add one.")
    graded, amount = grade_number(question.number, response.text)
    if graded.credit or amount is None:
        return graded
    for mistake in question.mistakes:
        value = _exact(mistake.value, "value of a mistake")
        if _within(amount, value, max(_room(question.number, value), abs(value) / 200)):
            return Grade(graded.credit, graded.read_as, mistake.why)
    return graded


def grade_number(key: NumericKey, text: str) -> tuple[Grade, Fraction | None]:
    """The grade of a typed number, and the number in the key's unit where it was read and its unit fits."""
    value = _exact(key.value, "value")
    room = _room(key, value)
    if len(text) > LONGEST:
        return Grade(Fraction(0), None, _TOO_LONG), None
    read = read_value(text, key.unit)
    if read is None:
        note = Text() if not text.strip() else _ONE_VALUE if len(re.findall(r"\d+", plain(text))) > 1 else _ONE_NUMBER
        return Grade(Fraction(0), None, note), None
    if read.amount is None:
        return Grade(Fraction(0), read.shown, _other_unit(key.unit)), None
    if read.share is not None and not _within(read.amount, value, room) and _within(read.share, value, room):
        return Grade(Fraction(1), f"{show_number(read.share)}{key.unit}"), read.share
    return Grade(Fraction(int(_within(read.amount, value, room))), read.shown), read.amount


def _other_unit(unit: str) -> Text:
    if not unit:
        return Text("The answer is a plain number.", "答案是一个不带单位的数。")
    return Text(f"The answer is asked in {unit}.", f"答案的单位是 {unit}。")


# --- cases -----------------------------------------------------------------------------------------------------------


SELF_MARKED = "self"
"""First of a case's choices where the member corrected the ticks; the numbers of the ticked points follow, from 1."""


def ticked(question: Question, response: Response) -> tuple[bool, ...]:
    """For each point of the rubric: the member's own tick, where they corrected them; else whether any of its
    mentions, in either language, stands in the response."""
    if response.choices[:1] == (SELF_MARKED,):
        own = set(response.choices[1:])
        return tuple(str(number) in own for number in range(1, len(question.rubric) + 1))
    speech = Speech(response.text)
    return tuple(
        any(speech.says(mention) for mentions in point.mentions.values() for mention in mentions)
        for point in question.rubric
    )


def _grade_case(question: Question, response: Response) -> Grade:
    if not response.text.strip():
        return _NOTHING
    total = sum(point.points for point in question.rubric)
    found = ticked(question, response)
    points = sum(point.points for point, tick in zip(question.rubric, found, strict=True) if tick)
    return Grade(Fraction(points, total) if total else Fraction(0), f"{points}/{total}")


_GRADERS: dict[Kind, Callable[[Question, Response], Grade]] = {
    Kind.SINGLE: _grade_one_tap,
    Kind.MULTIPLE: _grade_multiple,
    Kind.TRUE_FALSE: _grade_one_tap,
    Kind.BLANK: _grade_blank,
    Kind.NUMERIC: _grade_numeric,
    Kind.CASE: _grade_case,
}


def grade_requests(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The body of ``drills content grade --json -``: each request's ``credit`` (float) and ``read_as``.

    The formats stand in ``content.trials``. RequestFault where a request cannot be understood; nothing is graded then.
    """
    graded = [
        _NOTHING if response is None else grade(question, response) for question, response in read_requests(requests)
    ]
    return [{"credit": float(one.credit), "read_as": one.read_as} for one in graded]
