"""What makes a question sound enough to be asked: the rules that stop a bank from loading.

Drafts must only hold together (``basics``); reviewed and published questions must be whole. Codes are those of
docs/lint-codes.md. Style, which may be waived, is in ``content.lint_items``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from content import lint_text
from content.arithmetic import ExpressionError, Quantity, convert, evaluate, read_quantity
from content.library import Check, Entry
from content.question import LANGUAGES, Kind, NumericKey, Question, Source, Status, Text
from content.taxonomy import IMPORTED, Taxonomy, UnknownTopicError

Where = tuple[str | int, ...]
BLANK: Final = re.compile(r"_{3,}")
_OPTION_COUNTS = {Kind.SINGLE: (3, 5), Kind.MULTIPLE: (4, 6)}
_ACCEPTED: Final = (12, 40)  # length of an accepted text: Chinese, English
_EXPLANATION: Final = (20, 60)
_ARXIV = re.compile(r"\d{4}\.\d{4,5}(v\d+)?|[a-z-]+(\.[A-Z]{2})?/\d{7}")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_URL = re.compile(r"https?://[^\s/]+\.[^\s/]+\S*")
_WHICH = re.compile(r"which of the following|(以下|下列)哪", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with a question; ``where`` is the path of the field inside it, ``code`` the rule."""

    code: str
    where: Where
    fault: str
    cure: str
    language: str = ""


def flaws(entry: Entry, taxonomy: Taxonomy) -> Iterator[Flaw]:
    """Every reason why the question of ``entry`` may not be asked in its status."""
    yield from basics(entry, taxonomy)
    if entry.question.status is Status.DRAFT:
        return
    yield from whole(entry)


def basics(entry: Entry, taxonomy: Taxonomy) -> Iterator[Flaw]:
    """What must hold for drafts too."""
    question = entry.question
    yield from _topic(question, taxonomy)
    yield from _option_keys(question)
    if question.kind is Kind.SINGLE and len(question.right_keys) > 1:
        yield Flaw("A05", ("options",), "a single choice has several right options", "keep one, or make it 'multiple'")
    yield from _check(entry)


def whole(entry: Entry) -> Iterator[Flaw]:
    """What reviewed and published questions must have."""
    question = entry.question
    yield from _languages(question)
    yield from _options(question)
    yield from _key(question)
    yield from _explained(question)
    yield from _sources(question)
    yield from _parity(question)


def lacks_key(question: Question) -> bool:
    """Does the question have no answer to grade by? (Imports often have not.)"""
    match question.kind:
        case Kind.SINGLE | Kind.MULTIPLE | Kind.TRUE_FALSE:
            return not question.right_keys
        case Kind.BLANK:
            return not any(question.accept.values())
        case Kind.NUMERIC:
            return question.number is None
        case Kind.CASE:
            return not question.rubric and not question.model_answer


# --- one rule each ---------------------------------------------------------------------------------------------------


def _topic(question: Question, taxonomy: Taxonomy) -> Iterator[Flaw]:
    if question.topic == IMPORTED and question.status is Status.DRAFT:
        return
    if question.topic == IMPORTED:
        yield Flaw("A27", ("topic",), "the topic is still 'imported'", "give it a topic of the taxonomy")
        return
    try:
        taxonomy.topic(question.topic)
    except UnknownTopicError as error:
        fault, _, cure = str(error).partition("; ")
        yield Flaw("A27", ("topic",), fault, cure)


def _option_keys(question: Question) -> Iterator[Flaw]:
    for index, option in enumerate(question.options):
        letter = "abcdefghij"[index]
        if option.key != letter:
            fault = f"option {index + 1} has the key '{option.key}'"
            yield Flaw("A05", ("options", index, "key"), fault, f"name the keys a, b, c … in order (here: {letter})")


def _options(question: Question) -> Iterator[Flaw]:
    if question.kind not in _OPTION_COUNTS:
        return
    low, high = _OPTION_COUNTS[question.kind]
    count, right = len(question.options), len(question.right_keys)
    if not low <= count <= high:
        fault = f"a question of kind {question.kind} has {count} options"
        yield Flaw("A03", ("options",), fault, f"give it {low} to {high}")
    if question.kind is Kind.SINGLE and right == 0:
        yield Flaw("A05", ("options",), "no option is right", "mark one with 'correct: true'")
    if question.kind is Kind.MULTIPLE and not 1 <= right <= count - 1:
        fault = "no option is right" if right == 0 else "every option is right"
        yield Flaw("A05", ("options",), fault, "have at least one right and one wrong option")
    yield from _doubles(question)


def _doubles(question: Question) -> Iterator[Flaw]:
    for language in LANGUAGES:
        seen: dict[str, str] = {}
        for index, option in enumerate(question.options):
            text = lint_text.normal(getattr(option.text, language))
            if not text:
                continue
            if text in seen:
                fault = f"options {seen[text]} and {option.key} say the same ({language})"
                yield Flaw("A04", ("options", index, "text"), fault, "reword one", language)
            seen.setdefault(text, option.key)


