"""Bank files -> questions, with every fault of every file at once: where it is, what it is, how to mend it.

Three sieves in turn: the YAML itself (``yaml_reader``), the fields (``schema.json``), the sense (``soundness``).
A question that one sieve holds back goes to no later one; the other questions go on.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from content.arithmetic import is_monotonic, magnitudes
from content.library import Check, Entry, Library
from content.question import (
    Kind,
    Mistake,
    NumericKey,
    Option,
    Question,
    RubricPoint,
    Source,
    Status,
    Text,
)
from content.soundness import Flaw, flaws, lacks_key
from content.taxonomy import Taxonomy, default_taxonomy
from content.yaml_reader import MAX_BYTES, Item, Problem, read_items

SUFFIXES = (".yaml", ".yml")
Where = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend. ``line`` counts from 1; a fault that is not ``fatal`` leaves its question out, no more."""

    path: str
    line: int
    question_id: str
    code: str
    fault: str
    cure: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.fault}; {self.cure}"


class BankFault(Exception):
    """The bank cannot be used: ``faults`` are all the reasons, its text has one line for each."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


@dataclass(slots=True)
class Reading:
    """What files hold: the questions that could be made, sound or not, and all faults."""

    entries: list[Entry] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    def sound(self) -> Iterator[Entry]:
        """Entries without a fault that concerns their key or their form."""
        faulty = {fault.question_id for fault in self.faults}
        return (entry for entry in self.entries if entry.question.id not in faulty)


def load_bank(directory: Path, *, drafts: bool = False, taxonomy: Taxonomy | None = None) -> Library:
    """The published questions below ``directory``, and with ``drafts`` also those that are on their way.

    Raises BankFault with every fault of every file. Drafts without a key are left out, which is no fault.
    """
    reading = read_files([directory], taxonomy)
    fatal = [fault for fault in reading.faults if fault.fatal]
    if fatal:
        raise BankFault(fatal)
    return Library(tuple(e for e in reading.sound() if drafts or e.question.status is Status.PUBLISHED))


def check_files(paths: Iterable[Path], taxonomy: Taxonomy | None = None) -> list[Fault]:
    """Every fault of the files and of the folders' files, in the order of the files; empty when all is well."""
    return read_files(paths, taxonomy).faults


def read_files(paths: Iterable[Path], taxonomy: Taxonomy | None = None) -> Reading:
    """Questions and faults of files and folders; ids must be unique over all of them."""
    reading = Reading()
    taxonomy = taxonomy or default_taxonomy()
    places: dict[str, str] = {}
    for path in paths:
        try:
            files = list(_files(path))
        except OSError as error:
            reading.faults.append(_unreadable(path, error))
            continue
        if not files:
            reading.faults.append(Fault(str(path), 1, "", "F01", "there is no question file", "add a .yaml file"))
        for file in files:
            _read_file(file, reading, places, taxonomy)
    return reading


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES) and not name.startswith("."):
                yield Path(folder, name)


def _raise(error: OSError) -> None:
    raise error


def _unreadable(path: Path, error: OSError) -> Fault:
    reason = (error.strerror or "cannot be read").lower()
    return Fault(str(path), 1, "", "F01", f"cannot read it: {reason}", "check the path and its permissions")


def _read_file(path: Path, reading: Reading, places: dict[str, str], taxonomy: Taxonomy) -> None:
    try:
        with path.open("rb") as file:
            items, problems = read_items(file.read(MAX_BYTES + 1))
    except OSError as error:
        reading.faults.append(_unreadable(path, error))
        return
    found: list[Fault] = []
    by_item: dict[int, list[Problem]] = {}
    for problem in problems:
        owner = _owner(problem, items)
        by_item.setdefault(owner, []).append(problem)
        question_id = _id_of(items[owner].value) if owner >= 0 else ""
        found.append(Fault(str(path), problem.line, question_id, problem.code, problem.fault, problem.cure))
    if not items and not problems:
        found.append(Fault(str(path), 1, "", "F04", "the file has no question", "write one or remove the file"))
    for index, item in enumerate(items):
        entry, faults = _read_item(str(path), item, by_item.get(index, []), taxonomy)
        found += faults
        question_id = _id_of(item.value)
        here = f"{path}:{item.lines.line}"
        if question_id and question_id in places:
            fault = f"the id '{question_id}' is taken ({places[question_id]})"
            line = item.lines.find(("id",))
            found.append(Fault(str(path), line, question_id, "F12", fault, "give each question its own id"))
            continue
        if question_id:
            places[question_id] = here
        if entry is not None:
            reading.entries.append(entry)
    reading.faults += sorted(found, key=lambda fault: fault.line)


