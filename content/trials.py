"""Authors' trials of a key: the requests of ``drills content grade --json -`` as questions and responses.

Each request is an object with ``kind`` and ``response`` and the key of its kind:

* ``blank``: ``accept`` (list of texts, or texts by language)
* ``numeric``: ``value`` (a number, or a text that is read like an answer: ``"1.5e9"``), ``unit`` (text, may be absent),
  ``tolerance`` (relative) and/or ``abs_tolerance`` (in the unit); with neither, equal to one part in 10⁹
* ``multiple``: ``options`` (how many), ``answer`` (letters), ``response`` (letters; a text such as ``"A, C"`` too)
* ``single``: ``options``, ``answer`` (a letter), ``response`` (a letter)
* ``true_false``: ``answer`` and ``response``: true/false or a word for it in either language (``对``, ``√``, ``no``)
* ``case``: ``rubric`` (``[{"points": 2, "mentions": [...]}]``, mentions also by language), ``response``

The key must be right, or RequestFault says what to mend. The response may be anything a member could send:
what cannot be read, or names an option that does not exist, earns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from content.numbers import read_value
from content.question import Kind, NumericKey, Option, Question, Response, RubricPoint, Text
from content.text_rules import plain

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_TRUE = frozenset("true t yes y right correct 1 对 对的 正确 是 是的 真 √ ✓ ✔ ☑ ✅ ⭕ ○ o".split())  # noqa: SIM905
_FALSE = frozenset(
    "false f no n wrong incorrect 0 错 错的 错误 不正确 不对 否 不是 假 × ✗ ✘ ❌ x ☒".split()  # noqa: SIM905
)
_NOT_LETTERS = re.compile(r"\band\b|和|与|及|[\s,;、/+&|.。()\[\]{}\"'<>:\-]", re.IGNORECASE)

_FLOAT_ENDS = 10**308

Trial = tuple[Question, Response | None]


class RequestFault(ValueError):
    """A grading request that cannot be understood; the message names its place in the list and the cure."""


def read_requests(requests: object) -> list[Trial]:
    """Question and response of each request; no response where it cannot be read. All keys are checked first."""
    if not isinstance(requests, list):
        raise RequestFault("The requests must be a JSON list of objects; put them in [ ].")
    return [_read(index, request) for index, request in enumerate(requests, start=1)]


def _read(index: int, request: object) -> Trial:
    try:
        if not isinstance(request, dict):
            raise ValueError('must be an object such as {"kind": "blank", "accept": ["LoRA"], "response": "lora"}')
        kind = request.get("kind")
        if kind not in tuple(Kind):
            raise ValueError(f'"kind" is {kind!r}; use one of {", ".join(Kind)}')
        if "response" not in request:
            raise ValueError('has no "response"; add what a member would answer')
        return _READERS[Kind(kind)](request)
    except ValueError as fault:
        raise RequestFault(f"Request {index}: {fault}.") from None


def _question(kind: Kind, **fields: Any) -> Question:
    return Question(id="trial", kind=kind, topic="trial", difficulty=1, prompt=Text("trial"), **fields)


def _typed(response: object) -> Response:
    """A typed answer; a JSON number counts as typed, anything else that is no text as nothing."""
    if isinstance(response, (int, float)) and not isinstance(response, bool):
        return Response(text=str(response))
    return Response(text=response if isinstance(response, str) else "")


def _texts(value: object, name: str) -> dict[str, tuple[str, ...]]:
    """A list of texts, or lists by language."""
    groups = value if isinstance(value, Mapping) else {"en": value}
    found: dict[str, tuple[str, ...]] = {}
    for language, texts in groups.items():
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f'"{name}" must be a list of texts, such as ["LoRA", "low-rank adaptation"]')
        found[str(language)] = tuple(texts)
    return found


def _blank(request: Mapping[str, Any]) -> Trial:
    accept = _texts(request.get("accept"), "accept")
    if not any(text.strip() for texts in accept.values() for text in texts):
        raise ValueError('"accept" is empty; list at least one accepted text')
    return _question(Kind.BLANK, accept=accept), _typed(request["response"])


def _finite(request: Mapping[str, Any], name: str) -> float | None:
    value = request.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value) or value < 0:
        raise ValueError(f'"{name}" must be a number of 0 or more')
    return float(value)


def _is_finite(value: float) -> bool:
    try:
        return isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False


def _numeric(request: Mapping[str, Any]) -> Trial:
    value, unit = request.get("value"), request.get("unit") or ""
    if isinstance(value, str):
        read = read_value(value, "")
        amount = read.amount if read else None
        value = float(amount) if amount is not None and abs(amount) < _FLOAT_ENDS else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not _is_finite(value):
        raise ValueError('"value" must be a number, such as 512 or 1.5e9')
    if not isinstance(unit, str):
        raise ValueError('"unit" must be a text, such as "MiB"; leave it out where there is none')
    key = NumericKey(float(value), unit, _finite(request, "tolerance"), _finite(request, "abs_tolerance"))
    return _question(Kind.NUMERIC, number=key), _typed(request["response"])


def _letters(value: object) -> list[str] | None:
    """``["A", "c"]``, ``"A、C"``, ``"ＡＣ"``, ``"A and C"`` as capital letters; None where other signs are in it."""
    if isinstance(value, (list, tuple)):
        parts = [_letters(part) for part in value]
        return None if None in parts else [letter for part in parts for letter in part or []]
    if not isinstance(value, str):
        return None
    letters = _NOT_LETTERS.sub("", plain(value)).upper()
    return list(letters) if all(letter in _ALPHABET for letter in letters) else None


def _choice(request: Mapping[str, Any]) -> Trial:
    kind = Kind(request["kind"])
    options = request.get("options")
    count = len(options) if isinstance(options, list) else options
    if isinstance(count, bool) or not isinstance(count, int) or not 2 <= count <= len(_ALPHABET):
        raise ValueError(f'"options" must be how many options there are, 2 to {len(_ALPHABET)}')
    keys = _ALPHABET[:count]
    answer = _letters(request.get("answer"))
    if not answer or not set(answer) <= set(keys):
        raise ValueError(f'"answer" must name letters of the {count} options, {keys[0]} to {keys[-1]}')
    if kind is Kind.SINGLE and len(set(answer)) != 1:
        raise ValueError('"answer" of a single question must be one letter; use the kind multiple for several')
    question = _question(kind, options=tuple(Option(key, Text(key), correct=key in answer) for key in keys))
    chosen = _letters(request["response"])
    if chosen is None or not set(chosen) <= set(keys):
        return question, None
    return question, Response(choices=tuple(chosen))


def _truth(value: object) -> bool | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return value
    word = plain(str(value)).casefold().strip(" .。!?,()\"'") if isinstance(value, (str, int)) else ""
    return True if word in _TRUE else False if word in _FALSE else None


def _true_false(request: Mapping[str, Any]) -> Trial:
    answer, given = _truth(request.get("answer")), _truth(request["response"])
    if answer is None:
        raise ValueError('"answer" must be true or false')
    response = None if given is None else Response(choices=("true" if given else "false",))
    return _question(Kind.TRUE_FALSE, answer=answer), response


def _case(request: Mapping[str, Any]) -> Trial:
    rubric = request.get("rubric")
    if not isinstance(rubric, list) or not rubric or not all(isinstance(point, dict) for point in rubric):
        raise ValueError('"rubric" must be a list such as [{"points": 2, "mentions": ["batch", "批"]}]')
    return _question(Kind.CASE, rubric=tuple(map(_point, rubric))), _typed(request["response"])


def _point(point: Mapping[str, Any]) -> RubricPoint:
    points = point.get("points")
    if isinstance(points, bool) or not isinstance(points, int) or points < 1:
        raise ValueError('"points" of each rubric point must be a whole number of 1 or more')
    return RubricPoint(points, Text("point"), _texts(point.get("mentions"), "mentions"))


_READERS: dict[Kind, Callable[[Mapping[str, Any]], Trial]] = {
    Kind.SINGLE: _choice,
    Kind.MULTIPLE: _choice,
    Kind.TRUE_FALSE: _true_false,
    Kind.BLANK: _blank,
    Kind.NUMERIC: _numeric,
    Kind.CASE: _case,
}