def texts(question: Question) -> Iterator[tuple[Where, Text]]:
    """Every text of the question that members may read, with its place."""
    yield ("prompt",), question.prompt
    for i, option in enumerate(question.options):
        yield ("options", i, "text"), option.text
        if option.why:
            yield ("options", i, "why"), option.why
    if question.shown:
        yield ("shown",), question.shown
    for i, mistake in enumerate(question.mistakes):
        yield ("mistakes", i, "why"), mistake.why
    for i, point in enumerate(question.rubric):
        yield ("rubric", i, "text"), point.text
    for name in ("model_answer", "explanation", "discussion"):
        text: Text = getattr(question, name)
        if text:
            yield (name,), text


def _languages(question: Question) -> Iterator[Flaw]:
    for where, text in texts(question):
        for language, name in (("en", "English"), ("zh", "Chinese")):
            if not getattr(text, language):
                yield Flaw("A27", where, f"{_name(where)} is missing in {name}", f"write '{language}: …'", language)


def _name(where: Where) -> str:
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in where)


def _key(question: Question) -> Iterator[Flaw]:
    match question.kind:
        case Kind.TRUE_FALSE if question.answer is None:
            yield Flaw("A05", (), "the statement has no answer", "write 'answer: true' or 'answer: false'")
        case Kind.BLANK:
            yield from _blank(question)
        case Kind.NUMERIC:
            yield from _number(question.number)
        case Kind.CASE:
            if len(question.rubric) < 3:
                fault = f"the rubric has {len(question.rubric)} points"
                yield Flaw("A05", ("rubric",), fault, "name 3 to 12 things that a good answer says")
            if not question.model_answer:
                yield Flaw("A24", (), "the case has no model answer", "write 'model_answer: {en: …, zh: …}'")


def _blank(question: Question) -> Iterator[Flaw]:
    for language in LANGUAGES:
        prompt = getattr(question.prompt, language)
        blanks = len(BLANK.findall(prompt))
        if prompt and not 1 <= blanks <= 2:
            cure = "write one blank as ____ (at most two)"
            yield Flaw("A22", ("prompt", language), f"the prompt has {blanks} blanks ({language})", cure, language)
        if _WHICH.search(prompt):
            cure = "ask for the term itself: a blank has no options to choose from"
            yield Flaw("A22", ("prompt", language), "a blank asks 'which of the following'", cure, language)
        accepted = question.accept.get(language, ())
        if not any(lint_text.normal(text) for text in accepted):
            yield Flaw("A22", ("accept",), f"nothing is accepted ({language})", f"write 'accept: {{{language}: […]}}'")
        limit = lint_text.pick(_ACCEPTED, language)
        for index, text in enumerate(accepted):
            if lint_text.length(text, language) > limit:
                fault = f"the accepted text '{text}' is longer than {limit}"
                yield Flaw("A22", ("accept", language, index), fault, "ask for a shorter term", language)
    if not question.shown:
        yield Flaw("A22", (), "there is no text for showing the answer", "write 'shown: {en: …, zh: …}'")


def _number(number: NumericKey | None) -> Iterator[Flaw]:
    if number is None:
        yield Flaw("A22", (), "the question has no number", "write 'number: {value: …, unit: …, tolerance: …}'")
    elif (number.tolerance is None) == (number.abs_tolerance is None):
        cure = "give 'tolerance' (relative, 0.01 is 1 %) or 'abs_tolerance' (in the unit)"
        yield Flaw("A22", ("number",), "the number needs exactly one tolerance", cure)


def _explained(question: Question) -> Iterator[Flaw]:
    if not question.explanation:
        yield Flaw("A24", (), "there is no explanation", "write 'explanation: {en: …, zh: …}'")
    for language in LANGUAGES:
        text = getattr(question.explanation, language)
        limit = lint_text.pick(_EXPLANATION, language)
        if text and lint_text.length(text, language) < limit:
            fault = f"the explanation is shorter than {limit} ({language})"
            yield Flaw("A24", ("explanation", language), fault, "say why the key is right", language)
    for index, option in enumerate(question.options):
        if not option.correct and not option.why:
            cure = "write 'why: {en: …, zh: …}'"
            yield Flaw("A24", ("options", index), f"option {option.key} has no reason why it is wrong", cure)


def _sources(question: Question) -> Iterator[Flaw]:
    if not question.sources:
        yield Flaw("A25", (), "there is no source", "write 'sources: [{title, locator, year, arxiv | doi | url}]'")
    for index, source in enumerate(question.sources):
        for fault, cure in _source(source):
            yield Flaw("A25", ("sources", index), f"source {index + 1} {fault}", cure)