def _owner(problem: Problem, items: list[Item]) -> int:
    """Index of the item whose lines the problem lies in, -1 for none. Broken items are not among them."""
    if not problem.where:
        return -1
    before = [index for index, item in enumerate(items) if item.lines.line <= problem.line]
    return before[-1] if before else -1


def _id_of(value: Any) -> str:
    found = value.get("id") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _read_item(path: str, item: Item, problems: list[Problem], taxonomy: Taxonomy) -> tuple[Entry | None, list[Fault]]:
    question_id = _id_of(item.value)

    def fault(where: Where, code: str, text: str, cure: str, *, fatal: bool = True) -> Fault:
        return Fault(path, item.lines.find(where), question_id, code, text, cure, fatal)

    plain = _without_nothing(item.value)
    told = {problem.where for problem in problems}
    wrong = [fault(*found) for found in _field_faults(plain) if found[0] not in told]
    if wrong or problems:
        return None, wrong
    entry = _entry(plain, path, item.lines.line)
    if lacks_key(entry.question) and entry.question.status is Status.DRAFT:
        cure = "add the key; until then the question is left out"
        return entry, [fault((), "F14", "the draft has no key", cure, fatal=False)]
    return entry, [_fault_of(flaw, fault) for flaw in flaws(entry, taxonomy)]


def _fault_of(flaw: Flaw, fault: Any) -> Fault:
    made: Fault = fault(flaw.where, flaw.code, flaw.fault, flaw.cure)
    return made


# --- fields --------------------------------------------------------------------------------------------------------


@cache
def _schema() -> dict[str, Any]:
    plain: dict[str, Any] = json.loads((Path(__file__).parent / "schema.json").read_text(encoding="utf-8"))
    return plain


@cache
def _validators() -> Mapping[str, Draft202012Validator]:
    """One validator per kind, references written out: the choice by kind costs nothing, and errors name the field."""
    schema = _schema()
    Draft202012Validator.check_schema(schema)
    return {kind.value: Draft202012Validator(_inlined(schema["$defs"][kind.value])) for kind in Kind}


def _inlined(schema: Any) -> Any:
    if isinstance(schema, dict):
        if "$ref" in schema:
            return _inlined(_schema()["$defs"][schema["$ref"].rpartition("/")[2]])
        return {name: _inlined(part) for name, part in schema.items()}
    return [_inlined(part) for part in schema] if isinstance(schema, list) else schema


@cache
def _field_names() -> frozenset[str]:
    """Every field name of the format."""
    names: set[str] = set()

    def collect(schema: Any) -> None:
        if isinstance(schema, dict):
            names.update(schema.get("properties", ()))
            for part in schema.values():
                collect(part)
        elif isinstance(schema, list):
            for part in schema:
                collect(part)

    collect(_schema())
    return frozenset(names)


def _without_nothing(value: Any) -> Any:
    """``value`` without fields that are left empty. An unknown name stays: it may be half of an unquoted text."""
    if isinstance(value, list):
        return [_without_nothing(part) for part in value]
    if not isinstance(value, dict):
        return value
    kept = {name: _without_nothing(part) for name, part in value.items()}
    return {name: part for name, part in kept.items() if part not in (None, "", {}) or name not in _field_names()}


