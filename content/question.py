"""The question: plain frozen values of the bank, and their plain-data form.

Standard library alone, so that rules, storage and tools can all share these values.
The plain form (``to_plain`` / ``from_plain``) is what is kept with a round when it is posted:
a later edit of the file never changes what an old round asked.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

LANGUAGES = ("en", "zh")
TRADITIONAL = "zh-TW"
"""A language of readers, not of the bank: its texts are those in ``zh``, converted when they are shown."""

LETTERS = "ABCDEFGHIJ"


class Kind(StrEnum):
    """How a question is asked and graded."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    TRUE_FALSE = "true_false"
    BLANK = "blank"
    NUMERIC = "numeric"
    CASE = "case"

    @property
    def is_choice(self) -> bool:
        """One tap or ticks answer it: there are options with letters."""
        return self in (Kind.SINGLE, Kind.MULTIPLE, Kind.TRUE_FALSE)

    @property
    def is_one_tap(self) -> bool:
        """A single button press is the whole answer."""
        return self in (Kind.SINGLE, Kind.TRUE_FALSE)


class Status(StrEnum):
    """Where a question stands on its way to members; only the demo asks drafts."""

    DRAFT = "draft"
    REVIEWED = "reviewed"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Text:
    """One text in the bank's languages; at least one is not empty."""

    en: str = ""
    zh: str = ""

    def get(self, language: str) -> str:
        """The text in ``language`` (``zh-TW``: in traditional characters), or the other one where it is missing."""
        if not language.lower().startswith("zh"):
            return self.en or self.zh
        if language == TRADITIONAL and self.zh:
            from content.traditional import traditional

            return traditional(self.zh)
        return self.zh or self.en

    def __bool__(self) -> bool:
        return bool(self.en or self.zh)


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a choice question. ``key`` is stable across edits and shuffles (``a``, ``b`` …)."""

    key: str
    text: Text
    correct: bool = False
    why: Text = Text()
    misconception: str = ""


@dataclass(frozen=True, slots=True)
class NumericKey:
    """The right number: ``value`` in ``unit``; ``tolerance`` is relative, ``abs_tolerance`` in ``unit``."""

    value: float
    unit: str = ""
    tolerance: float | None = None
    abs_tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong number that a known misconception leads to, in the key's unit, and what went wrong."""

    value: float
    why: Text


