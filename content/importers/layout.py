"""What a single line of an exam document is: heading, numbered stem, options, answer, explanation, key table row.

Everything is recognised on the *shape* of a line: the same number of characters as its text, but with full-width
signs as ASCII, brackets of one kind and the words of exams in simplified characters, so that one pattern covers all
spellings and the matched positions still cut the text as it was written. Pure; no state is kept between lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

LETTERS = "ABCDEFGHIJ"
HAN_NUMERALS = "一二三四五六七八九十"

_FOLD: dict[int, str] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_FOLD.update(
    {
        ord(a): b
        for a, b in zip(
            "\u3000\u00a0\u2002\u2003\u2009\u202f\t【〔〖］［】〕〗–—―‐‑−〜∶﹕．﹒＿﹍﹎✓✔☑✗✘✕✖╳☒❌✅“”‘’﹙﹚『』",
            "       [[[][]]]------~::..___√√√×××××××√\"\"''()[]",
            strict=True,
        )
    }
)
# The characters of exam words that differ in traditional script.
_FOLD.update(
    zip(
        map(
            ord,
            "題單選項擇斷簡問論釋應綜實驗錯誤確參標準與編號對類計數證詞讀譯設據點評詳說備註試審開發識總結當兩個為過沒學圖寫雙輔導節從頭錄內請難創並請術語詢濟幾無",
        ),
        "题单选项择断简问论释应综实验错误确参标准与编号对类计数证词读译设据点评详说备注试审开发识总结当两个为过没学图写双辅导节从头录内请难创并请术语询济几无",
        strict=True,
    )
)


def shape(text: str) -> str:
    """``text`` in the folded form that patterns match on; of the same length."""
    return text.translate(_FOLD)


@dataclass(frozen=True, slots=True)
class Both:
    """A stretch of a line: its text as written and its shape, cut together."""

    text: str
    shape: str

    @classmethod
    def of(cls, text: str) -> Both:
        """A stretch from its text."""
        return cls(text, shape(text))

    def cut(self, start: int, end: int | None = None) -> Both:
        """The part from ``start`` to ``end``, without margins."""
        text, folded = self.text[start:end], self.shape[start:end]
        left = len(folded) - len(folded.lstrip())
        right = len(folded.rstrip())
        return Both(text[left : max(left, right)], folded[left : max(left, right)])

    def __bool__(self) -> bool:
        return bool(self.shape)


def is_han(character: str) -> bool:
    """A Chinese character (not punctuation)."""
    return "\u3400" <= character <= "\u9fff" or "\U00020000" <= character <= "\U0003ffff"


def han_value(text: str) -> int:
    """一 .. 九十九 as a number; 0 where it is none."""
    if not text or any(c not in HAN_NUMERALS for c in text):
        return 0
    if "十" not in text:
        return HAN_NUMERALS.index(text) + 1 if len(text) == 1 else 0
    head, _, tail = text.partition("十")
    tens = HAN_NUMERALS.index(head) + 1 if len(head) == 1 else (1 if not head else 0)
    ones = HAN_NUMERALS.index(tail) + 1 if len(tail) == 1 and tail != "十" else 0
    return tens * 10 + ones if tens and (ones or not tail) else 0


def roman_value(text: str) -> int:
    """I .. XXXIX as a number; 0 where it is none."""
    if not re.fullmatch(r"X{0,3}(?:IX|IV|V?I{0,3})", text) or not text:
        return 0
    values = {"I": 1, "V": 5, "X": 10}
    total = 0
    for here, after in zip(text, text[1:] + " ", strict=True):
        total += -values[here] if values.get(after, 0) > values[here] else values[here]
    return total


# --- headings -------------------------------------------------------------------------------------------------------

_N = f"[{HAN_NUMERALS}]{{1,3}}"
_STRONG_ENUM = re.compile(
    rf"(?:第\s*(?P<z1>{_N}|\d{{1,2}})\s*(?:大题|部分|单元|章|节|篇|卷|题型)\s*[、.:,]?"
    rf"|(?P<z2>{_N})\s*(?:[、.:,)]|大题\s*[、.:,]?|(?=\s))|\((?P<z3>{_N})\)\s*[、.:]?"
    r"|(?P<r>[IVX]{1,5})\s*(?:[.、:)]|(?=\s))|(?P<u>[Ⅰ-Ⅻ])\s*[.、:)]?"
    r"|(?i:part|section|unit)\s+(?:(?P<p>[IVX]{1,5}|\d{1,2}|[A-Ha-h])|(?P<w>(?i:one|two|three|four|five|six)))"
    r"\b\s*[.:、)\-]*)\s*"
)
_WEAK_ENUM = re.compile(r"(?:(?P<n>\d{1,2})\s*[.、)]|\((?P<m>\d{1,2})\)|(?P<l>[A-H])[.)])?\s*")
_WORDS = ("one", "two", "three", "four", "five", "six")

# The kinds with the words that name them, most telling first.
_ZH_KINDS = (
    ("multiple", r"(?:不定项选?择?|多项选择|多项|多选择?|复选|X型)(?:选择)?(?:题|(?=$|[\s(\[:]))"),
    ("single", r"(?:单项选择|单项|单选择?|单一选择|单择|最佳选择|A[1-4][/A1-4]*型|A型)(?:选择)?(?:题|(?=$|[\s(\[:]))"),
    (
        "true_false",
        r"(?:判断|是非|对错|正误|辨别)(?:正误|对错|是非|判断|改错|说明|选择)?(?:题|(?=$|[\s(\[:]))",
    ),
    ("blank", r"(?:填空|填充|完成句子|补充)(?:题|(?=$|[\s(\[:]))"),
    ("numeric", r"(?:数值|数字)(?:计算|填空|解答|型)?题|计算(?:填空)?题"),
    ("choice", r"(?:混合|客观)?(?:选择)(?:题|(?=$|[\s(\[:]))|客观题"),
    (
        "case",
        r"(?:案例|简答|问答|论述|简述|名词解释|术语解释|概念解释|辨析)(?:与?分析|与?设计|综合|应用|简答|讨论)*(?:题|(?=$|[\s(\[:]))"
        r"|(?:综合|应用|分析|计算|编程|程序|设计|材料|主观|解答|证明|思考|翻译|实操|操作|开放性?|代码|算法|面试|口述|讨论|实践|实验|作图|情景|场景|读图|改错|推导)"
        r"(?:与|及)?(?:综合|应用|分析|设计|计算|编程|解答|讨论|实现|问答|简答)*题|解释(?:下列)?(?:名词|术语|概念)",
    ),
)
_Q = r"(?:[\s-]*(?:type\s+)?(?:questions?|items?|problems?|statements?|section|part|exercises?|tasks?))*"
_EN_KINDS = (
    (
        "multiple",
        r"(?:multiple[\s-]*(?:answers?|select(?:ion)?s?|responses?|correct(?:\s+answers?)?)(?:\s+(?:multiple[\s-]*)?choice)?"
        r"|multi[\s-]*(?:select|answer|response)|(?:select|choose|check|mark) all (?:that apply|correct answers)|checkbox(?:es)?)"
        + _Q,
    ),
    (
        "single",
        r"(?:single[\s-]*(?:best[\s-]*)?(?:answer|choice|select(?:ion)?|response)s?(?:\s+(?:multiple[\s-]*)?choice)?|one[\s-]*best[\s-]*answer"
        r"|best[\s-]*answer|one[\s-]*correct[\s-]*answer)" + _Q,
    ),
    (
        "true_false",
        r"(?:true\s*(?:/|or|and|-|&|,|\|)?\s*false|t\s*/\s*f|yes\s*(?:/|or)\s*no|right\s*(?:/|or)\s*wrong)" + _Q,
    ),
    (
        "blank",
        r"(?:fill[\s-]*(?:in)?[\s-]*(?:the)?[\s-]*(?:blanks?|gaps?)|fill[\s-]*ins?|(?:gap|blank)[\s-]*fill(?:ing|s)?|cloze|completions?"
        r"|complete the (?:following )?(?:sentence|statement)s?|blanks?)" + _Q,
    ),
    ("numeric", r"(?:numeric(?:al)?(?:[\s-]*(?:answer|response|entry)s?)?|calculations?)" + _Q),
    ("choice", r"(?:multiple[\s-]*choices?|multi[\s-]*choices?|mcqs?|choice|objective)" + _Q),
    (
        "case",
        r"(?:(?:short|long|open|brief|written)[\s-]*(?:answer|response|ended|form)s?|essays?|case[\s-]*(?:stud(?:y|ies)|analys[ie]s)|cases"
        r"|free[\s-]*(?:response|text|form)s?|discussions?|open|descriptive|subjective|definitions?|problem[\s-]*solving|scenarios?"
        r"|constructed[\s-]*response|analysis|applications?)" + _Q,
    ),
)
_KINDS = tuple((kind, re.compile(pattern)) for kind, pattern in _ZH_KINDS) + tuple(
    (kind, re.compile(r"(?<![A-Za-z])(?:" + pattern + r")(?![A-Za-z])", re.I)) for kind, pattern in _EN_KINDS
)
_REST = re.compile(
    r"(?:部分|型|类|练习|试题)?\s*(?:$|[(\[]|[:.,;\-]*\s*(?:$|共|每|本|合计|总|满分|计|请|以下|下列|在|从|将|对|判|\(|\["
    r"|\d+\s*(?:分|道|个|题|小题|points?|pts|marks?|questions?|items?|[x×*])|(?:total|each|choose|select|circle|mark|indicate|"
    r"state|write|decide|answer|fill|complete|for each|read|pick|tick|identify|determine|there (?:is|are)|one|only)\b))",
    re.I,
)
_COUNT = re.compile(
    r"(?:(?P<a>\d{1,4})\s*[-~至到]\s*(?P<b>\d{1,4})\s*(?:小?题)|(?:questions?|items?)\s+(?P<c>\d{1,4})\s*(?:-|to|through)\s*(?P<d>\d{1,4})"
    r"|(?P<n>\d{1,4}|[一二三四五六七八九十]{1,3})\s*(?:道|个)?\s*(?:小题|大题|题|道|questions?|items?|problems?|statements?))",
    re.I,
)
_KEY_WORDS = re.compile(
    r"\s*(?:的)?\s*(?:参考|标准|正确)?答案(?:\s*(?:与|及|和|、)?\s*(?:解析|详解|评分标准))?|\s*[-:,]?\s*(?:answer\s*keys?|answers?|key)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A section's heading: its ordinal (0: none), kind (``choice``: single or multiple), declared items, and the rest.

    ``rest`` is text on the same line that is no part of the heading; ``is_key`` where it heads answers.
    """

    ordinal: int
    kind: str | None
    title: str
    declared: int | None = None
    rest: Both = Both("", "")
    is_key: bool = False
    lettered: bool = False  # "A. Multiple choice" might as well be an option


