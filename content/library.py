"""The bank in memory: questions by id and topic, with what the files say about them besides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from content.question import Kind, Question


@dataclass(frozen=True, slots=True)
class Check:
    """How the key of a question is recomputed; ``equals`` is the value as the right option writes it."""

    value: str
    inputs: Mapping[str, float] = field(default_factory=dict)
    unit: str = ""
    equals: str = ""
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and what only authors need: its place in the files, its check, waived lint codes with reasons."""

    question: Question
    path: str = ""
    line: int = 0
    check: Check | None = None
    waivers: Mapping[str, str] = field(default_factory=dict)
    as_of: str = ""
    variant_of: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """Questions, immutable and all in memory; ids are unique (ValueError otherwise)."""

    entries: tuple[Entry, ...]
    _by_id: dict[str, Entry] = field(init=False, repr=False, compare=False)
    _by_topic: dict[str, tuple[Question, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id: dict[str, Entry] = {}
        by_topic: dict[str, list[Question]] = {}
        for entry in self.entries:
            question = entry.question
            if question.id in by_id:
                raise ValueError(f"two questions have the id '{question.id}'; rename one")
            by_id[question.id] = entry
            by_topic.setdefault(question.topic, []).append(question)
        object.__setattr__(self, "_by_id", by_id)
        object.__setattr__(self, "_by_topic", {topic: tuple(found) for topic, found in by_topic.items()})

    @classmethod
    def of(cls, questions: Iterable[Question]) -> Library:
        """A library of questions that come from no file."""
        return cls(tuple(Entry(question) for question in questions))

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in the order of the files."""
        return tuple(entry.question for entry in self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Question]:
        return (entry.question for entry in self.entries)

    def __contains__(self, question_id: object) -> bool:
        return question_id in self._by_id

    def get(self, question_id: str) -> Question | None:
        """The question with that id, or None."""
        entry = self._by_id.get(question_id)
        return entry.question if entry else None

    def entry(self, question_id: str) -> Entry | None:
        """The question with that id and its place in the files, or None."""
        return self._by_id.get(question_id)

    def by_topic(self, topic: str) -> tuple[Question, ...]:
        """The questions of one topic slug; none for a topic without questions."""
        return self._by_topic.get(topic, ())

    def topics(self) -> tuple[str, ...]:
        """Slugs of the topics that have questions, in the order of the files."""
        return tuple(self._by_topic)

    def select(
        self,
        topics: Collection[str] = (),
        kinds: Collection[Kind] = (),
        difficulty: tuple[int, int] = (1, 5),
        languages: Collection[str] = (),
    ) -> tuple[Question, ...]:
        """Questions that fit: empty means any, ``difficulty`` is inclusive, all of ``languages`` are there."""
        low, high = difficulty
        names = {"zh" if language.lower().startswith("zh") else "en" for language in languages}
        found = self.questions if not topics else (q for topic in dict.fromkeys(topics) for q in self.by_topic(topic))
        return tuple(
            q
            for q in found
            if low <= q.difficulty <= high
            and (not kinds or q.kind in kinds)
            and all(getattr(q.prompt, name) for name in names)
        )


def default_bank_path() -> Path:
    """The folder of the bank that ships with the package."""
    return Path(__file__).parent / "bank"