def _source(source: Source) -> Iterator[tuple[str, str]]:
    ids = [(name, pattern) for name, pattern in (("arxiv", _ARXIV), ("doi", _DOI), ("url", _URL))]
    given = [(name, pattern) for name, pattern in ids if getattr(source, name)]
    if len(given) != 1:
        yield "needs exactly one of arxiv, doi and url", "keep the most lasting one"
    for name, pattern in given:
        if not pattern.fullmatch(getattr(source, name)):
            yield (
                f"has no readable {name} ('{getattr(source, name)}')",
                "write it like 2305.13245, 10.1145/…, https://…",
            )
    if not source.locator.strip():
        yield "has no locator", "name the section, table or page where the fact stands"


def _parity(question: Question) -> Iterator[Flaw]:
    for where, text in texts(question):
        if not (text.en and text.zh) or text.en == text.zh:
            continue
        only_en, only_zh = lint_text.missing_numbers(text.en, text.zh)
        if only_en or only_zh:
            parts = (("English", only_en), ("Chinese", only_zh))
            said = "; ".join(f"only the {name} has {_list(values)}" for name, values in parts if values)
            yield Flaw("A28", where, f"the numbers of {_name(where)} differ: {said}", "say the same in both languages")
        if lint_text.code_spans(text.en) != lint_text.code_spans(text.zh):
            yield Flaw("A28", where, f"the code in {_name(where)} differs", "use the same `code` in both languages")


def _list(values: list[float]) -> str:
    return ", ".join(f"{value:.15g}" for value in values)


# --- the recomputed key ------------------------------------------------------------------------------------------


def _check(entry: Entry) -> Iterator[Flaw]:
    question, check = entry.question, entry.check
    number = question.number
    for index, mistake in enumerate(question.mistakes):
        if number and is_within(number, mistake.value):
            fault = f"the mistake {mistake.value:g} counts as right"
            yield Flaw("A29", ("mistakes", index), fault, "narrow the tolerance or drop it")
    if check is None:
        return
    try:
        value = evaluate(check.value, check.inputs)
    except ExpressionError as error:
        yield Flaw("A29", ("check", "value"), f"the check cannot be computed: {error}", "mend the expression")
        return
    if number is not None:
        yield from _check_number(number, check, value)
    if check.equals:
        yield from _check_equals(question, check, value)


def is_within(number: NumericKey, value: float) -> bool:
    """Is ``value`` (in the key's unit) right by the key's tolerance? Without one it must be equal."""
    allowed = number.abs_tolerance if number.abs_tolerance is not None else abs(number.value) * (number.tolerance or 0)
    return abs(value - number.value) <= allowed + 1e-9 * abs(number.value)


def _check_number(number: NumericKey, check: Check, value: float) -> Iterator[Flaw]:
    converted = convert(value, check.unit or number.unit, number.unit)
    if converted is None:
        fault = f"the check is in '{check.unit}', the number in '{number.unit}'"
        yield Flaw("A29", ("check",), fault, "use one unit")
    elif not is_within(number, converted):
        fault = f"the check gives {converted:.8g} {number.unit}".rstrip() + f", the number is {number.value:.8g}"
        yield Flaw("A29", ("number",), fault, "mend the one that is wrong")


def _check_equals(question: Question, check: Check, value: float) -> Iterator[Flaw]:
    written = read_quantity(check.equals)
    if written is None:
        yield Flaw("A29", ("check", "equals"), f"'{check.equals}' is not a number with a unit", "write e.g. 512 MiB")
        return
    converted = convert(value, check.unit or written.unit, written.unit)
    if converted is None:
        fault = f"the check is in '{check.unit}', its 'equals' in '{written.unit}'"
        yield Flaw("A29", ("check",), fault, "use units that differ in their prefix alone")
        return
    if not _agrees(written, converted, check.tolerance):
        fault = f"the check gives {converted:.8g} {written.unit}".rstrip() + f", not {check.equals}"
        yield Flaw("A29", ("check", "equals"), fault, "mend the one that is wrong")
    if question.kind is Kind.SINGLE:
        yield from _check_options(question, check, written)


def _agrees(written: Quantity, value: float, tolerance: float | None) -> bool:
    """Rounded as it is written, or within the check's own relative tolerance."""
    allowed = written.step / 2 if tolerance is None else abs(value) * tolerance
    return abs(written.value - value) <= allowed * (1 + 1e-9)


def _check_options(question: Question, check: Check, written: Quantity) -> Iterator[Flaw]:
    for index, option in enumerate(question.options):
        text = option.text.get("en")
        quantity = read_quantity(text)
        same_unit = convert(quantity.value, quantity.unit, written.unit) if quantity else None
        if same_unit is None:
            if option.correct and lint_text.normal(check.equals) not in lint_text.normal(text):
                fault = f"the right option does not say {check.equals}"
                yield Flaw("A29", ("options", index), fault, "write it as in 'equals'")
            continue
        near = abs(same_unit - written.value) <= 0.01 * abs(written.value)
        if option.correct and not near:
            fault = f"the right option is {text}, the check says {check.equals}"
            yield Flaw("A29", ("options", index), fault, "mend the key")
        if not option.correct and near:
            fault = f"the wrong option {option.key} is within 1 % of the key"
            yield Flaw("A29", ("options", index), fault, "move it away")