def _ordinal(found: re.Match[str]) -> int:
    groups = found.groupdict()
    for name in ("z1", "z2", "z3"):
        if groups.get(name):
            value = groups[name]
            return int(value) if value.isdigit() else han_value(value)
    if groups.get("r"):
        return roman_value(groups["r"])
    if groups.get("u"):
        return ord(groups["u"]) - 0x215F
    if groups.get("w"):
        return _WORDS.index(groups["w"].lower()) + 1
    part = groups.get("p") or groups.get("n") or groups.get("m") or groups.get("l") or ""
    if part.isdigit():
        return int(part)
    return roman_value(part) or (ord(part.upper()) - 0x40 if part else 0)


def _bare(line: Both) -> Both:
    """The line without marks of a heading around it: ``#``, ``==``, brackets around the whole."""
    body = line.cut(0)
    previous = None
    while previous != body.shape:
        previous = body.shape
        body = body.cut(len(re.match(r"[#=*~<>+\s]*(?:-{2,}\s*)?", body.shape)[0]))  # type: ignore[index]
        tail = re.search(r"[=*~<>#+\s]*(?:\s*-{2,})?[=*~<>#+\s]*$", body.shape)
        body = body.cut(0, tail.start() if tail else None)
        if re.fullmatch(r"\[[^\[\]]*\]:?", body.shape) or re.fullmatch(r"《[^》]*》", body.shape):
            body = body.cut(1, len(body.shape.rstrip(":")) - 1)
    return body


