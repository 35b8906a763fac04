"""A question while it is being read, and how it becomes what the report shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from content.importers import layout
from content.importers.document import Mark
from content.importers.keys import blank_texts, letters, truth
from content.importers.layout import LETTERS, Both
from content.importers.report import Imported, Point, Problem

CHOICE = ("single", "multiple", "choice")


@dataclass(frozen=True, slots=True)
class Row:
    """A line or a part of one; ``marks`` are Word's emphasis in it."""

    line: int
    both: Both
    gap: bool
    marks: tuple[Mark, ...] = ()
    indent: int = 0

    @classmethod
    def of(cls, line: int, text: str, gap: bool, marks: tuple[Mark, ...] = (), indent: int = 0) -> Row:
        """A row from its text."""
        return cls(line, Both.of(text), gap, marks, indent)

    def shifted(self, part: Both) -> tuple[Mark, ...]:
        """The marks as they lie in a part of the text."""
        at = self.both.text.find(part.text) if self.marks else -1
        if at < 0:
            return ()
        size = len(part.text)
        moved = (Mark(max(0, m.start - at), min(size, m.end - at), m.kind) for m in self.marks)
        return tuple(m for m in moved if m.end > m.start)

    def with_text(self, part: Both) -> Row:
        """The same place with a part of the text."""
        return Row(self.line, part, self.gap, self.shifted(part), self.indent if part is self.both else 0)


@dataclass(slots=True)
class KeyText:
    """What the document says is the answer, where: ``line`` (with its question) or ``block`` (apart from it)."""

    line: int
    pieces: list[Row]
    where: str


@dataclass(slots=True)
class Option:
    """One option; ``index`` from 0 is its letter, ``good`` a mark that calls it right."""

    line: int
    index: int
    pieces: list[Row]
    good: bool = False
    lettered: bool = True
    circled: bool = False

    @property
    def text(self) -> str:
        """The option's text, without a mark behind it that calls it right."""
        return _GOOD_END.sub("", joined(self.pieces)).strip()

    @property
    def is_good(self) -> bool:
        """Marked as the right one, before or behind its text."""
        return self.good or bool(_GOOD_END.search(layout.shape(joined(self.pieces))))


_GOOD_END = re.compile(
    r"\s*(?:[(（\[【]\s*(?:正确(?:答案)?|正解|答案|√|correct(?:\s+answer)?|right(?:\s+answer)?|key)\s*[)）\]】]"
    r"|[√✓✔]|(?:<-|←|-|–)\s*(?:correct|正确答案)(?:\s+answer)?)\s*$",
    re.I,
)


@dataclass(slots=True)
class Section:
    """Questions under one heading (or none: ``implicit``)."""

    ordinal: int
    kind: str | None
    title: str
    declared: int | None
    line: int
    implicit: bool = False
    items: list[Item] = field(default_factory=list)
    style: str = ""  # how its numbers are written
    last_number: int = 0
    unnumbered: bool = False
    answered_inline: bool = False
    material: list[Row] = field(default_factory=list)  # text above all its questions that they ask about


