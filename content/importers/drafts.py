"""Imported questions as drafts of the bank: a YAML file an author reviews, and the demo can ask at once.

A question whose key is missing or doubtful is written without a key (the loader leaves it out until it has one); one
that has not even the form of a question stands at the end of the file as a comment. Nothing that was read is lost.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from content.importers import layout
from content.importers.report import Imported, ImportFault, ImportReport, Problem
from content.question import Kind, Status
from content.taxonomy import IMPORTED, Taxonomy, default_taxonomy

_DIFFICULTY = 2  # until an author sets it
_MAX_RUBRIC, _MAX_OPTIONS, _MAX_POINTS = 12, 10, 10
_SPEAKS_OF_OTHERS = re.compile(
    r"以上|上述|前述|都是|都不是|全部|[A-J]\s*[和与、及]\s*[A-J]|\b(?:all|none|both|neither|any) of|the above"
    r"|\bboth [A-J]\b|\b[A-J] (?:and|or) [A-J]\b",
    re.I,
)


def write_drafts(report: ImportReport, to: Path, *, source_name: str, taxonomy: Taxonomy | None = None) -> list[Path]:
    """Write the questions as drafts into the folder ``to`` (made where missing); gives the files, none for none.

    Ids come from ``source_name``, section and number, so that a second import of the same document gives the same
    file. Raises ``ImportFault`` where the folder cannot be written or holds another file of that name.
    """
    if not report.questions:
        return []
    name = slug(Path(source_name).stem)
    path = to / f"{name}.yaml"
    text = drafts_text(report, source_name=source_name, taxonomy=taxonomy)
    try:
        to.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise ImportFault(f"{path} exists and differs: rename or remove it, or import into another folder.")
        _write(path, text)
    except OSError as error:
        raise ImportFault(
            f"The drafts cannot be written to {to} ({error.strerror}): check the folder and its permissions."
        ) from None
    return [path]


def _write(path: Path, text: str) -> None:
    """All of the file or nothing of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".import-", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def drafts_text(report: ImportReport, *, source_name: str, taxonomy: Taxonomy | None = None) -> str:
    """The YAML of all drafts of one document."""
    topics = taxonomy or default_taxonomy()
    problems: dict[int, list[Problem]] = {}
    for problem in report.problems:
        if problem.line is not None:
            problems.setdefault(problem.line, []).append(problem)
    head = [
        f"# Imported from {_one_line(source_name)}" + (f" (SHA-256 {report.sha256})" if report.sha256 else "") + ".",
        "# Drafts: review key, topic and difficulty; find out the licence and add sources before you publish any.",
    ]
    body: list[str] = []
    unfit: list[str] = []
    used: set[str] = set()
    for question in report.questions:
        plain = draft(question, _unique(question, slug(Path(source_name).stem), used), topics)
        said = [
            f"# line {question.line}",
            *(f"# {p.code}: {p.fault} {p.cure}" for p in problems.get(question.line, ())),
        ]
        text = "\n".join(map(_one_line, said)) + "\n" + _dump(plain)
        (body if _is_fit(plain) else unfit).append(text)
    if unfit:
        head.append("# What is not whole enough to be a draft stands as comments at the end of this file.")
    lines = {question.line for question in report.questions}
    other = [p for p in report.problems if p.line not in lines]
    if other:
        head.append("# Found in the document besides what stands at its questions:")
        head += [_one_line(f"# {f'line {p.line}: ' if p.line else ''}{p.code}: {p.fault} {p.cure}") for p in other]
    commented = ["\n".join(f"# {line}".rstrip() for line in text.splitlines()) + "\n" for text in unfit]
    return "\n".join(head) + "\n\n" + "\n".join([*body, *commented]) + ("" if body else "\n[]\n")


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


class _Dumper(yaml.SafeDumper):
    """Texts always in quotes, so that none is taken for a number, a date or a truth value."""


def _text_node(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    plain = re.fullmatch(
        r"[a-z]+(?:[-_][a-z0-9]+)+|[a-d]|single|multiple|blank|numeric|case|draft|imported|[efghij]", value
    )
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, None if plain else '"')


_Dumper.add_representer(str, _text_node)


def _dump(plain: dict[str, Any]) -> str:
    text: str = yaml.dump([plain], Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=10**6)
    # Keys of a mapping are quoted by the same rule; they read better without.
    return re.sub(r'^((?:- )?\s*(?:- )?)"([a-z_]+)":', r"\1\2:", text, flags=re.M)


def slug(name: str) -> str:
    """Small letters, digits and hyphens; Chinese by its pinyin; cut at 40 characters with a mark of its own."""
    if any(layout.is_han(c) for c in name):
        from pypinyin import lazy_pinyin

        name = "-".join(lazy_pinyin(name))
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if plain and len(plain) <= 40:
        return plain
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    return f"{plain[:33].rstrip('-')}-{mark}" if plain else f"exam-{mark}"