def heading(line: Both) -> Heading | None:
    """The section heading on this line, or nothing. A line that only has an ordinal gives kind ``None``."""
    if len(line.shape) > 400:
        return None
    body = _bare(line)
    strong = _STRONG_ENUM.match(body.shape)
    if strong:
        found = _with_kind(body, strong, strong=True)
        if found is not None:
            return found
    weak = _WEAK_ENUM.match(body.shape)
    return _with_kind(body, weak, strong=False) if weak else None


def _with_kind(body: Both, enum: re.Match[str], *, strong: bool) -> Heading | None:
    start = enum.end()
    text = body.shape[start:]
    best: tuple[int, int, str] | None = None
    for kind, pattern in _KINDS:
        found = pattern.search(text) if strong else pattern.match(text)
        if found and (best is None or found.start() < best[0]) and _fits(text, found, strong=strong, enum=enum):
            best = (found.start(), found.end(), kind)
    if best is None:
        return None
    kind, tail = best[2], text[best[1] :]
    key = _KEY_WORDS.match(tail)
    after = best[1] + (key.end() if key else 0)
    title_end, rest_start = _title_end(text, after)
    note = text[best[0] : title_end]
    if not key and _is_statement(text[rest_start:], enum, strong=strong):
        return None
    return Heading(
        _ordinal(enum),
        _refined(kind, note),
        body.text[: start + title_end].strip(),
        _declared(text[after:title_end]),
        body.cut(start + rest_start)
        if rest_start < len(text) and _carries_entries(text[rest_start:])
        else Both("", ""),
        bool(key),
        bool(enum.groupdict().get("l")),
    )


def _fits(text: str, found: re.Match[str], *, strong: bool, enum: re.Match[str]) -> bool:
    before, after = text[: found.start()], text[found.end() :]
    if _KEY_WORDS.match(after) and len(before) <= 12:
        return True
    if not strong:
        if enum["l"] and after.strip(" :.") and not after.lstrip().startswith("("):
            return False
        return bool(_REST.match(after)) or (after.startswith(":") and _carries_entries(after[1:]))
    # Behind 一、 or Part A other words may stand before the kind, but no sentence.
    if len(before) > 24 or re.search(r"[?。!;]|下列|以下|哪|什么", before) or re.match(r"[^(\[]*\?", after):
        return False
    if before.strip(" (:[-,") and re.match(r"\w", after) and not _REST.match(after):
        return False
    return bool(_REST.match(after)) or bool(re.match(r"\s*[)\]:.,\-]", after)) or not after.strip()


def _title_end(text: str, after: int) -> tuple[int, int]:
    """Where the heading's own words and bracketed notes end, and where what follows on the line begins."""
    position = after
    while True:
        found = re.match(r"\s*(?:部分)?\s*(?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\]|[):.\]\-,]+)\s*", text[position:])
        if not found or not found[0] or re.match(r"\s*\(\d{1,4}\)\s*\S", text[position:]):
            break
        position += found.end()
    if _carries_entries(text[position:]):
        return position, position
    return len(text), len(text)


def _carries_entries(rest: str) -> bool:
    return bool(
        re.match(
            r"\s*(?:\(?\d{1,4}\s*(?:[.、):,]|[-~至]\s*\d)|第?\s*\d+\s*题|\d{1,4}\s+[A-J√×TF对错]|[A-J]{2,}(?:\s|$)|[√×]{2,}|[A-J](?:\s+[A-J])+\s*$)",
            rest,
        )
    )


def _is_statement(rest: str, enum: re.Match[str], *, strong: bool) -> bool:
    """``1. True or false: the sky is blue.`` is a question with a tag, no heading."""
    numbered = not strong and bool(enum["n"] or enum["m"])
    return numbered and len(rest.strip()) > 0 and not _carries_entries(rest)


def _refined(kind: str, note: str) -> str:
    if kind != "choice":
        return kind
    if re.search(
        r"多选|不定项|两个(?:或|及|以)|至少|一个或|多个|more than one|one or more|all that apply|multiple (?:correct )?answers?|select all",
        note,
        re.I,
    ):
        return "multiple" if not re.search("单选|单项", note) else "choice"
    if re.search(
        r"单选|单项|只有一|一个(?:是|正确|符合|选项)|唯一|最佳|one correct|single|only one|one answer|best answer|choose one|select one|the correct",
        note,
        re.I,
    ):
        return "single"
    return kind


def _declared(note: str) -> int | None:
    for found in _COUNT.finditer(note):
        if note[: found.start()].rstrip().endswith(("每", "第", "前", "后")):
            continue
        if found["a"]:
            return int(found["b"]) - int(found["a"]) + 1
        if found["c"]:
            return int(found["d"]) - int(found["c"]) + 1
        number = found["n"]
        return int(number) if number.isdigit() else (han_value(number) or None)
    return None


def chapter(line: Both) -> Heading | None:
    """A heading that has an ordinal such as 第一章 or Part 2 but names no kind."""
    body = _bare(line)
    found = _STRONG_ENUM.match(body.shape)
    if not found:
        return None
    rest = body.shape[found.end() :]
    if len(rest) > 2 and not found["r"] and _carries_entries(rest):
        return Heading(_ordinal(found), None, body.text[: found.end()].strip(), rest=body.cut(found.end()))
    if len(body.shape) > 60 or re.search(r"[?。!;_]|\(\s*\)", body.shape):
        return None
    marked = line.shape.startswith("#") or re.match(r"第.{1,3}[章节部单篇卷]|part|section|unit", body.shape, re.I)
    rest = body.shape[found.end() :]
    if not marked and (found["r"] or not rest.strip()):
        return None
    return Heading(_ordinal(found), None, body.text)


_ANSWER_HEAD = re.compile(
    r"(?:附[录件]?\s*\d?[:、]?\s*)?[^,。?!;:]{0,24}?(?:参考|标准|正确)?答案(?:\s*(?:与|及|和|、|&)?\s*(?:试题|详细|答案)?\s*(?:解析|详解|解释|说明|评分(?:标准|细则|参考|要点)|提示))*"
    r"(?:部分|一览表?|汇总|速查|表|如下|卷|页)?\s*:?"
    r"|(?:答案|试题)(?:解析|详解)(?:部分)?\s*:?"
    r"|(?:(?:[\w'’:\- ]{0,40}?[\s:\-]+)?(?:answer\s*keys?|answer\s*sheet|answers?\s+(?:section|list)|(?:suggested|model|sample)\s+answers)"
    r"|(?:[\w'’\- ]{0,40}?\s)?(?:answers|solutions)|(?:correct\s+)?answers?|keys?)"
    r"(?:\s*(?:and|&|with|/|\+)\s*(?:detailed\s+)?(?:explanations?|rationales?|solutions?|answers?))*\s*(?:for[\w\s]{0,30})?\s*[:.]?",
    re.I,
)


