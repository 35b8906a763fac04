"""Words that announce answers and explanations, at the start of a line or inside it, and particulars of questions."""

from __future__ import annotations

import re

from content.importers.numbering import unbulleted
from content.importers.options import boundary
from content.importers.shapes import Both, is_han

_VALUE = (
    r"\(?\s*(?:[A-J](?:[\s、,;/&和]*[A-J])*|[a-j]|√|×|对|错|正确|错误|不正确|是|否|T|F|True"
    r"|False)\s*\)?\s*(?:$|[。.;,\s(\[]|解析)"
)
_ANSWER = re.compile(
    r"(?:\[\s*(?:正确|参考|标准|本题|试题|题目)?\s*(?:答案|答|正确选项|参考要点"
    r"|答题要点)(?:及评分标准)?\s*:?\s*\]\s*[:.]?\s*"
    r"|(?:正确|参考|标准|本题|试题|题目|该题|示例|本小题)?\s*的?\s*(?:正确)?(?:答案(?:要点|选项|示例|(?:与|及|和)解析)?|正确选项"
    r"|正解|答题要点|参考要点|参考回答|评分(?:要点|标准)|要点)\s*(?:[:=]|(?:是|为|应为|选|应选)\s*:?)\s*"
    rf"|(?:正确|参考|标准)?答案\s*(?={_VALUE})|(?:正确|参考|标准)答案\s+"
    r"|(?:本题|故|应|因此)?(?:正确)?(?:选|选择)\s*:\s*"
    r"|答\s*(?::|(?=$))\s*"
    r"|(?:the\s+)?(?:correct|right|model|sample|suggested|expected|reference|best|accepted)?\s*(?:answers?"
    r"|ans)(?:\s*\(s\))?\s*(?:[:=]|(?:is|are)\b\s*:?|-\s|\.(?=\s|\())\s*"
    r"|(?:the\s+)?(?:correct|right)\s+(?:option|choice|response)s?\s*(?:[:=]|(?:is|are)\b\s*:?)\s*"
    r"|(?:(?:scoring|grading|marking)\s+)?(?:rubric|criteria|scheme|guide)\s*:\s*"
    rf"|(?:answer|ans)\s+(?=\(?[A-J]\)?\s*(?:$|[.,;]))|key\s*[:=]\s*|correct\s*:\s*(?={_VALUE}))",
    re.I,
)
_ANSWER_INSIDE = re.compile(
    r"\(\s*(?P<in>(?:正确|参考|标准)?(?:答案|答)\s*[:是为]?\s*[^()]{1,60}|(?:correct\s+)?(?:answer"
    r"|ans)\s*[:.]\s*[^()]{1,60})\)"
    r"|\[\s*(?P<sq>(?:正确|参考|标准)?答案\s*[:是为]\s*[^\[\]]{1,60}|(?:correct\s+)?(?:answer|ans)\s*[:.]\s*[^\[\]]{1,60})\]"
    r"|(?P<b>\[\s*(?:正确|参考|标准|本题|试题)?\s*(?:答案|答)\s*\]\s*[:.]?\s*)"
    rf"|(?<=[\s。.?!)\]_;,])(?P<z>(?:正确|参考|标准)?(?:答案)\s*[:]\s*)|(?P<y>(?:正确|参考"
    rf"|标准)?答案\s*[:是为]\s*(?={_VALUE}))"
    rf"|(?<=[\s.?!)\]_;,])(?P<e>(?:correct\s+)?(?:answer|ans)\s*[:]\s*)|(?<=[\s.?!)\]_])(?P<k>(?:key"
    rf"|ans\.)\s*:?\s*(?={_VALUE}))",
    re.I,
)
_WHY_STRONG = (
    r"\[\s*(?:答案|试题|本题|考点|题目|详细|参考)?\s*(?:解析|详解|解释|分析|点评|点拨|解答|说明|思路|理由"
    r"|依据)\s*:?\s*\]\s*[:.]?\s*"
    r"|(?:答案|试题|本题|题目|详细|参考|考点|正确)?(?:解析|详解)\s*:\s*|(?:答案)(?:解释|说明|分析)\s*:\s*"
    r"|(?:explanations?|rationales?|justifications?|feedback)\s*(?::|-\s)\s*"
)
_WHY = re.compile(
    rf"(?:{_WHY_STRONG}|(?:解析|答案解析)(?:\s+|(?=$))"
    r"|(?P<weak>(?:解释|分析|说明|理由|依据|点评|解答|解题思路|解|备注|原因|(?:reason(?:ing|s)?|why|discussion"
    r"|comments?|notes?|sol(?:ution|n)?|because|remarks?))\s*:\s*))",
    re.I,
)
_WHY_INSIDE = re.compile(_WHY_STRONG.replace("|考点|正确)?(?:解析", "|考点)?(?:解析"), re.I)  # 答案：正确解析：…


