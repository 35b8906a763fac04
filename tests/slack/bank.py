"""One question of each kind, small enough to reason about. The words of the keys stand nowhere else."""

from __future__ import annotations

from content.library import Library
from content.question import Kind, NumericKey, Option, Question, RubricPoint, Source, Status, Text

PAPER = Source("A paper", "§3", 2023, url="https://example.org/paper")


def option(key: str, en: str, zh: str, correct: bool = False) -> Option:
    why = Text(f"Because {en} is {'right' if correct else 'wrong'}.", f"理由：{zh}。")
    return Option(key, Text(en, zh), correct, why)


def question(kind: Kind, prompt: str, zh: str, **rest: object) -> Question:
    return Question(
        id=f"kv-cache-{kind.value}",
        kind=kind,
        topic="kv-cache",
        difficulty=2,
        prompt=Text(prompt, zh),
        explanation=Text("The secret explanation.", "秘密的解析。"),
        status=Status.PUBLISHED,
        sources=(PAPER,),
        **rest,  # type: ignore[arg-type]
    )


SINGLE = question(
    Kind.SINGLE,
    "How much memory & time does the <!channel> cache take? See `k_v[*]`.",
    "缓存占用多少内存？",
    options=(
        option("a", "256 MiB", "256 兆"),
        option("b", "512 MiB", "512 兆", True),
        option("c", "1 GiB", "1 吉"),
        option("d", "2 GiB", "2 吉"),
    ),
    keep_order=True,
)
MULTIPLE = question(
    Kind.MULTIPLE,
    "Which of these shrink the cache?",
    "哪些能缩小缓存？",
    options=(
        option("a", "Grouped queries", "分组查询", True),
        option("b", "More heads", "更多头"),
        option("c", "Eight bits", "八比特", True),
        option("d", "Longer prompts", "更长的提示"),
    ),
    keep_order=True,
)
TRUE_FALSE = question(Kind.TRUE_FALSE, "The cache grows with the batch.", "缓存随批量增长。", answer=True)
BLANK = question(
    Kind.BLANK,
    "What is kept per token?",
    "每个词元保存什么？",
    accept={"en": ("zyzzyva",), "zh": ("蟋蟀",)},
    shown=Text("zyzzyva", "蟋蟀"),
)
NUMERIC = question(Kind.NUMERIC, "How many bytes?", "多少字节？", number=NumericKey(98765, "B", tolerance=0.001))
CASE = question(
    Kind.CASE,
    "Your service runs out of memory. What do you do?",
    "你的服务内存不足，怎么办？",
    rubric=(RubricPoint(2, Text("Measures first", "先测量"), {"en": ("measure",), "zh": ("测量",)}),),
    model_answer=Text("Measure, then page the cache: quokka.", "先测量，再分页。"),
)
LIBRARY = Library.of((SINGLE, MULTIPLE, TRUE_FALSE, BLANK, NUMERIC, CASE))