def answer_head(line: Both) -> bool:
    """The line only says that answers follow: 【答案与解析】, 参考答案：, Answer key."""
    return bool(_ANSWER_HEAD.fullmatch(_bare(line).shape))


_HEAD_INLINE = re.compile(
    r"(?:[(\[]?\s*(?:参考|标准|正确)?答案(?:\s*(?:与|及|和)?\s*解析)?\s*[)\]]?|(?:answer\s*keys?|answers|keys?))\s*[:.]?\s*",
    re.I,
)


def answer_head_with_entries(line: Both) -> Both | None:
    """What follows on ``答案：1.B 2.C 3.A`` or ``Answers: 1-5 BCADB``; nothing for other lines."""
    found = _HEAD_INLINE.match(line.shape)
    if not found:
        return None
    rest = line.cut(found.end())
    return rest if re.match(r"\(?\d{1,4}\s*(?:[.、):,=\-~至]|[A-J√×]|\s)", rest.shape) else None


# --- numbers --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number in front of a line: its value, the manner of writing it, the text behind, and a key before it."""

    number: int | None
    style: str  # word, dot, half, paren, square, space, glued, han, case
    body: Both
    before: str = ""  # what stood in brackets before the number: (√) 1. …
    nested: Numbered | None = None  # 1.2 read as the second question of part 1


_BEFORE = re.compile(
    r"(?:[(\[]\s*(?P<b>[^()\[\]]{0,12}?)\s*[)\]]|_{2,}\s*(?P<u>[A-Ja-j√×TFYNtfyn]|true|false)?\s*_*)\s*(?=\(?\d{1,4}\s*[.、)])",
    re.I,
)
_NUMBERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "case",
        re.compile(
            rf"(?:\[\s*)?(?:案例(?:分析|题)?|材料|情景|场景|Case(?:\s+study)?|Scenario)\s*(?P<n>\d{{1,3}}|{_N}|[IVX]{{1,4}})\s*(?:\]|[.、:)\-]|(?=\s|$))\s*[.、:]?\s*",
            re.I,
        ),
    ),
    (
        "word",
        re.compile(
            rf"(?:\[\s*)?(?:第\s*(?P<n>\d{{1,4}}|{_N})\s*(?:小|道)?题|(?:题目|试题|问题|习题|题|例|例题)\s*(?P<m>\d{{1,4}}|{_N}(?=\s*[.、:)\]]))"
            r"|(?:Q|Ques(?:tion)?|Problem|Item|Exercise|No)\s*\.?\s*[#:]?\s*(?P<k>\d{1,4}))(?![\d%])\s*(?:\]|of\s+\d+)?\s*[.、:)\-]*\s*",
            re.I,
        ),
    ),
    ("paren", re.compile(r"\(\s*(?P<n>\d{1,4})\s*\)\s*[.、:]?\s*")),
    ("square", re.compile(r"\[\s*(?P<n>\d{1,4})\s*\]\s*[.、:]?\s*")),
    ("half", re.compile(r"(?P<n>\d{1,4})\s*\)\s*[.、]?\s*")),
    ("dot", re.compile(r"(?P<n>\d{1,4})\s*(?:[.、。:]+|,(?!\d))\s*")),
    ("han", re.compile(rf"(?P<n>{_N})\s*[、.]\s*")),
    ("space", re.compile(r"(?P<n>\d{1,3})\s+(?=\S)")),
    (
        "glued",
        re.compile(
            r"(?P<n>\d{1,3})(?=[(\[《“\"\u4e00-\u9fff])(?![个种台条年月日位层卡次倍分号级份张项点块天时秒万千百亿字章节])"
        ),
    ),
)
_NESTED = re.compile(r"\d{1,2}\.(?P<n>\d{1,3})(?:\s*[、.)]\s*|\s+)(?=\S)")
_BULLET = re.compile(r"(?:[-*+•●◆◇■▪·>§]|#{1,6})\s+(?=\S)|[•●◆◇■▪]\s*")


def unbulleted(line: Both) -> Both:
    """The line without list or heading marks in front."""
    found = _BULLET.match(line.shape)
    return line.cut(found.end()) if found else line


_KIND_NUMBER = re.compile(
    r"(?P<k>[单多]选题|[单多]项选择题|判断题|填空题|简答题|问答题|论述题)\s*(?=\d{1,4}\s*[.、:)](?!\s*[A-J√×](?:\s|$)))"
)


def numbered(line: Both) -> Numbered | None:
    """The number the line begins with, or nothing."""
    line = unbulleted(line)
    tag = re.match(r"[(\[][^()\[\]\d]{1,8}[)\]]\s*(?=\(?\d{1,4}\s*[.、)])", line.shape)
    lead = line.cut(0, tag.end()) if tag and kind_tag(line.cut(0, tag.end()).shape) else Both("", "")
    bare = _KIND_NUMBER.match(line.shape)
    if bare:
        tag, lead = bare, Both.of(f"[{bare['k']}]")
    if lead and tag:
        line = line.cut(tag.end())
    before = ""
    found = _BEFORE.match(line.shape)
    if found:
        before = (found["b"] or found["u"] or "").strip() or " "
        line = line.cut(found.end())
    for style, pattern in _NUMBERS:
        match = pattern.match(line.shape)
        if match:
            value = _number(match)
            body = line.cut(match.end())
            if style == "dot" and re.match(r"\d", line.shape[match.end() :]) and line.shape[match.end() - 1] in ".:":
                style = "decimal"  # 3.5 GB, 12:30, or an item glued to a year: the reader decides
                minor = _NESTED.match(line.shape)
                if minor:
                    nested = Numbered(int(minor["n"]), "nested", line.cut(minor.end()), before)
                    return Numbered(value, style, body, before, nested)
            if lead:
                body = Both(lead.text + body.text, lead.shape + body.shape)
            return Numbered(value, style, body, before)
    if re.fullmatch(r"\d{1,3}", line.shape):
        return Numbered(int(line.shape), "bare", Both("", ""), before)
    asked = re.match(r"(?:Q|问题?|Question)\s*[:.]\s*(?=\S)", line.shape)
    return Numbered(None, "asked", line.cut(asked.end()), before) if asked else None