@dataclass(slots=True)
class Item:
    """One question as its rows come in; ``part`` is what the last row belonged to."""

    line: int
    number: int | None
    style: str
    section: Section
    stem: list[Row] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)
    keys: list[KeyText] = field(default_factory=list)
    why: list[Row] = field(default_factory=list)
    tail: list[tuple[list[Row], Row]] = field(default_factory=list)  # text that may turn out to be the next stem
    part: str = "stem"
    tag: str | None = None
    before: str = ""
    boxed: bool = False
    ticked: bool | None = None
    scenario: Item | None = None
    has_parts: bool = False
    emphasised: bool = False

    @property
    def kind(self) -> str | None:
        """The kind its section or its own tag says; ``choice`` where single or multiple is open."""
        return self.tag or self.section.kind

    @property
    def open_ended(self) -> bool:
        """Its answer is a text of some length, so that numbered lines in it are points."""
        if self.kind is not None:
            return self.kind in ("case", "numeric")
        if self.options or self.boxed or layout.BLANK.search(layout.shape(joined(self.stem))):
            return False
        first = self.keys[0].pieces[0].both if self.keys and self.keys[0].pieces else None
        return first is None or not (letters(first) or truth(first))

    @property
    def takes_text(self) -> bool:
        """Its answer is no letter and no truth value."""
        return not self.options and not self.boxed and self.kind in (None, "blank", "case", "numeric")

    @property
    def wants_options(self) -> bool:
        """Options may follow."""
        return self.kind in (*CHOICE, "true_false") or (self.kind is None and not self.keys)

    @property
    def complete(self) -> bool:
        """A next question may begin."""
        if len(self.options) > 1 or self.keys or self.boxed:
            return True
        return self.kind not in (*CHOICE, None) and bool(self.stem)

    @property
    def answer_is_empty(self) -> bool:
        """The word for the answer was read and nothing behind it yet."""
        return bool(self.keys) and not self.keys[-1].pieces

    def continued(self) -> list[Row]:
        """Where a line goes that has no sign of its own."""
        if self.part == "option" and self.options:
            return self.options[-1].pieces
        if self.part == "answer" and self.keys:
            return self.keys[-1].pieces
        return self.why if self.part == "why" else self.stem

    def add_key(self, key: KeyText) -> None:
        """One more place that says the answer."""
        self.keys.append(key)


def joined(rows: Sequence[Row], newline: bool = False) -> str:
    """The rows as one text: lines that were wrapped are put together, lists and code keep their lines."""
    text = ""
    fenced = coded = False
    for row in rows:
        part = row.both.text
        fence = row.both.shape.startswith("```")
        if not fenced and not fence and not row.indent:
            part = _GAPS.sub(" ", part)
        code = fenced or fence or bool(_CODE.match(row.both.shape)) or (coded and row.indent > 0)
        if not text or not part:
            text = text or part
        elif newline or code or coded or _starts_a_line(row, text):
            text += "\n" + " " * (row.indent if code else 0) + part
        else:
            tight = _is_wide(text[-1]) or _is_wide(part[0]) or text.endswith("-")
            text += part if tight else " " + part
        fenced = fenced != fence
        coded = code and not (fence and not fenced)
    return text


_GAPS = re.compile("(?<![(（\\[【 \u3000\u00a0\t])[ \u3000\u00a0\t]{2,}(?![)）\\]】 \u3000\u00a0\t])")
_LIST = re.compile(
    r"(?:问题|问|要求|任务|请回答|Questions?|Task)\s*\d{0,2}\s*:|\(?\d{1,2}[).、]|[①-⑳]|[-*•]\s|[IVX]{1,4}[.、)]\s|\|"
)
_CODE = re.compile(
    r"(?:>>>|\$ \w|#include|@\w|(?:def|class|for|while|if|elif|with|return|import|from|public|int|void|let|const"
    r"|var) \w+.*[:();{=]"
    r"|else:|try:|print\(|[A-Za-z_][\w.\[\]]* ?[-+*/]?= ?[^\u4e00-\u9fff]+$|[a-z_][\w.]*\(.*\);?$|[{}]$|SELECT \w)"
)


def _starts_a_line(row: Row, text: str) -> bool:
    return bool(_LIST.match(row.both.shape)) or text.endswith(("：", ":", ";", "；"))


def _is_wide(character: str) -> bool:
    return character >= "\u2e80"