@dataclass(frozen=True, slots=True)
class RubricPoint:
    """One thing a good answer to a case says; ``mentions`` are words whose presence ticks it."""

    points: int
    text: Text
    mentions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the fact stands: one of ``arxiv``, ``doi``, ``url``, and a locator inside it."""

    title: str
    locator: str
    year: int | None = None
    arxiv: str = ""
    doi: str = ""
    url: str = ""

    @property
    def link(self) -> str:
        """A web address for the source."""
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        if self.doi:
            return f"https://doi.org/{self.doi}"
        return self.url


@dataclass(frozen=True, slots=True)
class Question:
    """One item of the bank. Which of the key fields is filled follows from ``kind``."""

    id: str
    kind: Kind
    topic: str
    difficulty: int
    prompt: Text
    explanation: Text = Text()
    version: int = 1
    status: Status = Status.DRAFT
    options: tuple[Option, ...] = ()  # single, multiple
    keep_order: bool = False  # options are ordered numbers, or speak of each other
    answer: bool | None = None  # true_false
    accept: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # blank, by language
    shown: Text = Text()  # blank: how the answer is written when it is shown
    number: NumericKey | None = None  # numeric
    mistakes: tuple[Mistake, ...] = ()  # numeric
    rubric: tuple[RubricPoint, ...] = ()  # case
    model_answer: Text = Text()  # case
    discussion: Text = Text()
    sources: tuple[Source, ...] = ()

    @property
    def choices(self) -> tuple[Option, ...]:
        """The options members choose from; true/false has two made ones (``true``, ``false``)."""
        if self.kind is not Kind.TRUE_FALSE:
            return self.options
        why = self.explanation
        return (
            Option("true", Text("True", "正确"), self.answer is True, why if self.answer is True else Text()),
            Option("false", Text("False", "错误"), self.answer is False, why if self.answer is False else Text()),
        )

    @property
    def right_keys(self) -> frozenset[str]:
        """Keys of the right options of a choice question."""
        return frozenset(option.key for option in self.choices if option.correct)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the plain form: the same content has the same fingerprint everywhere."""
        plain = json.dumps(to_plain(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(plain.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Response:
    """What a member sent: option keys for a choice, text for a typed answer."""

    choices: tuple[str, ...] = ()
    text: str = ""

    def __bool__(self) -> bool:
        return bool(self.choices or self.text.strip())


def _text(value: Text) -> dict[str, str]:
    return {k: v for k, v in (("en", value.en), ("zh", value.zh)) if v}


def _read_text(value: Mapping[str, str] | None) -> Text:
    return Text(**value) if value else Text()


def to_plain(question: Question) -> dict[str, Any]:
    """The question as JSON data; ``from_plain`` gives the equal question back."""
    q = question
    plain: dict[str, Any] = {
        "id": q.id,
        "kind": q.kind.value,
        "topic": q.topic,
        "difficulty": q.difficulty,
        "version": q.version,
        "status": q.status.value,
        "prompt": _text(q.prompt),
        "explanation": _text(q.explanation),
    }
    if q.options:
        plain["options"] = [
            {
                "key": o.key,
                "text": _text(o.text),
                "correct": o.correct,
                "why": _text(o.why),
                "misconception": o.misconception,
            }
            for o in q.options
        ]
        plain["keep_order"] = q.keep_order
    if q.answer is not None:
        plain["answer"] = q.answer
    if q.accept:
        plain["accept"] = {language: list(texts) for language, texts in q.accept.items()}
        plain["shown"] = _text(q.shown)
    if q.number:
        n = q.number
        plain["number"] = {
            "value": n.value,
            "unit": n.unit,
            "tolerance": n.tolerance,
            "abs_tolerance": n.abs_tolerance,
        }
        plain["mistakes"] = [{"value": m.value, "why": _text(m.why)} for m in q.mistakes]
    if q.rubric:
        plain["rubric"] = [
            {"points": r.points, "text": _text(r.text), "mentions": {k: list(v) for k, v in r.mentions.items()}}
            for r in q.rubric
        ]
        plain["model_answer"] = _text(q.model_answer)
    if q.discussion:
        plain["discussion"] = _text(q.discussion)
    plain["sources"] = [
        {"title": s.title, "locator": s.locator, "year": s.year, "arxiv": s.arxiv, "doi": s.doi, "url": s.url}
        for s in q.sources
    ]
    return plain


def from_plain(plain: Mapping[str, Any]) -> Question:
    """The question that ``to_plain`` wrote."""
    number = plain.get("number")
    return Question(
        id=plain["id"],
        kind=Kind(plain["kind"]),
        topic=plain["topic"],
        difficulty=plain["difficulty"],
        version=plain["version"],
        status=Status(plain["status"]),
        prompt=_read_text(plain["prompt"]),
        explanation=_read_text(plain.get("explanation")),
        options=tuple(
            Option(o["key"], _read_text(o["text"]), o["correct"], _read_text(o["why"]), o["misconception"])
            for o in plain.get("options", ())
        ),
        keep_order=plain.get("keep_order", False),
        answer=plain.get("answer"),
        accept={language: tuple(texts) for language, texts in plain.get("accept", {}).items()},
        shown=_read_text(plain.get("shown")),
        number=NumericKey(**number) if number else None,
        mistakes=tuple(Mistake(m["value"], _read_text(m["why"])) for m in plain.get("mistakes", ())),
        rubric=tuple(
            RubricPoint(r["points"], _read_text(r["text"]), {k: tuple(v) for k, v in r["mentions"].items()})
            for r in plain.get("rubric", ())
        ),
        model_answer=_read_text(plain.get("model_answer")),
        discussion=_read_text(plain.get("discussion")),
        sources=tuple(Source(**s) for s in plain.get("sources", ())),
    )