def _number(found: re.Match[str]) -> int | None:
    value = next((v for v in found.groupdict().values() if v), "")
    if value.isdigit():
        return int(value)
    return han_value(value) or roman_value(value.upper()) or None


# --- kinds that a question names for itself -------------------------------------------------------------------------

_TAGS = (
    ("multiple", r"多选题?|多项选择题?|不定项(?:选择题?)?|multiple\s*(?:answers?|select|response)|multi[\s-]*select"),
    ("single", r"单选题?|单项选择题?|single\s*(?:choice|answer)"),
    ("true_false", r"判断题?|是非题?|判断正误|true\s*(?:/|or)\s*false|t\s*/\s*f"),
    ("blank", r"填空题?|fill[\s-]*in(?:[\s-]*the)?[\s-]*blanks?"),
    ("case", r"简答题?|问答题?|论述题?|案例(?:分析)?题?|名词解释|编程题|short\s*answer|essay|open"),
    ("choice", r"选择题?|multiple\s*choice|mcq"),
)
_TAG = tuple(
    (
        kind,
        re.compile(
            rf"_?[(\[]\s*(?:题型\s*:\s*)?(?:本题为?)?(?:{pattern})(?:\s*[,;]\s*[^()\[\]]{{0,12}})?\s*[)\]]_?\s*[.、:]?\s*",
            re.I,
        ),
    )
    for kind, pattern in _TAGS
)


def kind_tag(folded: str) -> tuple[str, int, int] | None:
    """A kind in brackets, ``（多选）`` or ``[Single choice]``, at either end of a text: kind, start, end."""
    for kind, pattern in _TAG:
        found = pattern.match(folded)
        if found:
            return kind, 0, found.end()
        for found in pattern.finditer(folded):
            if not folded[found.end() :].strip(" .。?:()[]_"):
                return kind, found.start(), found.end()
    return None


_KIND_LABEL = tuple(
    (kind, re.compile(rf"(?:{pattern})(?:\s*questions?)?\s*:\s*(?=\S)", re.I)) for kind, pattern in _TAGS
)


def kind_label(line: Both) -> tuple[str, Both] | None:
    """``True or False: …`` or ``单选题：…`` in front of a stem: the kind, and the stem."""
    for kind, pattern in _KIND_LABEL:
        found = pattern.match(line.shape)
        if found:
            return kind, line.cut(found.end())
    return None


def named_kind(folded: str) -> str | None:
    """The kind a bare word names (``单选``, ``True/False``), for a line such as 题型：单选."""
    for kind, pattern in _TAGS:
        if re.fullmatch(rf"\s*(?:{pattern})\s*", folded, re.I):
            return kind
    return None


# --- options --------------------------------------------------------------------------------------------------------

_GOOD = r"(?P<good>(?:\[\s*[xX√]\s*\]|\(\s*[xX√]\s*\)|[*√■◉●]|->|=>)\s*)?(?:\[\s{0,2}\]\s*|[□○◯☐]\s*)?"
_MARK = re.compile(
    r"(?:\(\s*(?P<p>[A-J])\s*\)|\[\s*(?P<s>[A-J])\s*\]|(?P<d>[A-J])\s*[.、)]|(?P<c>[A-J])\s*[:,](?!\s*[B-J]\b))\s*[、.:]?\s*"
)
_LOW = re.compile(r"(?:\(\s*(?P<p>[a-j])\s*\)|(?P<d>[a-j])\s*[.、):])\s*")
_CIRCLED = re.compile(r"(?P<d>[①-⑩])\s*[.、:)]?\s*")
_SPACED = re.compile(r"(?P<d>[A-J])(?:\s+|(?=[\u4e00-\u9fff]))(?=\S)")
_ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_ROMAN_MARK = re.compile(r"\(?(?P<d>viii|vii|vi|iv|ix|iii|ii|i|v|x)(?:\)|\.(?=\s))\s*")
_STYLES = {"mark": _MARK, "low": _LOW, "circled": _CIRCLED, "spaced": _SPACED, "roman": _ROMAN_MARK}
OPTION_STYLES = ("mark", "low", "circled", "spaced", "roman")


@dataclass(frozen=True, slots=True)
class Choice:
    """An option on a line: its letter as an index from 0, its text, and whether a mark calls it right."""

    index: int
    body: Both
    good: bool = False


def _letter_index(found: re.Match[str]) -> int:
    letter = next(v for k, v in found.groupdict().items() if v and k != "good")
    if found.re is _ROMAN_MARK:
        return _ROMANS.index(letter)
    return ord(letter) - 0x2460 if letter >= "①" else ord(letter.upper()) - 0x41


def _boundary(folded: str, position: int) -> bool:
    before = folded[position - 1] if position else " "
    return not (before.isascii() and (before.isalnum() or before in "_-/&+.$\\"))


def options_at_start(line: Both, style: str) -> list[Choice]:
    """The options of a line that begins with one in this style; several may follow one another."""
    line = unbulleted(line) if not re.match(r"\*\s*\S", line.shape) or line.shape.startswith("* ") else line
    good = re.match(_GOOD, line.shape)
    skip = good.end() if good else 0
    first = _STYLES[style].match(line.shape, skip)
    if not first:
        return []
    return _sequence(line, style, first, bool(good and good["good"]))


def _sequence(line: Both, style: str, first: re.Match[str], good: bool) -> list[Choice]:
    pattern = _STYLES[style]
    marks = [(first.start(), first.end(), _letter_index(first), good)]
    while True:
        after = _next_mark(line.shape, pattern, marks[-1])
        if after is None:
            break
        marks.append(after)
    if style == "mark" and len(marks) == 1 and marks[0][2] == 0:
        marks = _glued_marks(line.shape, marks[0]) or marks
    ends = [m[0] for m in marks[1:]] + [len(line.shape)]
    return [Choice(m[2], line.cut(m[1], end), m[3]) for m, end in zip(marks, ends, strict=True)]