class _Finish:
    """One item on its way to the report."""

    def __init__(self, item: Item, ordinal: int) -> None:
        self.item = item
        self.ordinal = ordinal
        self.problems: list[Problem] = []
        self.sound = True
        self._take_digit_options()
        self.stem, self.tag = _untagged(layout.without_label(layout.without_scores(Both.of(joined(item.stem)))))
        self.named = item.tag or self.tag or item.section.kind
        self.options = self._lettered_options()
        self.why = list(item.why)

    def problem(self, code: str, fault: str, cure: str, line: int | None = None) -> None:
        """Note what is wrong; ``E-`` codes make the question unfit to be asked as it is."""
        self.problems.append(Problem(line or self.item.line, code, fault, cure))
        self.sound = self.sound and not code.startswith("E-")

    @property
    def name(self) -> str:
        return f"Question {self.item.number}" if self.item.number is not None else "The question"

    # --- options ---

    def _take_digit_options(self) -> None:
        """``1) … 2) …`` below a stem are its options where the answer is one of these numbers."""
        item, first = self.item, self._first()
        if item.options or first is None or not re.fullmatch(r"[(\[]?[1-9](?:[\s,、和]*[1-9])*[)\].]?", first.shape):
            return
        numbers = [(row, layout.numbered(row.both)) for row in item.stem]
        listed = [(row, n) for row, n in numbers if n is not None and n.style in ("half", "paren", "circled", "dot")]
        if (
            len(listed) < 2
            or [n.number for _, n in listed] != list(range(1, len(listed) + 1))
            or item.kind not in (*CHOICE, None)
        ):
            return
        item.stem = [row for row in item.stem if not any(row is other for other, _ in listed)]
        item.options = [Option(row.line, i, [row.with_text(n.body)]) for i, (row, n) in enumerate(listed)]
        chosen = "".join(LETTERS[int(d) - 1] for d in re.findall(r"\d", first.shape))
        key = item.keys[0]
        item.keys[0] = KeyText(key.line, [Row.of(key.line, chosen, False), *key.pieces[1:]], key.where)

    def _lettered_options(self) -> list[tuple[str, str]]:
        item = self.item
        options = [(LETTERS[min(o.index, 9)], o.text) for o in item.options]
        keys = [key for key, _ in options]
        if len(set(keys)) < len(keys):
            twice = ", ".join(sorted({k for k in keys if keys.count(k) > 1}))
            self.problem(
                "E-OPTIONS", f"{self.name} has option {twice} more than once.", "Give each option its own letter."
            )
        elif keys and keys != list(LETTERS[: len(keys)]):
            self.problem(
                "E-OPTIONS",
                f"{self.name} has options {', '.join(keys)}: a letter is missing or out of order.",
                "Add the missing option, or letter the options A, B, C … in order.",
            )
        for key, text in options:
            if not text:
                self.problem(
                    "E-OPTIONS", f"Option {key} of {self.name.lower()} is empty.", "Write its text or take it out."
                )
        seen: dict[str, str] = {}
        for key, text in options:
            plain = re.sub(r"\W", "", text).lower() or text
            if plain and plain in seen:
                self.problem(
                    "W-DUPOPT",
                    f"Options {seen[plain]} and {key} of {self.name.lower()} say the same.",
                    "Change one of them.",
                )
            seen.setdefault(plain, key)
        return options

    # --- kinds ---

    def kind(self) -> str:
        """The kind, from heading or tag, and where they are silent or wrong from options, blanks and the answer."""
        if len(self.item.options) >= 2:
            if self._truth_options() is not None:
                return "true_false"
            return self.named if self.named in ("single", "multiple") else self._single_or_multiple()
        if (
            self.named in CHOICE
            and not self.options
            and (self.item.boxed or self._key_truth() is not None)
            and not self._key_letters()
        ):
            return "true_false"
        if self.named in CHOICE:
            return self.named if self.named != "choice" else self._single_or_multiple()
        if self.named == "numeric":
            return "numeric" if _is_quantity(self._key_text()) else "case"
        return self.named or self._inferred()

    def _inferred(self) -> str:
        item = self.item
        if (
            item.boxed
            or self._key_truth() is not None
            or truth(Both.of(item.before))
            or layout.ends_with_truth(self.stem.shape)
        ):
            return "true_false"
        if self.options or _bracket_key(self.stem, LETTERS) is not None:
            return self._single_or_multiple()
        blank = layout.BLANK.search(self.stem.shape)
        if blank and not (blank[0][0] in "([" and self._key_letters()):
            return "blank"
        return self._single_or_multiple() if blank else "case"

    def _single_or_multiple(self) -> str:
        found = self._key_letters() or [option.text for option in self.item.options if option.is_good]
        if not found:
            bracket = _bracket_key(self.stem, LETTERS)
            found = list(bracket[0]) if bracket else []
        return (
            "multiple"
            if len(found) > 1 or (not found and _MANY.search(self.stem.shape)) or _SELECT.search(self.stem.shape)
            else "single"
        )

    def _truth_options(self) -> list[bool] | None:
        if len(self.options) != 2:
            return None
        values = [truth(Both.of(text)) for _, text in self.options]
        if any(text.strip().lower() in ("x", "y", "n", "v") for _, text in self.options):
            return None
        if any(v is None or v[1] for v in values):
            return None
        said = [v[0] for v in values if v is not None]
        return said if said[0] != said[1] else None

    # --- what the keys say ---

    def _first(self) -> Both | None:
        return next((p.both for k in self.item.keys for p in k.pieces if p.both), None)

    def _key_letters(self) -> list[str]:
        first = self._first()
        found = letters(first) if first is not None else None
        return found[0] if found else []

    def _key_truth(self) -> bool | None:
        first = self._first()
        found = truth(first) if first is not None else None
        return (
            found[0]
            if found and not (found[1] and self.item.keys[0].pieces[0].both.shape[0] not in "√×对错正TFtf")
            else None
        )

    def _key_text(self) -> str:
        return joined([p for k in self.item.keys for p in k.pieces])

    def _explanation(self, extra: Sequence[str] = ()) -> str | None:
        text = "\n".join(t for t in (*extra, joined(self.why)) if t)
        return text or None

    # --- each kind ---

    def result(self) -> Imported:
        kind = self.kind()
        read = {
            "single": self._choice,
            "multiple": self._choice,
            "true_false": self._true_false,
            "blank": self._blank,
            "numeric": self._numeric,
        }.get(kind, self._case)
        question = read(kind)
        if not question.prompt:
            self.problem("E-NOSTEM", f"{self.name} has no text.", "Write the question in front of its options.")
        return question if self.sound == question.sound else _with_sound(question, self.sound)

    def _made(self, kind: str, prompt: Both, answer: list[str] | bool | None, explanation: str | None) -> Imported:
        item = self.item
        text = prompt.text.strip()
        if item.scenario is not None:
            text = "\n".join(t for t in (joined(item.scenario.stem), text) if t)
        return Imported(
            item.line,
            item.number,
            kind,
            text,
            tuple(self.options) if kind in ("single", "multiple") else (),
            answer,
            explanation,
            section=item.section.title,
            section_ordinal=self.ordinal,
            blanks=len(layout.BLANK.findall(layout.shape(text))) if kind == "blank" else 0,
            sound=self.sound,
        )

    def _no_key(self) -> None:
        self.problem(
            "E-NOKEY",
            f"{self.name} has no answer in the document.",
            "Write it below the question (答案：B or Answer: B) or in a table of answers under the question's number.",
        )

    def _choice(self, kind: str) -> Imported:
        said, extra = self._said_letters()
        prompt = self.stem
        bracket = _bracket_key(prompt, "".join(k for k, _ in self.options) or LETTERS)
        if bracket is not None and (bracket[3] or not said or set(bracket[0]) == set(said[0][0])):
            said.append((bracket[0], self.item.line))
            prompt = _without_bracket(prompt, bracket[1], bracket[2])
        before = letters(Both.of(self.item.before.strip()))
        if before is not None and not before[1]:
            said.append((before[0], self.item.line))
        good = self._marked_good()
        if good and (not said or set(good) != set(said[0][0])):
            said.append((good, self.item.line))
        if not said and not self.item.keys and (chosen := self._chosen_in_explanation()):
            said.append((chosen, self.item.line))
        answer = self._agreed(said)
        if len(self.options) < 2:
            self.problem(
                "E-FEWOPTIONS",
                f"{self.name} is a choice question with {len(self.options) or 'no'} "
                f"option{'s' if not self.options else ''}.",
                "Write its options as A. B. C. D. below it, or put it under the heading of its real kind.",
            )
        if answer is not None and kind == "single" and len(answer) > 1:
            self.problem(
                "E-MANYKEYS",
                f"{self.name} stands under single choice but its answer is {''.join(answer)}.",
                "Correct the answer, or move the question to multiple choice.",
            )
        return self._made(kind, prompt, answer, self._explanation(extra))

    def _said_letters(self) -> tuple[list[tuple[list[str], int]], list[str]]:
        """Letters with their lines, as all the places say, and text that stood behind them."""
        said: list[tuple[list[str], int]] = []
        extra: list[str] = []
        for key in self.item.keys:
            pieces = [p for p in key.pieces if p.both]
            if not pieces:
                continue
            found = self._letters_of(pieces[0].both)
            if found is None:
                self.problem(
                    "E-KEY",
                    f"The answer “{pieces[0].both.text[:40]}” of {self.name.lower()} names no option.",
                    "Write the letter of the right option (several for multiple choice).",
                    key.line,
                )
                extra.append(joined(pieces))
                continue
            said.append((found[0], key.line))
            behind = "" if layout.remark(found[1]) else found[1].text
            extra += [t for t in (behind, joined(pieces[1:])) if t and not self._is_option_text(t)]
        return said, extra

    def _letters_of(self, value: Both) -> tuple[list[str], Both] | None:
        same = [key for key, text in self.options if text and _plain(text) == _plain(value.text)]
        if len(same) == 1 and not (len(_plain(value.text)) == 1 and letters(value)):
            return same, Both("", "")
        alone = re.fullmatch(r"\(?([ivx])[).]?", value.shape)
        if alone and len(self.options) < 9:
            return [{"i": "A", "v": "E", "x": "J"}[alone[1]]], Both("", "")
        return letters(value)

    def _is_option_text(self, text: str) -> bool:
        return any(_plain(text) == _plain(option) for _, option in self.options)

    def _marked_good(self) -> list[str]:
        marked = [o.is_good for o in self.item.options]
        if not any(marked) or all(marked):
            return []
        return [key for (key, _), good in zip(self.options, marked, strict=True) if good]

    def _chosen_in_explanation(self) -> list[str]:
        """``故选B。`` in the explanation is as explicit as a line of its own."""
        found = _CHOSEN.findall(layout.shape(joined(self.why)))
        signs = {"".join(re.findall("[A-J]", f)) for f in found}
        return list(signs.pop()) if len(signs) == 1 else []

    def _agreed(self, said: list[tuple[list[str], int]]) -> list[str] | None:
        if not said:
            if not self.item.keys or not any(p.both for k in self.item.keys for p in k.pieces):
                self._no_key()
            return None
        first = said[0][0]
        other = next(((s, line) for s, line in said[1:] if set(s) != set(first)), None)
        if other is not None:
            self.problem(
                "E-TWOKEYS",
                f"{self.name} has two answers: {''.join(first)} and {''.join(other[0])}.",
                "Find out which one is right and take the other out.",
                max(other[1], said[0][1]),
            )
            return None
        names = {key for key, _ in self.options}
        strange = [letter for letter in first if letter not in names]
        if strange and self.options:
            self.problem(
                "E-KEYOPTION",
                f"The answer of {self.name.lower()} is {''.join(first)}, but there is no option {', '.join(strange)}.",
                "Correct the answer, or add the option.",
                said[0][1],
            )
            return None
        return sorted(set(first))

    def _true_false(self, kind: str) -> Imported:
        item = self.item
        said: list[tuple[bool, int]] = []
        extra: list[str] = []
        meaning = self._truth_options()
        for key in item.keys:
            pieces = [p for p in key.pieces if p.both]
            if not pieces:
                continue
            found = self._truth_of(pieces[0].both, meaning)
            if found is None:
                self.problem(
                    "E-KEY",
                    f"The answer “{pieces[0].both.text[:40]}” of {self.name.lower()} is neither true nor false.",
                    "Write 正确 or 错误, √ or ×, True or False.",
                    key.line,
                )
                continue
            said.append((found[0], key.line))
            extra += [t for t in (found[1].text, joined(pieces[1:])) if t]
        prompt = self.stem
        prompt = layout.without_choice_of_two(prompt)
        bracket = layout.ends_with_truth(prompt.shape)
        if bracket is not None and (inner := truth(Both.of(bracket["v"]))) is not None:
            said.append((inner[0], item.line))
            prompt = _without_end_bracket(prompt, bracket)
        elif (box := layout.ends_with_box(prompt.shape)) is not None:
            prompt = _without_end_bracket(prompt, box)
        lead = re.match(r"[(\[]\s*([^()\[\]]{0,5}?)\s*[)\]]\s*", prompt.shape)
        if lead and (not lead[1] or truth(Both.of(lead[1]))):
            if (inner := truth(Both.of(lead[1]))) is not None:
                said.append((inner[0], item.line))
            prompt = prompt.cut(lead.end())
        if item.before.strip() and (inner := truth(Both.of(item.before))) is not None:
            said.append((inner[0], item.line))
        if not said and self.named == "true_false" and (bare := layout.bare_truth(prompt)) is not None:
            inner = truth(Both.of(bare[0]))
            if inner is not None:
                said.append((inner[0], item.line))
                prompt = bare[1]
        if item.ticked is not None:
            said.append((item.ticked, item.line))
        if meaning is not None and (good := self._marked_good()):
            said.append((meaning["AB".index(good[0])], item.line))
        answer = self._agreed_truth(said)
        return self._made(kind, prompt, answer, self._explanation(extra))

    def _truth_of(self, value: Both, meaning: list[bool] | None) -> tuple[bool, Both] | None:
        if meaning is not None and (found := letters(value)) and len(found[0]) == 1 and found[0][0] in "AB":
            return meaning["AB".index(found[0][0])], found[1]
        return truth(value)

    def _agreed_truth(self, said: list[tuple[bool, int]]) -> bool | None:
        if not said:
            if not any(p.code == "E-KEY" for p in self.problems):
                self._no_key()
            return None
        if len({value for value, _ in said}) > 1:
            self.problem(
                "E-TWOKEYS",
                f"{self.name} is called both true and false.",
                "Find out which one is right and take the other out.",
                max(line for _, line in said),
            )
            return None
        return said[0][0]

    def _blank(self, kind: str) -> Imported:
        prompt: Both = self.stem
        filled: list[str] = []
        if not self.item.keys:
            prompt, filled = _filled_blanks(self.item, self.stem)
        blanks = len(layout.BLANK.findall(prompt.shape))
        pieces = [p for k in self.item.keys for p in k.pieces if p.both]
        extra: list[str] = []
        if filled:
            texts = filled if len(filled) > 1 else blank_texts(filled[0], 1)
        elif blanks > 1:
            texts = blank_texts("；".join(p.both.text for p in pieces), blanks)
        else:
            texts = blank_texts(pieces[0].both.text, 1) if pieces else []
            extra = [joined(pieces[1:])]
        if not texts:
            self._no_key()
        if blanks > 1 and texts and len(texts) != blanks:
            self.problem(
                "W-BLANKS",
                f"{self.name} has {blanks} blanks, but its answer cannot be cut into {blanks}.",
                "Separate the answers of the blanks by ；.",
            )
        elif blanks > 1 and texts:
            self.problem(
                "W-MANYBLANKS",
                f"{self.name} has {blanks} blanks: its answer lists one text per blank, in order.",
                "Make a question of each blank; until then members type all texts in order.",
            )
        return self._made(kind, prompt, texts or None, self._explanation(extra))

    def _numeric(self, kind: str) -> Imported:
        return self._made(kind, self.stem, [self._key_text().strip().rstrip("。")], self._explanation())

    def _case(self, kind: str) -> Imported:
        rows = [p for k in self.item.keys for p in k.pieces if p.both]
        if not rows:
            self._no_key()
        made = self._made("case", self.stem, None, self._explanation())
        return _with_reference(made, joined(rows, newline=True), tuple(rubric(rows)))