def _unique(question: Imported, name: str, used: set[str]) -> str:
    number = question.number if question.number is not None else f"line-{question.line}"
    wanted = f"{name}-{question.section_ordinal}-{number}"
    count, found = 2, wanted
    while found in used:
        found, count = f"{wanted}-{count}", count + 1
    used.add(found)
    return found


def language(question: Imported) -> str:
    """``zh`` where the question has any Chinese character, else ``en``."""
    texts = [question.prompt, *(text for _, text in question.options), question.explanation or ""]
    return "zh" if any(layout.is_han(c) for text in texts for c in text) else "en"


def draft(question: Imported, identity: str, taxonomy: Taxonomy) -> dict[str, Any]:
    """The plain form of a draft, as it stands in a file of the bank."""
    in_ = language(question)
    prompt = layout.BLANK.sub("____", layout.shape(question.prompt)) if question.kind == Kind.BLANK else ""
    plain: dict[str, Any] = {
        "id": identity,
        "kind": question.kind,
        "topic": guess_topic(question, taxonomy),
        "difficulty": _DIFFICULTY,
        "status": Status.DRAFT.value,
        "prompt": {in_: _with_blanks(question.prompt) if prompt else question.prompt},
    }
    plain.update(_key(question, in_))
    if question.explanation:
        plain["explanation"] = {in_: question.explanation}
    return plain


def _with_blanks(prompt: str) -> str:
    """Every blank written ``____``, as the bank has it."""
    text = prompt
    for found in reversed(list(layout.BLANK.finditer(layout.shape(prompt)))):
        text = text[: found.start()] + "____" + text[found.end() :]
    return text


def _key(question: Imported, in_: str) -> dict[str, Any]:
    answer = question.answer if question.sound else None
    if question.kind in (Kind.SINGLE, Kind.MULTIPLE):
        right = set(answer) if isinstance(answer, list) else set()
        options = [
            {"key": layout.LETTERS[i].lower(), "text": {in_: text}, **({"correct": True} if key in right else {})}
            for i, (key, text) in enumerate(question.options)
        ]
        together = any(_SPEAKS_OF_OTHERS.search(text) for _, text in question.options)
        return {"options": options, **({"keep_order": True} if together else {})}
    if question.kind == Kind.TRUE_FALSE:
        return {"answer": answer} if isinstance(answer, bool) else {}
    if question.kind == Kind.BLANK and isinstance(answer, list):
        accept, shown = _accepted(answer, question.blanks)
        return {"accept": {in_: accept}, "shown": {in_: shown}}
    if question.kind == Kind.NUMERIC and isinstance(answer, list):
        return _number(answer[0])
    if question.kind == Kind.CASE and question.reference:
        return _case(question, in_)
    return {}


def _accepted(answer: Sequence[str], blanks: int) -> tuple[list[str], str]:
    """What may be typed, and how the answer is shown; several blanks are typed in order, with ； between."""
    from content.importers.keys import alternatives

    if blanks > 1 and len(answer) == blanks:
        ways = [alternatives(text) or [text] for text in answer]
        texts = ["；".join(parts) for parts in list(product(*ways))[:20]]
        return texts, "；".join(answer)
    return list(answer), answer[0]


def _number(text: str) -> dict[str, Any]:
    from content.arithmetic import read_quantity

    found = read_quantity(text.lstrip("=≈约~ "))
    if found is None:
        return {}
    number: dict[str, Any] = {"value": found.value}
    if found.unit:
        number["unit"] = found.unit
    # As exact as it is written: half a unit of its last decimal; whole numbers exactly.
    number["abs_tolerance"] = found.step / 2 if found.step < 1 else 0
    return {"number": number}


def _case(question: Imported, in_: str) -> dict[str, Any]:
    points = [
        {
            "points": min(_MAX_POINTS, max(1, p.points or 1)),
            "text": {in_: f"{p.heading}{'：' if in_ == 'zh' else ': '}{p.text}" if p.heading else p.text},
        }
        for p in question.rubric
    ]
    return {"rubric": points[:_MAX_RUBRIC], "model_answer": {in_: question.reference}}


def _is_fit(plain: dict[str, Any]) -> bool:
    """It has the form of a question, with or without a key."""
    if not all(text.strip() for text in plain["prompt"].values()):
        return False
    if plain["kind"] not in (Kind.SINGLE, Kind.MULTIPLE):
        return True
    options = plain["options"]
    return 2 <= len(options) <= _MAX_OPTIONS and all(t.strip() for o in options for t in o["text"].values())


def guess_topic(question: Imported, taxonomy: Taxonomy) -> str:
    """The topic whose name occurs in the question (the longest one that does), else ``imported``."""
    from content.text_rules import simplify

    text = simplify(" ".join([question.prompt, *(t for _, t in question.options)])).casefold()
    best, length = IMPORTED, 0
    for topic in taxonomy.topics:
        for name in (topic.name.zh, topic.name.en, *topic.aliases):
            if len(name) > length and _occurs(name.casefold(), text):
                best, length = topic.slug, len(name)
    return best


def _occurs(name: str, text: str) -> bool:
    if any(layout.is_han(c) for c in name):
        return len(name) >= 2 and name in text
    return len(name) >= 3 and re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None