def _next_mark(
    folded: str, pattern: re.Pattern[str], last: tuple[int, int, int, bool]
) -> tuple[int, int, int, bool] | None:
    for found in pattern.finditer(folded, last[1]):
        if _letter_index(found) == last[2] + 1 and _boundary(folded, found.start()):
            lead = re.search(r"(?:\[\s*[xX√]\s*\]|[*√])\s*$", folded[last[1] : found.start()])
            start = last[1] + lead.start() if lead and lead.start() else found.start()
            return start, found.end(), last[2] + 1, bool(lead and lead.start())
    return None


def _glued_marks(folded: str, first: tuple[int, int, int, bool]) -> list[tuple[int, int, int, bool]]:
    """``A.TCPB.UDPC.ICMP``: marks glued to Latin text, believed only where A, B and C all follow."""
    marks = [first]
    for index in range(1, 10):
        found = re.compile(rf"{LETTERS[index]}[.、]").search(folded, marks[-1][1] + 1)
        if not found:
            break
        marks.append((found.start(), found.end(), index, False))
    return marks if len(marks) >= 3 else []


def options_inside(line: Both) -> tuple[int, list[Choice]] | None:
    """Options A, B … behind a stem on the same line: where they begin, and they."""
    for style in ("mark", "low", "spaced"):
        pattern = _STYLES[style]
        for found in pattern.finditer(line.shape):
            if found.start() == 0 or _letter_index(found) != 0 or not _boundary(line.shape, found.start()):
                continue
            if style == "low" and not line.shape[found.start() - 1].isspace():
                continue
            choices = _sequence(line, style, found, False)
            if len(choices) >= (3 if style == "spaced" else 2) and all(c.body for c in choices):
                return found.start(), choices
    return None


def bullet_option(line: Both) -> Choice | None:
    """An option with a bullet or a box but no letter: ``- text``, ``- [x] text``, ``○ text``."""
    found = re.match(
        r"(?:[-*+•●]\s+)?(?:(?P<x>\[\s*[xX√]\s*\]|\(\s*[xX√]\s*\)|☑|◉)|(?P<o>\[\s*\]|\(\s*\)|[□○◯☐]))\s*(?=\S)",
        line.shape,
    )
    if found:
        return Choice(-1, line.cut(found.end()), bool(found["x"]))
    found = re.match(r"[-*+•]\s+(?=\S)", line.shape)
    return Choice(-1, line.cut(found.end())) if found else None


# --- answers and explanations ---------------------------------------------------------------------------------------

_VALUE = r"\(?\s*(?:[A-J](?:[\s、,;/&和]*[A-J])*|[a-j]|√|×|对|错|正确|错误|不正确|是|否|T|F|True|False)\s*\)?\s*(?:$|[。.;,\s(\[])"
_ANSWER = re.compile(
    r"(?:\[\s*(?:正确|参考|标准|本题|试题|题目)?\s*(?:答案|答|正确选项|参考要点|答题要点)(?:及评分标准)?\s*:?\s*\]\s*[:.]?\s*"
    r"|(?:正确|参考|标准|本题|试题|题目|该题|示例|本小题)?\s*的?\s*(?:正确)?(?:答案(?:要点|选项|示例)?|正确选项|正解|答题要点|参考要点|参考回答|评分要点|要点)\s*(?:[:=]|(?:是|为|应为|选|应选)\s*:?)\s*"
    rf"|(?:正确|参考|标准)?答案\s*(?={_VALUE})|(?:正确|参考|标准)答案\s+"
    r"|(?:本题|故|应|因此)?(?:正确)?(?:选|选择)\s*:\s*"
    r"|答\s*(?::|(?=$))\s*"
    r"|(?:the\s+)?(?:correct|right|model|sample|suggested|expected|reference|best|accepted)?\s*(?:answers?|ans)(?:\s*\(s\))?\s*(?:[:=]|(?:is|are)\b\s*:?|-\s|\.(?=\s|\())\s*"
    r"|(?:the\s+)?(?:correct|right)\s+(?:option|choice|response)s?\s*(?:[:=]|(?:is|are)\b\s*:?)\s*"
    rf"|(?:answer|ans)\s+(?=\(?[A-J]\)?\s*(?:$|[.,;]))|key\s*[:=]\s*|correct\s*:\s*(?={_VALUE}))",
    re.I,
)
_ANSWER_INSIDE = re.compile(
    r"\(\s*(?P<in>(?:正确|参考|标准)?(?:答案|答)\s*[:是为]?\s*[^()]{1,60}|(?:correct\s+)?(?:answer|ans)\s*[:.]\s*[^()]{1,60})\)"
    r"|(?P<b>\[\s*(?:正确|参考|标准|本题|试题)?\s*(?:答案|答)\s*\]\s*[:.]?\s*)"
    rf"|(?<=[\s。.?!)\]_;,])(?P<z>(?:正确|参考|标准)?(?:答案)\s*[:]\s*)|(?P<y>(?:正确|参考|标准)?答案\s*[:是为]\s*(?={_VALUE}))"
    rf"|(?<=[\s.?!)\]_;,])(?P<e>(?:correct\s+)?(?:answer|ans)\s*[:]\s*)|(?<=[\s.?!)\]_])(?P<k>(?:key|ans\.)\s*:?\s*(?={_VALUE}))",
    re.I,
)
_WHY_STRONG = (
    r"\[\s*(?:答案|试题|本题|考点|题目|详细|参考)?\s*(?:解析|详解|解释|分析|点评|点拨|解答|说明|思路|理由|依据)\s*:?\s*\]\s*[:.]?\s*"
    r"|(?:答案|试题|本题|题目|详细|参考|考点|正确)?(?:解析|详解)\s*:\s*|(?:答案)(?:解释|说明|分析)\s*:\s*"
    r"|(?:explanations?|rationales?|justifications?|feedback)\s*(?::|-\s)\s*"
)
_WHY = re.compile(
    rf"(?:{_WHY_STRONG}|(?:解析|答案解析)(?:\s+|(?=$))"
    r"|(?P<weak>(?:解释|分析|说明|理由|依据|点评|解答|解题思路|解|备注|原因|(?:reason(?:ing|s)?|why|discussion|comments?|notes?|sol(?:ution|n)?|because|remarks?))\s*:\s*))",
    re.I,
)
_WHY_INSIDE = re.compile(rf"(?:{_WHY_STRONG})", re.I)


