"""From what was read of a question to what the report shows: its kind, its prompt, the answer all its keys agree on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from content.importers import layout
from content.importers.items import CHOICE, Item, KeyText, Option, Row, joined
from content.importers.keys import blank_texts, letters, truth
from content.importers.layout import LETTERS, Both
from content.importers.report import Imported, Point, Problem
from content.importers.rubric import rubric
from content.importers.stems import bracket_key, end_key, filled_blanks, untagged, without_bracket, without_end_bracket

_MANY = re.compile(
    r"哪些|哪几|有哪|多选|which of the following (?:are|statements are|options are|were)|which (?:two|three|four)\b",
    re.I,
)


_SELECT = re.compile(
    r"(?:select|choose|check|mark|pick)\s+(?:all|two|three|four|2|3|4|any)\b|all that apply|\(多选\)|选出所有|选择所有",
    re.I,
)


_CHOSEN = re.compile(
    r"(?:(?:故|因此|所以|本题|应)(?:应|正确)?(?:选择?|答案(?:为|是|选))|(?:正确|参考|本题)?答案(?:应?为|是|选|:))\s*:?\s*"
    r"([A-J](?:[、,\s]*[A-J])*)(?![A-Za-z])"
)


_QUANTITY = re.compile(
    r"[=≈约~\s]*[-+−]?\d[\d,]*(?:\.\d+)?(?:\s*[×x*]\s*10\s*\^?\s*[-−]?[\d⁰¹²³⁴-⁹⁻]+|[eE][-+]?\d+)?\s*(?:%"
    r"|[A-Za-zμΩ°][\w/·^²³]{0,12}|[\u4e00-\u9fff]{1,4})?[.。]?"
)


class _Finish:
    """One item on its way to the report."""

    def __init__(self, item: Item, ordinal: int) -> None:
        self.item = item
        self.ordinal = ordinal
        self.problems: list[Problem] = []
        self.sound = True
        self._take_digit_options()
        self.stem, self.tag = untagged(layout.without_label(layout.without_scores(Both.of(joined(item.stem)))))
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
        if len(options) > 1 and all(text.endswith(("；", ";")) for _, text in options[:-1]):
            options = [(key, text.rstrip("；;。.")) for key, text in options]
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
        if self.options or bracket_key(self.stem, LETTERS) is not None:
            return self._single_or_multiple()
        blank = layout.BLANK.search(self.stem.shape)
        if blank and not (blank[0][0] in "([" and self._key_letters()):
            return "blank"
        return self._single_or_multiple() if blank else "case"

    def _single_or_multiple(self) -> str:
        found = self._key_letters() or [option.text for option in self.item.options if option.is_good]
        if not found:
            bracket = bracket_key(self.stem, LETTERS) or end_key(self.stem, "".join(k for k, _ in self.options))
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
            blanks=_blanks(text, answer) if kind == "blank" else 0,
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
        bracket = bracket_key(prompt, "".join(k for k, _ in self.options) or LETTERS)
        if bracket is not None and (bracket[3] or not said or set(bracket[0]) == set(said[0][0])):
            said.append((bracket[0], self.item.line))
            prompt = without_bracket(prompt, bracket[1], bracket[2])
        before = letters(Both.of(self.item.before.strip()))
        if before is not None and not before[1]:
            said.append((before[0], self.item.line))
        good = self._marked_good()
        if good and (not said or set(good) != set(said[0][0])):
            said.append((good, self.item.line))
        if not said and not self.item.keys and (chosen := self._chosen_in_explanation()):
            said.append((chosen, self.item.line))
        if not said and not self.item.keys and (last := end_key(prompt, "".join(k for k, _ in self.options))):
            said.append((last[0], self.item.line))
            prompt = last[1]
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
        if re.fullmatch(r"(?:全选|全部(?:都?选|正确)?|都选|all(?: of (?:them|the above))?)[.。]?", value.shape, re.I):
            return [key for key, _ in self.options], Both("", "")
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
            prompt = without_end_bracket(prompt, bracket)
        elif (box := layout.ends_with_box(prompt.shape)) is not None:
            prompt = without_end_bracket(prompt, box)
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
            prompt, filled = filled_blanks(self.item, self.stem)
        blanks = max(len(layout.BLANK.findall(prompt.shape)), _circled_blanks(prompt, self._key_text()))
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


def _circled_blanks(prompt: Both, key: str) -> int:
    """① and ② in a stem are its blanks where the answer speaks of the same ones."""
    signs = set(re.findall("[①-⑩]", prompt.shape))
    return len(signs) if len(signs) > 1 and signs == set(re.findall("[①-⑩]", key)) else 0


def _blanks(prompt: str, answer: list[str] | bool | None) -> int:
    found = len(layout.BLANK.findall(layout.shape(prompt)))
    if not found and isinstance(answer, list) and len(answer) == len(set(re.findall("[①-⑩]", prompt))):
        return len(answer)
    return found


def _with_reference(made: Imported, reference: str, points: tuple[Point, ...]) -> Imported:
    return replace(made, reference=reference, rubric=points)


def _with_sound(made: Imported, sound: bool) -> Imported:
    return replace(made, sound=sound)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", layout.shape(text)).lower()


def _is_quantity(text: str) -> bool:
    return bool(_QUANTITY.fullmatch(text.strip()))


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