def answer_at_start(line: Both) -> Both | None:
    """What an answer line says, or nothing where the line is none."""
    line = unbulleted(line)
    paren = _ANSWER_INSIDE.fullmatch(line.shape)
    if paren and (paren["in"] or paren["sq"]):
        line = line.cut(*paren.span("in" if paren["in"] else "sq"))
    found = _ANSWER.match(line.shape)
    return line.cut(found.end()) if found else None


def answer_inside(line: Both) -> tuple[Both, Both, Both] | None:
    """A line with an answer behind its text: text before, the answer, text behind it."""
    for found in _ANSWER_INSIDE.finditer(line.shape):
        if found.start() == 0 or re.search(
            r"(?:short|long|your|brief|the|给出|写出)\s*$", line.shape[: found.start()], re.I
        ):
            continue
        if found["in"] or found["sq"]:
            inner = line.cut(*found.span("in" if found["in"] else "sq"))
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
        if found.start() and (not found[0][0].isalpha() or is_han(found[0][0]) or boundary(line.shape, found.start())):
            return line.cut(0, found.start()), line.cut(found.end())
    return None


_REMARK = re.compile(
    r"\[?\s*(?P<name>得分|我的得分|本题得分|用时|正确率|难度(?:系数|等级)?|难易(?:度|程度)?|分值|分数|题型|题目类型"
    r"|试题类型|章节|所属章节|知识点|考点|考查点|标签|来源|出处|关键词|认知层次|能力层次|编号"
    r"|difficulty|points?|score|marks?|(?:question\s*)?type|tags?|topics?|category|level|chapter|source|keywords?"
    r"|reference|bloom'?s?(?:\s+\w+)*|objective|learning objective)\s*(?:\]\s*:?|:)\s*(?P<value>.*)",
    re.I,
)


_SCORED = re.compile(r"\d{1,3}(?:\.\d)?\s*分")  # what someone once got for it


def remark(line: Both) -> tuple[str, str] | None:
    """A line of particulars such as 难度：中 or Topic: GPUs: its name and value."""
    if _SCORED.fullmatch(line.shape):
        return "得分", line.shape
    found = _REMARK.fullmatch(unbulleted(line).shape)
    return (found["name"].lower(), found["value"].strip().strip("[]")) if found else None


_OWN_ANSWER = re.compile(
    r"(?:我的|考生|学生|你的|您的|作答|your\s+)(?:答案|answer)\s*:\s*[^\s;,]*(?:\s*[;,])?\s*", re.I
)


def without_own_answer(line: Both) -> Both:
    """The line without what someone once answered: 我的答案：B."""
    found = _OWN_ANSWER.match(line.shape)
    return line.cut(found.end()) if found else line


_RUBRIC = re.compile(
    r"(?:评分|给分)(?:要点|标准|细则)|(?:(?:scoring|grading|marking)\s+)?(?:rubric|criteria|scheme|guide)\s*:", re.I
)


def is_rubric(line: Both) -> bool:
    """评分标准： or Rubric: in front, which goes on with an answer where there is one, and is the answer otherwise."""
    return bool(_RUBRIC.match(unbulleted(line).shape))


def replied(line: Both) -> Both | None:
    """What ``A: …`` says where a document lets Q: and A: take turns."""
    found = re.match(r"A(?:nswer)?\s*\d{0,3}\s*[:.]\s*", line.shape)
    return line.cut(found.end()) if found else None