def answer_at_start(line: Both) -> Both | None:
    """What an answer line says, or nothing where the line is none."""
    line = unbulleted(line)
    paren = _ANSWER_INSIDE.fullmatch(line.shape)
    if paren and paren["in"]:
        line = line.cut(paren.start("in"), paren.end("in"))
    found = _ANSWER.match(line.shape)
    return line.cut(found.end()) if found else None


def answer_inside(line: Both) -> tuple[Both, Both, Both] | None:
    """A line with an answer behind its text: text before, the answer, text behind it."""
    for found in _ANSWER_INSIDE.finditer(line.shape):
        if found.start() == 0 or re.search(
            r"(?:short|long|your|brief|the|给出|写出)\s*$", line.shape[: found.start()], re.I
        ):
            continue
        if found["in"]:
            inner = line.cut(found.start("in"), found.end("in"))
            mark = _ANSWER.match(inner.shape) or re.match(r"(?:正确|参考|标准)?(?:答案|答)\s*", inner.shape)
            return line.cut(0, found.start()), inner.cut(mark.end() if mark else 0), line.cut(found.end())
        return line.cut(0, found.start()), line.cut(found.end()), Both("", "")
    return None


def why_at_start(line: Both) -> tuple[Both, bool] | None:
    """What an explanation line says, and whether its word is a weak sign (分析：, Note:); nothing for other lines."""
    line = unbulleted(line)
    found = _WHY.match(line.shape)
    return (line.cut(found.end()), bool(found["weak"])) if found else None


def solves(line: Both) -> bool:
    """解：or Solution: in front, which begins the answer of a question that has no other."""
    return bool(re.match(r"(?:解|解答|sol(?:ution|n)?)\s*:", unbulleted(line).shape, re.I))


def why_inside(line: Both) -> tuple[Both, Both] | None:
    """A line with an explanation behind its text: text before, the explanation."""
    for found in _WHY_INSIDE.finditer(line.shape):
        if found.start() and (found[0].startswith("[") or _boundary(line.shape, found.start())):
            return line.cut(0, found.start()), line.cut(found.end())
    return None


_REMARK = re.compile(
    r"\[?\s*(?P<name>得分|我的得分|本题得分|用时|正确率|难度(?:系数|等级)?|难易(?:度|程度)?|分值|分数|题型|题目类型|试题类型|章节|所属章节|知识点|考点|考查点|标签|来源|出处|关键词|认知层次|能力层次|编号"
    r"|difficulty|points?|score|marks?|(?:question\s*)?type|tags?|topics?|category|level|chapter|source|keywords?|reference|bloom'?s?(?:\s+\w+)*|objective|learning objective)\s*(?:\]\s*:?|:)\s*(?P<value>.*)",
    re.I,
)


def remark(line: Both) -> tuple[str, str] | None:
    """A line of particulars such as 难度：中 or Topic: GPUs: its name and value."""
    found = _REMARK.fullmatch(unbulleted(line).shape)
    return (found["name"].lower(), found["value"].strip().strip("[]")) if found else None


_BOX = r"\s*(?P<{}>[(\[]\s*[√×xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*"
_TRUE_FALSE_BOXES = re.compile(
    r"(?P<t0>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*(?:A\s*[.、:]?\s*)?(?:正确|对|是|√|true|t|yes)\s*(?P<t1>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?"
    r"[\s,;/、|]*(?P<f0>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*(?:B\s*[.、:]?\s*)?(?:不正确|错误|错|不对|否|×|false|f|no)\s*(?P<f1>[(\[]\s*[√xX]?\s*[)\]]|[□○◯☐■●◉√])?\s*[.。]?",
    re.I,
)


def true_false_boxes(folded: str) -> tuple[int, bool | None] | None:
    """``正确（）不正确（）`` alone or at the end of a text: where it begins, and which box is ticked."""
    for found in _TRUE_FALSE_BOXES.finditer(folded):
        groups = [found[name] or "" for name in ("t0", "t1", "f0", "f1")]
        alone = found.start() == 0
        if folded[found.end() :].strip() or not (alone or any(groups)):
            continue
        if alone and not any(groups) and len(re.sub(r"\W", "", found[0])) < 4 and "/" not in found[0]:
            continue
        ticked = [bool(re.search(r"[√xX■●◉]", a + b)) for a, b in (groups[:2], groups[2:])]
        return found.start(), ticked[0] if ticked[0] != ticked[1] else None
    return None


_CHOICE_OF_TWO = re.compile(
    r"\s*[(\[]?\s*(?:T\s*/\s*F|True\s*/\s*False|Y\s*/\s*N|Yes\s*/\s*No|对\s*/\s*错|正确\s*/\s*错误|√\s*/\s*×|True or False)\s*[)\]]?\s*[?]?$",
    re.I,
)


def without_choice_of_two(line: Both) -> Both:
    """A statement without ``T / F`` behind it, and without a blank to write it in before or behind it."""
    for pattern in (_CHOICE_OF_TWO, re.compile(r"\s*_{2,}\s*$")):
        found = pattern.search(line.shape)
        line = line.cut(0, found.start()) if found and found.start() else line
    found = re.match(r"_{2,}\s*", line.shape)
    return line.cut(found.end()) if found else line


BLANK = re.compile(r"_{2,}(?:\s*[(\[]?\d{0,2}[)\]]?\s*_{2,})?|\(\s+\)|\(\)|\[\s+\]|\[\]|…{3,}|\.{6,}")
SCORE = re.compile(
    r"\s*[(\[]\s*(?:本题|本小题|每空|每题|每小题|共|满分|计|worth)?\s*\d{1,3}(?:\.\d)?\s*(?:分|points?|pts?\.?|marks?)(?:\s*(?:,|;)[^()\[\]]{0,12})?\s*[)\]]\s*|\s*[(\[]\s*(?:score|points)\s*:\s*\d+\s*[)\]]\s*",
    re.I,
)