def _with_reference(made: Imported, reference: str, points: tuple[Point, ...]) -> Imported:
    from dataclasses import replace

    return replace(made, reference=reference, rubric=points)


def _with_sound(made: Imported, sound: bool) -> Imported:
    from dataclasses import replace

    return replace(made, sound=sound)


def _untagged(stem: Both) -> tuple[Both, str | None]:
    found = layout.kind_tag(stem.shape)
    if found is None:
        return stem.cut(0), None
    kind, start, end = found
    before, after = stem.cut(0, start), stem.cut(end)
    return Both(before.text + after.text, before.shape + after.shape), kind


_MANY = re.compile(
    r"哪些|哪几|有哪|多选|which of the following (?:are|statements are|options are|were)|which (?:two|three|four)\b",
    re.I,
)
_SELECT = re.compile(
    r"(?:select|choose|check|mark|pick)\s+(?:all|two|three|four|2|3|4|any)\b|all that apply|\(多选\)|选出所有|选择所有",
    re.I,
)
_CHOSEN = re.compile(
    r"(?:故|因此|所以|本题|应|答案)(?:应|正确)?(?:选择?|答案(?:为|是|选))\s*:?\s*([A-J](?:[、,\s]*[A-J])*)(?![A-Za-z])"
)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", layout.shape(text)).lower()


