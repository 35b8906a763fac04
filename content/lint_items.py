"""Rules of style for one question: cues, wording, form. Codes and authorities are in docs/lint-codes.md.

Each rule takes an entry and yields flaws. Rules that need judgement are warnings, which an author may waive with a
reason; they are written to be silent when in doubt, because a rule that cries wolf is waived unread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

from content import lint_text
from content.arithmetic import is_monotonic, magnitudes, read_quantity
from content.library import Entry
from content.lint_text import CJK, length, normal, pick
from content.question import LANGUAGES, Kind, Option, Question, Text
from content.soundness import BLANK, Flaw, basics, texts, whole
from content.taxonomy import Taxonomy, default_taxonomy
from content.text_rules import simplify

Rule = Callable[[Entry], Iterator[Flaw]]
CHOICES = (Kind.SINGLE, Kind.MULTIPLE)

# --- words -----------------------------------------------------------------------------------------------------------

_I = re.IGNORECASE
_ALL_OF = re.compile(r"(以上|上述)(选项|各项)?(都|皆|全|均)(?!不)|全部(正确|都对)|all of (the|these)( above)?\b", _I)
_NONE_OF = re.compile(
    r"(以上|上述)(选项|各项)?(都|皆|均|全)?不|^(都|均|皆|全)不(是|对|正确)"
    r"|none of (the above|these|the options)|^neither(?: of (?:them|these|the \w+))?\W*$",
    _I,
)
_LETTER = r"(?:[A-Ja-j]|[①-⑩]|[ⅠⅡⅢⅣⅤ]|I{1,3}V?|IV)"
_JOINED = r"(?:\s*(?:[,，、/&+]|和|与|及|and|or)\s*)"
_LETTER_SET = re.compile(
    rf"(?:both |仅|只有|only )?(?:{_LETTER}{_JOINED}+)+{_LETTER}(?:\s*(?:都对|都正确|only))?|[①-⑩]{{2,}}", _I
)
_ASKS_NOT_EN = re.compile(
    r"\b(?:NOT|EXCEPT)\b|\*\*(?:not|except)\*\*"
    r"|\b[Ww](?:hich|hat)\b[^.?!]*\b(?:not|isn't|aren't|doesn't|except|incorrect|false)\b"
)
_ASKS_NOT_ZH = re.compile(
    r"哪[^，。？?]{0,12}(?:不正确|不属于|不包括|不是|不对|不成立|错误|有误)|(?:不正确|错误|不属于|不包括|不成立)的(?:是|有)"
    r"|除.{1,30}(?:以外|之外|外).*哪"
)
_NOT_SET_OFF = re.compile(r"\b(?:NOT|EXCEPT|FALSE|INCORRECT)\b|\*\*[^*]*(?:not|except|不|错误|除)[^*]*\*\*")
_NEGATION = {
    "en": re.compile(r"\b(?:not|no|never|cannot)\b|n't\b", _I),
    "zh": re.compile(r"不(?!同|变|等|平衡|对称|确定|可微|动点)|非(?!线性|对称|结构化|均匀|凸|零|负)|从未|没有"),
}
_ABSOLUTE = {
    "en": re.compile(
        r"\b(?:always|never|only|all|none|every|completely|must|guarantees?d?)\b(?![-–](?:reduce|gather|to|only))", _I
    ),
    "zh": re.compile(
        r"完全(?!分片|连接|图|二叉)|必须|总是|从不|唯一(?!标识|性|键)|所有(?!权)|任何"
        r"|绝对(?!值|位置|误差|路径)|一定(?!程度|比例|的)"
    ),
}
_NOT_ABSOLUTE = re.compile(
    r"\b(?:(?:en|de)coder|read|write|append|weight|text|image|view|insert)-only\b|\bat all\b", _I
)
_VAGUE = {
    "en": re.compile(r"\b(?:usually|often|sometimes|may|generally)\b", _I),
    "zh": re.compile(r"通常|经常|有时|可能(?!性)|较多"),
}
_PRAISE = {
    "en": re.compile(r"\b(?:effectively|better|improves?|improved)\b", _I),
    "zh": re.compile(r"有效(?:地)?提高|更好|更佳"),
}
_TIMELY = {
    "en": re.compile(
        r"\b(?:latest|newest|current) (?:version|release|model|generation|GPU|price)s?\b|\bas of (?:20\d\d|today|now)\b"
        r"|\b(?:nowadays|state[- ]of[- ]the[- ]art)\b|\bversion \d|\bv\d+\.\d|[$€¥]\s?\d",
        _I,
    ),
    "zh": re.compile(r"(?:最新|当前)的?(?:版本|型号|模型|价格)|目前最|截至20\d\d|\d ?版本|美元"),
}
_JOINS = {
    "en": re.compile(r", and (?:it|they|this|that|the|so)\b|; "),
    "zh": re.compile(r"而且|并且|；|，且"),
}
_DENIES = {
    "en": re.compile(r"\b(?:is|are|was|were|do|does|did|can|will|need) ?not\b|\bnever\b|n't\b", _I),
    "zh": re.compile(r"不是|并非|从不|不需要"),
}
_WHICH = re.compile(r"which of the following|(?:以下|下列)哪", _I)
_SETTING = re.compile(
    r"\d|[A-Z]{2,}|`|\b(?:when|while|if|during|after|before|with|under|given|without|for)\b|[当若如果时中后前对用使]"
)
# Words that carry no cue: function words, and nouns that every other question of the field has.
_STOP_EN = frozenset(
    """about above after again against also because been before being between both cause could does doing down during
    each else every from further give given gives have having here hold holds into itself just keep keeps less like made
    make makes many more most much need needs none once only other over part same should show some such take takes than
    that their them then there these they thing this those through time true under until used uses using very what when
    where which while will with within without would your answer following number share size smaller larger model train
    training data value step whole first last layer token batch batches memory weight parameter epoch sample
    """.split()  # noqa: SIM905 a list of a hundred quoted words is no better to read
)
_STOP_ZH = frozenset(
    "的了在是和与或及个每其中为把被将从到对以等时会可能不有这那哪下列上由于向并而但若则再只一二三四个位次种项"
)


_STOP_PAIRS = frozenset(("计算", "运行"))


def _option_texts(question: Question, language: str) -> list[tuple[int, Option, str]]:
    found = [(i, option, getattr(option.text, language)) for i, option in enumerate(question.options)]
    return [(i, option, text) for i, option, text in found if text]


def _of_choice(entry: Entry) -> Iterator[tuple[str, list[tuple[int, Option, str]]]]:
    """(language, options with their text in it) of a question with written options."""
    if entry.question.kind in CHOICES:
        for language in LANGUAGES:
            options = _option_texts(entry.question, language)
            if options:
                yield language, options


# --- cues in the options ---------------------------------------------------------------------------------------------


def all_of_the_above(entry: Entry) -> Iterator[Flaw]:
    """A01"""
    yield from _forbidden(entry, "A01", _ALL_OF, "'all of the above'")


def none_of_the_above(entry: Entry) -> Iterator[Flaw]:
    """A02"""
    yield from _forbidden(entry, "A02", _NONE_OF, "'none of the above'")


def _forbidden(entry: Entry, code: str, pattern: re.Pattern[str], name: str) -> Iterator[Flaw]:
    for language, options in _of_choice(entry):
        for index, option, text in options:
            if pattern.search(text):
                fault = f"option {option.key} is {name} ({language})"
                yield Flaw(code, ("options", index), fault, "write a real mistake instead", language)


def longest_is_key(entry: Entry) -> Iterator[Flaw]:
    """A06"""
    if entry.question.kind is not Kind.SINGLE:
        return
    for language, options in _of_choice(entry):
        right = [length(text, language) for _, option, text in options if option.correct]
        wrong = [length(text, language) for _, option, text in options if not option.correct]
        if not (right and wrong):
            continue
        key, other = max(right), max(wrong)
        if key > 1.25 * other and key - other >= pick((2, 10), language):
            fault = f"the right option is much longer ({key}) than the longest wrong one ({other}) ({language})"
            yield Flaw("A06", ("options",), fault, "shorten it or lengthen a wrong one", language)


def length_spread(entry: Entry) -> Iterator[Flaw]:
    """A07"""
    for language, options in _of_choice(entry):
        lengths = [length(text, language) for _, _, text in options]
        if max(lengths) > pick((12, 30), language) and max(lengths) > 2.5 * max(1, min(lengths)):
            fault = f"option lengths run from {min(lengths)} to {max(lengths)} ({language})"
            yield Flaw("A07", ("options",), fault, "make them alike", language)


def absolute_words(entry: Entry) -> Iterator[Flaw]:
    """A10. An absolute word that a right option has too is no cue."""
    question = entry.question
    if question.kind is Kind.TRUE_FALSE:
        for language in LANGUAGES:
            for word in absolutes(getattr(question.prompt, language), language)[:1]:
                yield Flaw(
                    "A10", ("prompt", language), f"the statement says '{word}'", "say how much or when", language
                )
        return
    for language, options in _of_choice(entry):
        if any(option.correct and absolutes(text, language) for _, option, text in options):
            continue
        for index, option, text in options:
            for word in absolutes(text, language)[:1]:
                fault = f"wrong option {option.key} says '{word}' ({language})"
                yield Flaw("A10", ("options", index), fault, "say how much or when", language)


def absolutes(text: str, language: str) -> list[str]:
    return [match[0] for match in _ABSOLUTE[language].finditer(_NOT_ABSOLUTE.sub(" ", lint_text.without_code(text)))]


def vague_words(entry: Entry) -> Iterator[Flaw]:
    """A11"""
    for language, options in _of_choice(entry):
        for index, option, text in options:
            if match := _VAGUE[language].search(text):
                fault = f"option {option.key} says '{match[0]}' ({language})"
                yield Flaw("A11", ("options", index), fault, "say when, or how often", language)
        stem = getattr(entry.question.prompt, language)
        match = _PRAISE[language].search(stem)
        if match and not re.search(r"\d", stem):
            cure = "name the measure and the setting"
            yield Flaw("A11", ("prompt", language), f"the prompt says '{match[0]}' without a measure", cure, language)


def clang(entry: Entry) -> Iterator[Flaw]:
    """A12"""
    question = entry.question
    if question.kind is not Kind.SINGLE:
        return
    topic = _topic_words(question.topic)
    for language, options in _of_choice(entry):
        stem = getattr(question.prompt, language)
        wrong = " ".join(text for _, option, text in options if not option.correct).casefold()
        for index, option, text in options:
            if not option.correct:
                continue
            for word in _shared(stem, text, language):
                if word not in wrong and not any(word in name for name in topic):
                    fault = f"'{word}' stands in the prompt and in the right option alone ({language})"
                    yield Flaw("A12", ("options", index), fault, "use it in a wrong option too, or reword", language)
                    break


def _topic_words(slug: str) -> list[str]:
    taxonomy = default_taxonomy()
    if slug not in taxonomy:
        return []
    topic = taxonomy.topic(slug)
    return [name.casefold() for name in (topic.name.en, topic.name.zh, *topic.aliases)]


def _shared(stem: str, key: str, language: str) -> Iterator[str]:
    if language == "en":
        there = set(re.findall(r"[a-z]{4,}", stem.casefold()))
        yield from (
            w
            for w in re.findall(r"[a-z]{4,}", key.casefold())
            if w in there and w not in _STOP_EN and w.removesuffix("s") not in _STOP_EN
        )
        return
    for word in re.findall(r"[A-Za-z]{4,}", key):
        if word.casefold() in stem.casefold():
            yield word.casefold()
    for run in re.findall(rf"[{CJK}]+", key):
        for i in range(len(run) - 1):
            part = run[i : i + 2]
            if part in stem and part not in _STOP_PAIRS and not _STOP_ZH & set(part):
                yield part


def key_in_stem(entry: Entry) -> Iterator[Flaw]:
    """A13. Not where the prompt names wrong options too."""
    question = entry.question
    for language, options in _of_choice(entry):
        stem = getattr(question.prompt, language)
        if any(not option.correct and _says(stem, text, language) for _, option, text in options):
            continue
        for index, option, text in options:
            if option.correct and _says(stem, text, language):
                fault = f"the prompt already says the right option '{text}' ({language})"
                yield Flaw("A13", ("options", index), fault, "reword the prompt", language)
    for language, accepted in question.accept.items():
        for text in accepted:
            if question.kind is Kind.BLANK and _says(getattr(question.prompt, language, ""), text, language):
                fault = f"the prompt already says the answer '{text}' ({language})"
                yield Flaw("A13", ("prompt", language), fault, "reword the prompt", language)


def _says(stem: str, text: str, language: str) -> bool:
    if text.casefold() not in stem.casefold():
        return False
    if length(text, language) < pick((2, 4), language) or read_quantity(text):
        return False
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", stem, _I) is not None


def overlap(entry: Entry) -> Iterator[Flaw]:
    """A14"""
    for language, options in _of_choice(entry):
        worded = [(i, o, text) for i, o, text in options if not read_quantity(text)]
        for index, option, text in worded:
            for _, other, longer in worded:
                if other is not option and _contains(longer, text):
                    fault = f"option {other.key} contains option {option.key} ({language})"
                    yield Flaw("A14", ("options", index), fault, "make them exclude each other", language)
        ranges = [(o, found) for _, o, text in options if (found := _range(text))]
        for position, (option, (low, high)) in enumerate(ranges):
            for other, (other_low, other_high) in ranges[position + 1 :]:
                if low < other_high and other_low < high:
                    fault = f"the ranges of options {option.key} and {other.key} overlap ({language})"
                    yield Flaw("A14", ("options",), fault, "make them exclude each other", language)


def _contains(longer: str, shorter: str) -> bool:
    a, b = normal(longer), normal(shorter)
    if len(b) < 2 or len(a) <= len(b):
        return False
    whole, part = longer.casefold(), shorter.casefold().strip(".。 ")
    return part in whole and re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![a-z0-9])", whole) is not None


_RANGE = re.compile(r"\s*([\d.,]+)\s*[^\d\s]{0,4}\s*(?:–|—|~|到|至|\bto\b|-)\s*([\d.,]+)\s*\D{0,12}")


def _range(text: str) -> tuple[float, float] | None:
    match = _RANGE.fullmatch(text)
    if not match:
        return None
    try:
        low, high = (float(part.replace(",", "")) for part in match.groups())
    except ValueError:
        return None
    return (low, high) if low < high else None


def numeric_order(entry: Entry) -> Iterator[Flaw]:
    """A15"""
    for language, options in _of_choice(entry):
        values = magnitudes([text for _, _, text in options])
        if values and not is_monotonic(values):
            yield Flaw("A15", ("options",), f"the numbers are in no order ({language})", "sort the options", language)


def unit_mix(entry: Entry) -> Iterator[Flaw]:
    """A16. Prefixes of one unit (MiB, GiB) are one unit."""
    for language, options in _of_choice(entry):
        quantities = [read_quantity(text) for _, _, text in options]
        if all(quantities) and magnitudes([text for _, _, text in options]) is None:
            units = ", ".join(sorted({q.unit or "none" for q in quantities if q}))
            yield Flaw("A16", ("options",), f"the numbers have different units: {units}", "use one unit", language)


def homogeneous(entry: Entry) -> Iterator[Flaw]:
    """A17"""
    for language, options in _of_choice(entry):
        forms = [_form(text) for _, _, text in options]
        counts = Counter(forms)
        if len(options) < 3 or len(counts) != 2 or min(counts.values()) != 1:
            continue
        odd = min(counts, key=counts.__getitem__)
        option = options[forms.index(odd)][1]
        fault = f"option {option.key} alone is a {odd} ({language})"
        yield Flaw("A17", ("options",), fault, "give all options one form", language)


def _form(text: str) -> str:
    if re.fullmatch(r"\s*`[^`]+`\s*", text):
        return "piece of code"
    return "number" if read_quantity(text) else "text"


def grammar(entry: Entry) -> Iterator[Flaw]:
    """A18"""
    for language, options in _of_choice(entry):
        ends = {bool(re.search(r"[.。]$", text)) for _, _, text in options}
        if len(ends) == 2:
            fault = f"some options end in a full stop and some do not ({language})"
            yield Flaw("A18", ("options",), fault, "end all alike", language)
    stem = entry.question.prompt.en.rstrip(" _.:")
    if entry.question.kind in CHOICES and re.search(r"\ban?$", stem):
        vowels = {option.text.en[:1].lower() in "aeiou" for option in entry.question.options}
        if len(vowels) == 2:
            yield Flaw("A18", ("prompt", "en"), "the prompt's article fits some options alone", "write 'a/an'", "en")


def letter_sets(entry: Entry) -> Iterator[Flaw]:
    """A19"""
    for language, options in _of_choice(entry):
        for index, option, text in options:
            if _LETTER_SET.fullmatch(text.strip(" .。()（）")):
                fault = f"option {option.key} is a set of other options ({language})"
                yield Flaw("A19", ("options", index), fault, "make it a 'multiple' question", language)


# --- the prompt ------------------------------------------------------------------------------------------------------


def negative_stem(entry: Entry) -> Iterator[Flaw]:
    """A08"""
    for language in _negative_languages(entry.question):
        stem = getattr(entry.question.prompt, language)
        set_off = "" if _NOT_SET_OFF.search(stem) else ", and set the word in **bold** if you must"
        fault = f"the prompt asks what does not hold ({language})"
        yield Flaw("A08", ("prompt", language), fault, f"ask what holds{set_off}", language)


def _negative_languages(question: Question) -> list[str]:
    if question.kind not in CHOICES:
        return []
    patterns = {"en": _ASKS_NOT_EN, "zh": _ASKS_NOT_ZH}
    return [
        language
        for language in LANGUAGES
        if patterns[language].search(lint_text.without_code(getattr(question.prompt, language)))
    ]


def double_negative(entry: Entry) -> Iterator[Flaw]:
    """A09"""
    for language in _negative_languages(entry.question):
        for index, option, text in _option_texts(entry.question, language):
            if _NEGATION[language].search(text):
                fault = f"option {option.key} is negative under a negative prompt ({language})"
                yield Flaw("A09", ("options", index), fault, "turn the prompt or the option", language)


def asks(entry: Entry) -> Iterator[Flaw]:
    """A20"""
    if entry.question.kind not in CHOICES:
        return
    for language in LANGUAGES:
        stem = getattr(entry.question.prompt, language).strip()
        if not stem:
            continue
        if not re.search(r"[?？][\"”’」)）`\s]*$", stem) and len(BLANK.findall(stem)) != 1:
            fault = f"the prompt does not end in a question ({language})"
            yield Flaw("A20", ("prompt", language), fault, "end it with a question, or leave one blank", language)
        if length(stem, language) < pick((8, 25), language):
            fault = f"the prompt is very short ({language})"
            yield Flaw("A20", ("prompt", language), fault, "say the setting and what is asked", language)


def self_contained(entry: Entry) -> Iterator[Flaw]:
    """A21"""
    question = entry.question
    for language in LANGUAGES:
        stem = getattr(question.prompt, language)
        limit = pick((220, 600), language)
        if length(stem, language) > limit and question.kind is not Kind.CASE:
            fault = f"the prompt is longer than {limit} ({language})"
            yield Flaw("A21", ("prompt", language), fault, "drop what is not needed to answer", language)
        rest = _WHICH.sub("", stem)
        if _WHICH.search(stem) and question.kind in CHOICES and not _SETTING.search(rest):
            fault = f"the prompt asks 'which of the following' about nothing specific ({language})"
            yield Flaw("A21", ("prompt", language), fault, "give a setting, a condition or a number", language)


def one_proposition(entry: Entry) -> Iterator[Flaw]:
    """A23"""
    question = entry.question
    if question.kind is not Kind.TRUE_FALSE:
        return
    for language in LANGUAGES:
        text = lint_text.without_code(getattr(question.prompt, language))
        if _JOINS[language].search(text):
            fault = f"the statement joins two claims ({language})"
            yield Flaw("A23", ("prompt", language), fault, "ask one of them", language)
        if _DENIES[language].search(text):
            fault = f"the statement is negative ({language})"
            yield Flaw("A23", ("prompt", language), fault, "state it positively", language)


# --- the rest --------------------------------------------------------------------------------------------------------


def restated(entry: Entry) -> Iterator[Flaw]:
    """A24: the explanation must say more than prompt and key, in whatever order it says them again."""
    question = entry.question
    if question.kind is Kind.CASE:
        return
    for language in LANGUAGES:
        said = Counter(lint_text.tokens(getattr(question.explanation, language), language))
        key = [getattr(option.text, language) for option in question.options if option.correct]
        known = [getattr(question.prompt, language), *key, *question.accept.get(language, ())]
        again = said & Counter(lint_text.tokens(" ".join(known), language))
        if said and again.total() >= 0.7 * said.total():
            fault = f"the explanation says the prompt and the key again ({language})"
            yield Flaw("A24", ("explanation", language), fault, "say why", language)


def misconceptions(entry: Entry) -> Iterator[Flaw]:
    """A26"""
    for index, option in enumerate(entry.question.options):
        if not option.correct and not option.misconception:
            fault = f"wrong option {option.key} names no misconception"
            yield Flaw("A26", ("options", index), fault, "add 'misconception: a-slug'")


def fits_platforms(entry: Entry) -> Iterator[Flaw]:
    """A30: labels of ticks are cut at 75 characters in Slack, a message at 2,000 in Discord."""
    question = entry.question
    for language in LANGUAGES:
        for index, option, text in _option_texts(question, language):
            if len(text) > 75:
                fault = f"option {option.key} has {len(text)} characters ({language})"
                yield Flaw("A30", ("options", index), fault, "shorten it to 75", language)
        shown = [getattr(question.prompt, language), *(text for _, _, text in _option_texts(question, language))]
        if (size := sum(map(len, shown))) > 1800:  # 200 stay for the frame around it
            fault = f"prompt and options have {size} characters ({language})"
            yield Flaw("A30", ("prompt", language), fault, "shorten them to 1,800", language)


_TONED = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ"
_PINYIN = re.compile(rf"[(（][a-zü{_TONED}\s]*[{_TONED}][a-zü{_TONED}\s]*[)）]")
_LOST = re.compile("[\ufffd\ue000-\uf8ff]")
_HALF_WIDTH = re.compile(rf"[{CJK}]\s?[,;:!?](?!\d)|[{CJK}]\.(?:\s|$)|\([^()]*[{CJK}][^()]*\)")
_FORMULA = re.compile(r"[=×÷·+−/*^<>≤≥]| - ")
_DAMAGED = re.compile(
    "大模子|留意力|丧失函数|混淆精度|流水并行|异队伍列|二次开辟|作业调理|标注本钱|训练思绪|低落推理|推理耽误"
)


def hygiene(entry: Entry) -> Iterator[Flaw]:
    """A31"""
    for where, text in texts(entry.question):
        if match := _LOST.search(text.en + text.zh):
            yield Flaw(
                "A31", where, f"a lost character (U+{ord(match[0]):04X})", "write the character that belongs there"
            )
        for fault, cure in _chinese_faults(lint_text.without_code(text.zh)) if text.zh != text.en else ():
            yield Flaw("A31", (*where, "zh"), fault, cure, "zh")


def _chinese_faults(text: str) -> Iterator[tuple[str, str]]:
    if not text:
        return
    simplified = simplify(text)
    if len(simplified) == len(text):
        # 著 is 着 only for comparing: 显著 is simplified.
        odd = dict.fromkeys(a for a, b in zip(text, simplified, strict=True) if a != b and a != "著")
        if odd:
            yield f"traditional characters in the Chinese text: {''.join(odd)}", "write simplified characters"
    if match := _PINYIN.search(text):
        yield f"pinyin in the text: {match[0]}", "remove it"
    if match := _DAMAGED.search(text):
        yield f"'{match[0]}' is a mistranslation", "use the term of the field"
    # A formula keeps its brackets and commas: max(0, 带宽 × 强度).
    match = next((m for m in _HALF_WIDTH.finditer(text) if not _FORMULA.search(m[0])), None)
    if match:
        yield f"half-width punctuation in Chinese: '{match[0][:20]}'", "use ，；：！？。（）"


def time_bound(entry: Entry) -> Iterator[Flaw]:
    """A33"""
    if entry.as_of:
        return
    question = entry.question
    asked: list[Text] = [question.prompt, *(option.text for option in question.options)]
    for language in LANGUAGES:
        for text in asked:
            if match := _TIMELY[language].search(getattr(text, language)):
                fault = f"'{match[0]}' is true for a time only ({language})"
                yield Flaw("A33", ("prompt",), fault, "add 'as_of: \"2025-06\"' or reword", language)
                break


def imported_whole(entry: Entry) -> Iterator[Flaw]:
    """A03, A05, A22, A24, A25, A27 and A28: for drafts, what stands between them and being asked."""
    yield from whole(entry)


RULES: tuple[Rule, ...] = (
    all_of_the_above,
    none_of_the_above,
    longest_is_key,
    length_spread,
    negative_stem,
    double_negative,
    absolute_words,
    vague_words,
    clang,
    key_in_stem,
    overlap,
    numeric_order,
    unit_mix,
    homogeneous,
    grammar,
    letter_sets,
    asks,
    self_contained,
    one_proposition,
    restated,
    misconceptions,
    fits_platforms,
    hygiene,
    time_bound,
    imported_whole,
)


def item_flaws(entry: Entry, taxonomy: Taxonomy | None = None) -> Iterator[Flaw]:
    """Every flaw of one question by the rules A01 to A33."""
    yield from basics(entry, taxonomy or default_taxonomy())
    for rule in RULES:
        yield from rule(entry)