def without_scores(line: Both) -> Both:
    """The text without （2分） or [5 points]."""
    out, position = line.cut(0, 0), 0
    for found in SCORE.finditer(line.shape):
        gap = " " if found[0][:1].isspace() and found[0][-1:].isspace() else ""
        out = Both(
            out.text + line.text[position : found.start()] + gap, out.shape + line.shape[position : found.start()] + gap
        )
        position = found.end()
    return Both(out.text + line.text[position:], out.shape + line.shape[position:]).cut(0)


_NOISE = re.compile(
    r"(?:[-=_*~#.·+—\s]{3,}|第?\s*\d+\s*页\s*[,/\s]*(?:共\s*\d+\s*页)?|.{0,40}第\s*\d+\s*页\s*[,(\s]*共\s*\d+\s*页[-\s)]*|-\s*\d{1,3}\s*-"
    r"|page\s+\d+(?:\s*(?:of|/)\s*\d+)?|\d+\s*/\s*\d+\s*页|[-\s]*(?:the\s+)?end(?:\s+of\s+(?:exam|paper|quiz|test|document)\w*)?[-.\s]*|[-—\s(]*(?:全文|本卷|试卷|试题)?(?:完|结束)[-—\s)]*)",
    re.I,
)


_LABEL = re.compile(
    r"(?:题目|题干|试题|问题|Question|Stem)\s*:\s*|[(\[]\s*(?:题目|题干|试题|问题)\s*[)\]]\s*:?\s*", re.I
)
_OPTIONS_LABEL = re.compile(
    r"(?:备选)?(?:选项|答案选项)(?:如下)?\s*:\s*|(?:options|choices|answer choices)\s*:\s*", re.I
)


def without_label(line: Both) -> Both:
    """A stem without 题目：or Question: in front and without 选项：at its end."""
    found = _LABEL.match(line.shape)
    line = line.cut(found.end()) if found else line
    for found in _OPTIONS_LABEL.finditer(line.shape):
        if not line.shape[found.end() :].strip():
            return line.cut(0, found.start())
    return line


def without_options_label(line: Both) -> Both:
    """``选项：A. …`` without its first word, where options follow."""
    found = _OPTIONS_LABEL.match(line.shape)
    return line.cut(found.end()) if found and line.shape[found.end() :].strip() else line


def is_noise(folded: str) -> bool:
    """Rules, page numbers, end marks: lines that say nothing."""
    return bool(_NOISE.fullmatch(folded))


_ASKS = re.compile(
    r"[?]\s*(?:\(.*\))?$|^(?:请|试|简述|简要|试述|论述|说明|分析|比较|什么是|何谓|何为|如何|为什么|为何|怎样|解释|列举|阐述|谈谈|描述|设计|计算|证明|写出|推导|举例|概述|给出|对比|名词解释|指出|简答"
    r"|what|how|why|which|when|where|who|explain|describe|compare|discuss|list|define|outline|design|derive|name|give|state|calculate|compute|write|identify|summari[sz]e|contrast|show|prove)",
    re.I,
)


def asks(folded: str) -> bool:
    """The text reads like a question or a task."""
    return bool(_ASKS.search(folded.strip()))


_TRUTH_SIGN = r"(?:√|×|正确|错误|不正确|对|错|是|否|true|false|[TFYNXVxv])"
_BARE_TRUTH = re.compile(
    r"^(?P<a>[√×]|[TF](?=\s+[A-Z]))\s*(?=\S)|(?<=\S)\s*(?P<b>[√×])\s*[.。]?$|\s(?P<c>对|错|正确|错误|T|F|True|False)\s*[.。]?$"
)


def bare_truth(line: Both) -> tuple[str, Both] | None:
    """A truth sign before or behind a statement without brackets: the sign, and the statement."""
    found = _BARE_TRUTH.search(line.shape)
    if not found or (found["a"] and len(line.shape) < 4):
        return None
    sign = found["a"] or found["b"] or found["c"]
    return sign, line.cut(found.end()) if found["a"] else line.cut(0, found.start())


_TRUTH_END = re.compile(rf"[(\[]\s*(?P<v>{_TRUTH_SIGN})\s*[)\]]\s*[.。;]?\s*$", re.I)
_BOX_END = re.compile(r"[(\[]\s*[)\]]\s*[.。;]?\s*$")


def ends_with_truth(folded: str) -> re.Match[str] | None:
    """``…（√）`` or ``… (F)`` at the end of a statement; the value is group ``v``."""
    return _TRUTH_END.search(folded)


def ends_with_box(folded: str) -> re.Match[str] | None:
    """``…（ ）`` at the end of a statement."""
    return _BOX_END.search(folded)


_STARRED = re.compile(r"(\*\*|__)(?=\S)((?:(?!\1).)+?)(?<=\S)\1(?![_*])")


def unstarred(text: str) -> str:
    """``text`` without Markdown's signs for bold; code such as ``2**3`` has none."""
    if "**" not in text:
        return text
    return re.sub(
        r"(?<!\w)\*\*(?=\S)((?:(?!\*\*).)+?)(?<=\S)\*\*|\*\*(?=[A-Z(]\S?[.):]?\s)((?:(?!\*\*).)+?)\*\*", r"\1\2", text
    )


def starred(text: str) -> bool:
    """The whole line, list marks aside, is bold in Markdown."""
    return bool(re.fullmatch(r"(?:[-*+]\s+)?\*\*[^*]+\*\*\s*", text)) or bool(
        re.fullmatch(r"(?:[-*+]\s+)?[A-J][.)]\s*\*\*[^*]+\*\*\s*", text)
    )


_OWN_ANSWER = re.compile(
    r"(?:我的|考生|学生|你的|您的|作答|your\s+)(?:答案|answer)\s*:\s*[^\s;,]*(?:\s*[;,])?\s*", re.I
)


def without_own_answer(line: Both) -> Both:
    """The line without what someone once answered: 我的答案：B."""
    found = _OWN_ANSWER.match(line.shape)
    return line.cut(found.end()) if found else line


def replied(line: Both) -> Both | None:
    """What ``A: …`` says where a document lets Q: and A: take turns."""
    found = re.match(r"A(?:nswer)?\s*\d{0,3}\s*[:.]\s*", line.shape)
    return line.cut(found.end()) if found else None