_BRACKET = re.compile(
    r"[(\[]\s*(?:(?:答案|选|ans(?:wer)?)\s*:?\s*)?(?P<l>[A-Ja-j](?:[\s、,;/]*[A-Ja-j])*)\s*[)\]]"
    r"|_+\s*(?P<u>[A-J](?:[\s、,]*[A-J])*)\s*_+"
)


def _bracket_key(stem: Both, allowed: str) -> tuple[list[str], int, int, bool] | None:
    """A key in brackets inside a stem: letters, where it is, and whether it stands at the end.

    The last one that holds nothing but letters of options counts; two different ones in mid-sentence are labels.
    """
    found: list[tuple[list[str], int, int, bool]] = []
    for match in _BRACKET.finditer(stem.shape):
        raw = match["l"] or match["u"]
        signs = [c for c in raw if c.isalpha()]
        names = [c.upper() for c in signs]
        if (
            len(set(names)) != len(names)
            or any(n not in allowed for n in names)
            or (raw != raw.upper() and raw != raw.lower())
        ):
            continue
        if any(c.islower() for c in signs) and match.end() != len(stem.shape.rstrip(" .。?:")):
            continue
        found.append((sorted(names), match.start(), match.end(), not stem.shape[match.end() :].strip(" .。?!:,;")))
    if not found:
        return None
    if not found[-1][3] and len({tuple(f[0]) for f in found}) > 1:
        return None
    return found[-1]


