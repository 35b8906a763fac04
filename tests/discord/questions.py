"""Questions of every kind, small enough to read in a test."""

from __future__ import annotations

from content.question import Kind, NumericKey, Option, Question, RubricPoint, Source, Status, Text

SOURCE = (Source("Attention Is All You Need", "section 3.2", 2017, arxiv="1706.03762"),)


def options(*texts: str, right: str) -> tuple[Option, ...]:
    return tuple(
        Option(key, Text(text, f"{text}（中文）"), key in right, Text(f"Why {key}: `d_k`.", f"理由 {key}"))
        for key, text in zip("abcdef", texts, strict=False)
    )


SINGLE = Question(
    "kv-1",
    Kind.SINGLE,
    "kv-cache",
    2,
    Text("How large is the *KV cache* of `n_layers=32`?", "`n_layers=32` 的 KV 缓存有多大？"),
    Text("Keys and values, per layer and head.", "每层每头的键和值。"),
    status=Status.PUBLISHED,
    options=options("256 MiB", "512 MiB", "1 GiB", "2 GiB", right="b"),
    keep_order=True,
    sources=SOURCE,
    discussion=Text("What does GQA change?", "GQA 改变了什么？"),
)
MULTIPLE = Question(
    "ms-1",
    Kind.MULTIPLE,
    "kv-cache",
    2,
    Text("Which of these shrink the cache?", "哪些做法能缩小缓存？"),
    Text("GQA and quantisation do.", "GQA 和量化可以。"),
    status=Status.PUBLISHED,
    options=options("GQA", "INT8 cache", "More layers", "Longer context", right="ab"),
    keep_order=True,
    sources=SOURCE,
)
TRUTH = Question(
    "tf-1",
    Kind.TRUE_FALSE,
    "kv-cache",
    1,
    Text("The cache grows with the context.", "缓存随上下文增长。"),
    Text("Linearly.", "线性增长。"),
    status=Status.PUBLISHED,
    answer=True,
    sources=SOURCE,
)
BLANK = Question(
    "bl-1",
    Kind.BLANK,
    "kv-cache",
    1,
    Text("GQA means grouped-____ attention.", "GQA 是分组____注意力。"),
    Text("Query heads are grouped.", "查询头分组。"),
    status=Status.PUBLISHED,
    accept={"en": ("query",), "zh": ("查询",)},
    sources=SOURCE,
)
NUMERIC = Question(
    "nu-1",
    Kind.NUMERIC,
    "kv-cache",
    2,
    Text("How much is 2 × 256 MiB?", "2 × 256 MiB 是多少？"),
    Text("Doubled.", "加倍。"),
    status=Status.PUBLISHED,
    number=NumericKey(512, "MiB", tolerance=0.01),
    sources=SOURCE,
)
CASE = Question(
    "ca-1",
    Kind.CASE,
    "kv-cache",
    3,
    Text("Your server runs out of memory at long contexts. What do you do?", "长上下文时显存不足，怎么办？"),
    Text("Start with the cache.", "先看缓存。"),
    status=Status.PUBLISHED,
    rubric=(RubricPoint(2, Text("Names the cache", "提到缓存"), {"en": ("cache",), "zh": ("缓存",)}),),
    model_answer=Text("Quantise the cache.", "量化缓存。"),
    sources=SOURCE,
)
EVERY_KIND = (SINGLE, MULTIPLE, TRUTH, BLANK, NUMERIC, CASE)