def _field_faults(plain: Any) -> Iterator[tuple[Where, str, str, str]]:
    """(where, code, fault, cure) of everything in which the fields differ from the schema."""
    if not isinstance(plain, dict):
        yield (), "F11", "this is not a question", "write fields: '- id: …', 'kind: …' (docs/question-format.md)"
        return
    kind = plain.get("kind")
    validator = _validators().get(kind) if isinstance(kind, str) else None
    if validator is None:
        fault = "'kind' is missing" if kind is None else f"there is no kind '{kind}'"
        yield ("kind",), "F11", fault, f"write one of {', '.join(k.value for k in Kind)}{_meant(str(kind), Kind)}"
        return
    for error in validator.iter_errors(plain):
        yield from _explain(error, ())


def _explain(error: ValidationError, above: Where) -> Iterator[tuple[Where, str, str, str]]:
    where: Where = above + tuple(error.relative_path)
    name = f"'{_dotted(where)}'" if where else "the question"
    value: Any = error.instance
    wanted: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            # The validator reports each missing field by itself; its name is in the message alone.
            missing = error.message.split("'")[1]
            yield where, "F10", f"{name} has no '{missing}'", f"add '{missing}: …'"
        case "additionalProperties":
            known: dict[str, Any] = schema["properties"]
            for unknown in [field for field in value if field not in known]:
                yield (*where, unknown), *_unknown_field(unknown, name, known)
        case "anyOf":
            yield from _explain_text(error, where, name)
        case "type":
            yield where, "F11", f"{name} is {_kind_of(value)}", _type_cure(wanted, value)
        case "enum":
            fault = f"{name} is '{value}'"
            yield where, "F11", fault, f"write one of {', '.join(wanted)}{_meant(str(value), wanted)}"
        case "pattern":
            yield where, "F11", f"{name} is '{value}'", _PATTERNS.get(_last(where), _PATTERNS["id"])
        case "minLength" if not value.strip():
            yield where, "F10", f"{name} is empty", "write it or leave the field out"
        case _:
            fault, cure = _BOUNDS.get(str(error.validator), ("{name} is not as it should be", "{wanted}"))
            yield where, "F11", fault.format(name=name, value=value), cure.format(wanted=wanted)


_PATTERNS = {
    "id": "use small letters, digits and single hyphens (kv-cache-size)",
    "key": "name the options a, b, c … (small letters)",
    "as_of": 'write year and month in quotes ("2025-06")',
    "code": "write a code of docs/lint-codes.md (A08)",
}
_BOUNDS = {
    "minimum": ("{name} is {value}", "write {wanted} or more"),
    "maximum": ("{name} is {value}", "write {wanted} or less"),
    "exclusiveMaximum": ("{name} is {value}", "write less than {wanted} (0.01 is 1 %)"),
    "minItems": ("{name} has too few entries", "write at least {wanted}"),
    "maxItems": ("{name} has too many entries", "write at most {wanted}"),
    "minLength": ("{name} is too short", "write at least {wanted} characters"),
    "maxLength": ("{name} is too long", "write at most {wanted} characters"),
    "minProperties": ("{name} is empty", "write 'en: …' and 'zh: …'"),
    "propertyNames": ("{name} has a name that is no word", "use letters, digits and _"),
}


def _explain_text(error: ValidationError, where: Where, name: str) -> Iterator[tuple[Where, str, str, str]]:
    """A text is a string or {en, zh}: say what is wrong with the form that the author chose."""
    if not isinstance(error.instance, dict):
        cure = _type_cure("string", error.instance)
        yield where, "F11", f"{name} is {_kind_of(error.instance)}", f"{cure}, or write {{en: …, zh: …}}"
        return
    for inner in error.context or ():
        if inner.schema_path[0] == 1:  # the branch of {en, zh}
            yield from _explain(inner, where)


def _unknown_field(unknown: str, name: str, known: Mapping[str, Any]) -> tuple[str, str, str]:
    if any(mark in unknown for mark in " ,，。；") or not unknown.isascii():
        return "F09", f"'{unknown}' is read as a field", "a text with a comma inside { } must be in quotes"
    if unknown in _field_names():
        return "F13", f"{name} has the field '{unknown}', which does not belong there", "remove it or change the kind"
    cure = f"remove it{_meant(unknown, known)}" if _meant(unknown, known) else f"known are {', '.join(known)}"
    return "F09", f"{name} has an unknown field '{unknown}'", cure