def _without_bracket(stem: Both, start: int, end: int) -> Both:
    """The stem without its key: nothing is left where it was appended, an empty bracket inside a sentence."""
    after = stem.text[end:]
    if not after.strip():
        return stem.cut(0, start)
    gap = stem.text[start] + " " + stem.text[end - 1]
    if stem.text[start] == "_":
        gap = "____"
    return Both.of(stem.text[:start] + gap + after)


def _without_end_bracket(stem: Both, found: re.Match[str]) -> Both:
    tail = stem.text[found.end() :]
    stop = re.search(r"[.。;]\s*$", stem.shape[found.start() :])
    head = stem.cut(0, found.start())
    if stop and not head.shape.endswith((".", "。", "?", "!", ";")):
        return Both.of(head.text + stop[0].strip() + tail)
    return head


def _filled_blanks(item: Item, stem: Both) -> tuple[Both, list[str]]:
    """Answers that stand in the blanks themselves: ``__text__``, 【text】, or Word's underline."""
    for pattern in (
        r"_{2,}\s*([^_\n]{1,40}?)\s*_{2,}",
        r"_([^_\s][^_\n]{0,38}?)_(?!_)",
        r"\[\s*([^\[\]\n]{1,40}?)\s*\]",
    ):
        found = [m for m in re.finditer(pattern, stem.shape) if re.search(r"\w", m[1])]
        if found and not (pattern.startswith("_{2") and len(layout.BLANK.findall(stem.shape)) > len(found) * 2):
            texts = [stem.text[m.start(1) : m.end(1)].strip() for m in found]
            text = stem.text
            for m in reversed(found):
                text = text[: m.start()] + "____" + text[m.end() :]
            return Both.of(text), texts
    lines = [(row, mark) for row in item.stem for mark in row.marks if mark.kind == "underline"]
    texts = [row.both.text[mark.start : mark.end].strip(" _") for row, mark in lines]
    if texts and all(texts) and not layout.BLANK.search(stem.shape):
        text = stem.text
        for filled in texts:
            text = text.replace(filled, "____", 1)
        return Both.of(re.sub(r"[_\s]*____[_\s]*", "____", text)), texts
    inside = re.findall(r"[(（]\s*([^()（）]{1,40}?)\s*[)）]", stem.text)
    if item.section.kind == "blank" and len(inside) == 1 and not layout.BLANK.search(stem.shape):
        return Both.of(re.sub(r"[(（]\s*[^()（）]{1,40}?\s*[)）]", "____", stem.text)), [inside[0]]
    return stem, []


