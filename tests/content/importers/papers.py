"""One exam written in any manner: a paper as data, and the many ways in which documents write it down."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from tests.content.importers.reading import Expected

# Section kind, then per item: stem, options, key, explanation. {k} in a stem is where a key in brackets may stand.
_ZH: list[tuple[str, list[tuple[str, list[str], object, str]]]] = [
    (
        "single",
        [
            (
                "KV 缓存在解码时保存的是{k}。",
                ["模型权重", "历史词元的键和值", "梯度", "优化器状态"],
                "B",
                "解码时复用键和值。",
            ),
            ("数据并行每步要同步的是什么？", ["激活", "词表", "梯度", "日志"], "C", "各卡的梯度要做全归约。"),
            ("2:4 稀疏每 4 个权重保留{k}个。", ["1", "2", "3", "4"], "B", "每四个里留两个。"),
            ("下列位宽最低的格式是{k}", ["FP32", "FP16", "INT8", "INT4"], "D", "四位最低。"),
        ],
    ),
    (
        "multiple",
        [
            ("属于模型并行的有{k}。", ["张量并行", "流水线并行", "数据清洗", "专家并行"], "ABD", "三者都切分模型。"),
            ("能减少 KV 缓存的做法有哪些？", ["GQA", "MQA", "加大批次", "滑动窗口", "加深网络"], "ABD", "少存键和值。"),
        ],
    ),
    (
        "blank",
        [
            ("注意力分数除以{b}的平方根。", [], "键的维度", "防止内积过大。"),
            ("反向传播使用{b}法则求导。", [], "链式", "复合函数求导。"),
            ("PagedAttention 以{b}为单位管理缓存。", [], "块", "类似分页。"),
        ],
    ),
    (
        "true_false",
        [
            ("INT8 权重比 FP16 权重占用更少显存。", [], True, "每个权重一字节。"),
            ("增大批次总能提高模型精度。", [], False, "并不总是如此。"),
            ("LoRA 在训练时冻结基座权重。", [], True, "只训练低秩矩阵。"),
        ],
    ),
    (
        "case",
        [
            ("简述 LoRA 的基本原理。", [], "冻结基座权重，训练低秩增量。", ""),
            ("为什么要使用混合精度训练？", [], "减少显存并提高吞吐。", ""),
        ],
    ),
]
_EN: list[tuple[str, list[tuple[str, list[str], object, str]]]] = [
    (
        "single",
        [
            (
                "What does a KV cache keep during decoding?",
                ["Model weights", "Keys and values", "Gradients", "Logs"],
                "B",
                "They are reused.",
            ),
            ("Which format has the fewest bits?", ["FP32", "FP16", "INT8", "INT4"], "D", "Four bits."),
            ("How many of 4 weights does 2:4 sparsity keep?", ["1", "2", "3", "4"], "B", "Two of four."),
        ],
    ),
    (
        "multiple",
        [
            (
                "Which of these split the model?",
                ["Tensor parallelism", "Pipeline parallelism", "Data cleaning", "Expert parallelism"],
                "ABD",
                "All three do.",
            ),
            (
                "What makes the KV cache smaller?",
                ["GQA", "MQA", "Larger batches", "A sliding window", "More layers"],
                "ABD",
                "Fewer keys.",
            ),
        ],
    ),
    (
        "blank",
        [
            (
                "Attention scores are divided by the square root of the {b} dimension.",
                [],
                "key",
                "It keeps them small.",
            ),
            ("Gradients are computed with the {b} rule.", [], "chain", "Composite functions."),
        ],
    ),
    (
        "true_false",
        [
            ("INT8 weights take less memory than FP16 weights.", [], True, "One byte each."),
            ("A larger batch always improves accuracy.", [], False, "It does not."),
            ("LoRA freezes the base weights.", [], True, "Only the factors train."),
        ],
    ),
    (
        "case",
        [
            ("Explain the idea of LoRA.", [], "Freeze the base, train a low-rank update.", ""),
            ("Why is mixed precision used?", [], "It saves memory and raises throughput.", ""),
        ],
    ),
]
_NAMES = {
    "zh": {
        "single": ["单选题", "单项选择题", "单选", "单項選擇題"],
        "multiple": ["多选题", "多项选择题", "不定项选择题"],
        "blank": ["填空题", "填空"],
        "true_false": ["判断题", "是非题", "判断正误"],
        "case": ["简答题", "问答题", "论述题"],
    },
    "en": {
        "single": ["Single choice", "Single-Choice Questions", "Single Answer Questions"],
        "multiple": ["Multiple answers", "Multiple-Select Questions", "Select all that apply"],
        "blank": ["Fill in the blank", "Fill-in-the-Blanks", "Completion"],
        "true_false": ["True or False", "True/False", "TRUE OR FALSE QUESTIONS"],
        "case": ["Short answer", "Short Answer Questions", "Essay Questions"],
    },
}
_HAN = "一二三四五"
_ROMAN = ["I", "II", "III", "IV", "V"]


@dataclass(frozen=True)
class Manner:
    """How a document is written."""

    language: str
    heading: str
    counts: str
    number: str
    restart: bool
    option: str
    option_lines: str
    blank: str
    keys: str  # below, stem, section, end
    key_label: str
    why_label: str
    truth: tuple[str, str]
    explain: bool
    gaps: bool
    width: str
    rows: str  # answer tables: a row each, all in one row, ranges
    row: str
    tables: str  # what stands over the answers of a section at the end
    several: str  # between the letters of several right options
    kinds: str  # heading, tag, none
    stem_line: bool  # options behind the stem
    score: str
    one_line: bool  # answer and explanation on one line
    why_first: bool
    remarks: bool
    wrapped: bool


def manner(rng: random.Random) -> Manner:
    """Any manner."""
    language = rng.choice(["zh", "zh", "en"])
    zh = language == "zh"
    keys = rng.choice(["below", "below", "stem", "section", "end"])
    kinds = rng.choice(["heading", "heading", "heading", "tag", "none"])
    return Manner(
        language=language,
        heading=rng.choice(
            [
                "{h}、{n}",
                "（{h}）{n}",
                "第{h}部分 {n}",
                "{n}",
                "【{n}】",
                "{h}、{n}：",
                "## {h}、{n}",
                "{a}. {n}",
                "{h}．{n}",
            ]
            if zh
            else ["{r}. {n}", "Part {r}: {n}", "Section {a}. {n}", "{n}", "PART {l} - {n}", "## {n}", "{r}. {n}:"]
        ),
        counts=rng.choice(
            ["", "", "（共{c}题）", "（每题2分，共{p}分）", "（本大题共{c}小题，每小题2分，共{p}分）", "(共{c}题)"]
            if zh
            else ["", "", " ({c} questions)", " ({c} questions, 2 points each)", " (2 points each)"]
        ),
        number=rng.choice(
            ["{n}.", "{n}. ", "{n}、", "{n}．", "（{n}）", "({n}) ", "{n})", "第{n}题 ", "第{n}题：", "题目{n}："]
            if zh
            else ["{n}. ", "{n}) ", "({n}) ", "Q{n}. ", "Question {n}: ", "Q{n}: "]
        ),
        restart=rng.random() < 0.6,
        option=rng.choice(
            [
                "{L}.",
                "{L}. ",
                "{L}、",
                "{L}．",
                "（{L}）",
                "({L}) ",
                "{L}) ",
                "{L}：",
                "- {L}. ",
                "[{L}] ",
                "{l}) ",
                "{l}. ",
            ]
            if zh
            else ["{L}. ", "{L}) ", "({L}) ", "{l}) ", "({l}) ", "{l}. ", "- {L}. ", "[{L}] "]
        ),
        option_lines=rng.choice(["each", "each", "one", "two", "tabs"]),
        blank=rng.choice(["____", "______", "（  ）", "___________"] if zh else ["____", "__________"]),
        keys=keys,
        key_label=rng.choice(
            ["答案：", "正确答案：", "参考答案：", "【答案】", "答案:", "标准答案：", "答案： "]
            if zh
            else ["Answer: ", "Ans: ", "Correct answer: ", "ANSWER: ", "Answer - "]
        ),
        why_label=rng.choice(
            ["解析：", "【解析】", "答案解析：", "解析:"] if zh else ["Explanation: ", "Rationale: ", "EXPLANATION: "]
        ),
        truth=rng.choice(
            [("√", "×"), ("对", "错"), ("正确", "错误"), ("T", "F"), ("正确", "不正确"), ("✓", "✗")]
            if zh
            else [("True", "False"), ("T", "F"), ("TRUE", "FALSE")]
        ),
        explain=rng.random() < 0.5,
        gaps=rng.random() < 0.3,
        width=rng.choice(["half", "half", "full"]) if zh else "half",
        rows=rng.choice(["each", "each", "one", "range"]),
        row=rng.choice(
            ["{n}.{k}", "{n}. {k}", "{n}、{k}", "({n}) {k}", "{n}．{k}", "{n}.【答案】{k}", "{n}：{k}", "第{n}题：{k}"]
            if zh
            else ["{n}. {k}", "{n}) {k}", "{n}: {k}", "({n}) {k}", "{n}. Answer: {k}"]
        ),
        tables=rng.choice(["same", "same", "short", "inline", "none"]),
        several=rng.choice(["", "", "、", ",", " ", ", "] if zh else ["", "", ", ", ",", " "]),
        kinds=kinds,
        stem_line=rng.random() < 0.15,
        score=rng.choice(["", "", "", "（2分）", "(2分)"] if zh else ["", "", "", " (2 points)", " [2 pts]"]),
        one_line=rng.random() < 0.25,
        why_first=rng.random() < 0.1,
        remarks=rng.random() < 0.15,
        wrapped=rng.random() < 0.15,
    )


def written(rng: random.Random) -> tuple[str, list[Expected], Manner]:
    """A document, what it says, and the manner it was written in."""
    how = manner(rng)
    source = _ZH if how.language == "zh" else _EN
    sections = [(kind, items[: rng.randint(1, len(items))]) for kind, items in source if rng.random() < 0.8]
    sections = sections or source[:1]
    out = ["大模型工程师测验" if how.language == "zh" else "Deep Learning Test"]
    expected: list[Expected] = []
    ends: list[str] = []
    number = 0
    for place, (kind, items) in enumerate(sections):
        if (how.restart and how.kinds == "heading") or not place:
            number = 0
        head = _head(rng, how, place, kind, len(items))
        if how.kinds == "heading":
            out.append(head)
        keys: list[tuple[int, str, str]] = []
        for stem, options, key, why in items:
            number += 1
            lines, said = _item(how, kind, number, stem, options, key, why)
            out += lines
            expected.append(said)
            keys.append((number, _shown_key(how, kind, key), why))
        rows = _key_rows(how, kind, keys)
        if how.keys == "section":
            out.append("【答案与解析】" if how.language == "zh" else "Answer key")
            out += rows
        ends += _under_head(how, head, how.counts.format(c=len(items), p=2 * len(items)), place, rows)
    if how.keys == "end":
        out.append("参考答案" if how.language == "zh" else "Answer Key")
        out += ends
    if how.width == "full":
        out = [_full(line) for line in out]
    return ("\n\n" if how.gaps else "\n").join(out), expected, how


def _head(rng: random.Random, how: Manner, place: int, kind: str, count: int) -> str:
    name = rng.choice(_NAMES[how.language][kind])
    head = how.heading.format(h=_HAN[place], r=_ROMAN[place], a=place + 1, l="ABCDE"[place], n=name)
    counts = how.counts.format(c=count, p=2 * count)
    return head[:-1] + counts + "】" if head.endswith("】") else head + counts


def _under_head(how: Manner, head: str, counts: str, place: int, rows: list[str]) -> list[str]:
    """The answers of a section at the end of the document."""
    if how.kinds != "heading" or how.tables == "none":
        return rows
    short = f"{_HAN[place]}、" if how.language == "zh" else head
    if how.tables == "short" and how.language == "zh" and how.heading.startswith("{h}"):
        return [short + rows[0], *rows[1:]]
    if how.tables == "inline" and len(rows) == 1 and "\n" not in rows[0] and how.language == "zh":
        bare = head.removesuffix(counts).rstrip("：")
        return [head, *rows] if "】" in head or not bare else [bare + "：" + rows[0]]
    return [head, *rows]


def _full(line: str) -> str:
    """Question numbers and option letters at the start of a line in full width."""

    def wide(found: re.Match[str]) -> str:
        return "".join(chr(ord(c) + 0xFEE0) if c.isascii() and c.isalnum() else c for c in found[0])

    return re.sub(r"^\(?(?:\d{1,2}(?=[.、)])|[A-E](?=[.、)：]))", wide, line)


def _shown_key(how: Manner, kind: str, key: object) -> str:
    if kind == "true_false":
        return how.truth[0] if key is True else how.truth[1]
    return str(key)


def _item(
    how: Manner, kind: str, number: int, stem: str, options: list[str], key: object, why: str
) -> tuple[list[str], Expected]:
    shown = _shown_key(how, kind, key)
    inside = how.keys == "stem" and kind in ("single", "multiple", "true_false")
    text = stem.replace("{b}", how.blank)
    empty = "（ ）"
    prompt = text.replace("{k}", empty)
    if inside and kind != "true_false":
        if "{k}" in text:
            at_end = text.endswith("{k}")
            prompt = text.replace("{k}", "" if at_end else empty)
            text = text.replace("{k}", f"（{shown}）")
        else:
            prompt, text = text, text + f"（ {shown} ）"
    elif inside:
        text = text + f"（{shown}）"
    else:
        text = prompt
    if how.wrapped and how.language == "en" and " " in text[10:]:
        cut = text.index(" ", 10)
        text = text[:cut] + "\n" + text[cut + 1 :]
    elif how.wrapped and how.language == "zh":
        text = text[:6] + "\n" + text[6:] if all(ord(c) > 0x3400 for c in text[5:7]) else text
    tag = f"【{_NAMES[how.language][kind][0]}】" if how.kinds == "tag" else ""
    lines = [how.number.format(n=number) + tag + text + ("" if inside else how.score)]
    marks = _options(how, options)
    if how.stem_line and len(marks) == 1:
        lines = [lines[0] + "  " + marks[0]]
    else:
        lines += marks
    lines += _answer_lines(how, kind, shown, why, inside)
    if how.remarks:
        lines.append("难度：中" if how.language == "zh" else "Difficulty: easy")
    answer: object = (
        key if kind in ("single", "multiple", "true_false") else ([str(key)] if kind == "blank" else str(key))
    )
    letters = " | ".join(f"{'ABCDE'[i]} {option}" for i, option in enumerate(options))
    return lines, Expected(number, kind, prompt, letters, answer, why if how.explain and why else None)


def _answer_lines(how: Manner, kind: str, shown: str, why: str, inside: bool) -> list[str]:
    explained = [how.why_label + why] if how.explain and why else []
    if inside:
        return explained
    if how.keys not in ("below", "stem"):
        return []
    label = "Answer: " if how.language == "en" and kind == "case" else how.key_label
    line = label + (how.several.join(shown) if kind == "multiple" else shown)
    if explained and how.one_line and how.language == "zh":
        return [line + " " + explained[0]]
    if explained and how.why_first and kind in ("single", "multiple"):
        return [*explained, line]
    return [line, *explained]


def _options(how: Manner, options: list[str]) -> list[str]:
    marks = [how.option.format(L="ABCDE"[i], l="abcde"[i]) + text for i, text in enumerate(options)]
    if not marks:
        return []
    if how.option.startswith("-") or how.option_lines == "each":
        return marks
    if how.option_lines == "tabs":
        return ["\t".join(marks)]
    if how.option_lines == "one":
        return ["    ".join(marks)]
    return ["    ".join(marks[i : i + 2]) for i in range(0, len(marks), 2)]


def _key_rows(how: Manner, kind: str, keys: list[tuple[int, str, str]]) -> list[str]:
    """The answers of one section apart from its questions."""
    short = kind in ("single", "multiple", "true_false") and not how.explain
    if short and how.rows == "range" and len(keys) > 1 and kind != "multiple" and "不正确" not in how.truth:
        values = [key for _, key, _ in keys]
        glue = "" if all(len(v) == 1 for v in values) else " "
        return [f"{keys[0][0]}-{keys[-1][0]} {glue.join(values)}"]
    rows = [how.row.format(n=n, k=key) for n, key, _ in keys]
    if short and how.rows == "one":
        return ["   ".join(rows)]
    if not how.explain:
        return rows
    return [row + (f"\n{how.why_label}{why}" if why else "") for row, (_, _, why) in zip(rows, keys, strict=True)]