def _meant(word: str, known: Iterable[Any]) -> str:
    close = difflib.get_close_matches(word, [str(k) for k in known], n=1, cutoff=0.6)
    return f" (did you mean '{close[0]}'?)" if close else ""


def _dotted(where: Where) -> str:
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in where)


def _last(where: Where) -> str:
    names = [step for step in where if isinstance(step, str)]
    return names[-1] if names else ""


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "empty"
        case bool():
            return f"the truth value {str(value).lower()}"
        case int() | float():
            return f"the number {value}"
        case str():
            return f"the text '{value[:40]}'"
        case list():
            return "a list"
        case _:
            return "a group of fields"


def _type_cure(wanted: Any, value: Any) -> str:
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    if "string" in names:
        return "put it in quotes" if isinstance(value, bool | int | float) else "write a text"
    cures = {
        "number": "write a number without quotes and unit",
        "integer": "write a whole number without quotes",
        "boolean": "write true or false",
        "array": "write a list: [ …, … ] or lines that begin with '- '",
        "object": "write fields: { name: …, … }",
    }
    return cures[names[0]]


# --- values --------------------------------------------------------------------------------------------------------


def _entry(plain: Mapping[str, Any], path: str, line: int) -> Entry:
    check = plain.get("check")
    return Entry(
        question=_question(plain),
        path=path,
        line=line,
        check=_check(check) if check else None,
        waivers={waiver["code"]: waiver["reason"] for waiver in plain.get("waive", ())},
        as_of=plain.get("as_of", ""),
        variant_of=plain.get("variant_of", ""),
    )


def _check(plain: Mapping[str, Any]) -> Check:
    return Check(
        value=str(plain["value"]),
        inputs=plain.get("inputs", {}),
        unit=plain.get("unit", ""),
        equals=str(plain.get("equals", "")),
        tolerance=plain.get("tolerance"),
    )


def _question(plain: Mapping[str, Any]) -> Question:
    options = tuple(_option(option) for option in plain.get("options", ()))
    return Question(
        id=plain["id"],
        kind=Kind(plain["kind"]),
        topic=plain["topic"],
        difficulty=plain["difficulty"],
        prompt=_text(plain["prompt"]),
        explanation=_text(plain.get("explanation")),
        version=plain.get("version", 1),
        status=Status(plain.get("status", "draft")),
        options=options,
        keep_order=plain.get("keep_order", False) or in_order(options),
        answer=plain.get("answer"),
        accept={language: tuple(texts) for language, texts in plain.get("accept", {}).items()},
        shown=_text(plain.get("shown")),
        number=NumericKey(**plain["number"]) if "number" in plain else None,
        mistakes=tuple(Mistake(m["value"], _text(m["why"])) for m in plain.get("mistakes", ())),
        rubric=tuple(_rubric_point(point) for point in plain.get("rubric", ())),
        model_answer=_text(plain.get("model_answer")),
        discussion=_text(plain.get("discussion")),
        sources=tuple(Source(**{"locator": "", **source}) for source in plain.get("sources", ())),
    )


def in_order(options: Iterable[Option]) -> bool:
    """Are the options numbers that rise or fall? They then keep their places, as a reader expects."""
    values = magnitudes([option.text.get("en") for option in options])
    return values is not None and len(values) > 1 and is_monotonic(values)


def _option(plain: Mapping[str, Any]) -> Option:
    return Option(
        key=plain["key"],
        text=_text(plain["text"]),
        correct=plain.get("correct", False),
        why=_text(plain.get("why")),
        misconception=plain.get("misconception", ""),
    )


def _rubric_point(plain: Mapping[str, Any]) -> RubricPoint:
    mentions = {language: tuple(words) for language, words in plain.get("mentions", {}).items()}
    return RubricPoint(plain["points"], _text(plain["text"]), mentions)


def _text(plain: str | Mapping[str, str] | None) -> Text:
    if plain is None:
        return Text()
    # Block texts end in a line break that nobody means.
    if isinstance(plain, str):
        return Text(plain.strip(), plain.strip())
    return Text(plain.get("en", "").strip(), plain.get("zh", "").strip())