_QUANTITY = re.compile(
    r"[=≈约~\s]*[-+−]?\d[\d,]*(?:\.\d+)?(?:\s*[×x*]\s*10\s*\^?\s*[-−]?[\d⁰¹²³⁴-⁹⁻]+|[eE][-+]?\d+)?\s*(?:%"
    r"|[A-Za-zμΩ°][\w/·^²³]{0,12}|[\u4e00-\u9fff]{1,4})?[.。]?"
)


def _is_quantity(text: str) -> bool:
    return bool(_QUANTITY.fullmatch(text.strip()))


_SUBHEAD = re.compile(r"(?:[(\[]?[一二三四五六七八九十]+[)\].、]\s*)?(?P<t>[^\d:。,;]{2,24}):")
_POINT = re.compile(
    r"(?:\(?\d{1,2}\s*[).、]|\[\d{1,2}\]|[①-⑳]|[-*•]\s|第[一二三四五六七八九十][,、:]|(?:首先|其次|最后)[,、:])\s*"
)
_POINTS = re.compile(r"[(\[]\s*(\d{1,2})\s*(?:分|points?|pts?|marks?)\s*[)\]]", re.I)


def rubric(rows: Sequence[Row]) -> list[Point]:
    """The points of a reference answer: numbered or listed lines under their sub-headings, else one a line."""
    points: list[Point] = []
    heading = ""
    listed = any(_POINT.match(row.both.shape) for row in rows)
    for row in rows:
        head = _SUBHEAD.fullmatch(row.both.shape)
        if head:
            heading = row.both.text[head.start("t") : head.end("t")]
            continue
        found = _POINT.match(row.both.shape)
        worth = _POINTS.search(row.both.shape)
        body = row.both.cut(found.end() if found else 0)
        text = re.sub(
            r"\s*[(（\[【]\s*\d{1,2}\s*(?:分|points?|pts?|marks?)\s*[)）\]】]", "", body.text, flags=re.I
        ).strip()
        if found or not points or not listed:
            points.append(Point(row.line, heading, text, int(worth[1]) if worth else None))
        else:
            last = points[-1]
            together = joined([Row.of(last.line, last.text, False), Row.of(row.line, text, False)])
            points[-1] = Point(last.line, last.heading, together, last.points)
    return [p for p in points if p.text]


def finished(item: Item, ordinal: int, *, front: bool) -> tuple[Imported | None, list[Problem]]:
    """The question of an item and its problems; no question where the rows turn out to be none.

    ``front``: it stands before the first heading of a document that has headings.
    """
    if item.has_parts and not item.keys:
        return None, []
    bare = not item.options and not item.keys and not item.boxed
    text = layout.shape(joined(item.stem))
    keyed = (
        layout.ends_with_truth(text) or layout.ends_with_box(text) or layout.BLANK.search(text) or item.before.strip()
    )
    if bare and not keyed and (front or (item.kind is None and not layout.asks(text))):
        shown = joined(item.stem)[:40]
        return None, [
            Problem(
                item.line,
                "I-SKIPPED" if front else "E-UNREAD",
                f"“{item.number}. {shown}” was not read as a question: it has no options and no answer.",
                "If it is one, put it under the heading of its kind and write its answer.",
            )
        ]
    finish = _Finish(item, ordinal)
    question = finish.result()
    return question, finish.problems
