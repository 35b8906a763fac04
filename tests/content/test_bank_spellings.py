"""What members type in the shipped bank's blanks and numbers: right in each fair spelling, wrong where it is wrong.

Each question that is typed has a row here; a new one without a row fails, so that its key is tried before it is asked.
"""

from __future__ import annotations

import pytest

from content.grading import grade
from content.library import default_bank_path
from content.loader import load_bank
from content.question import Kind, Question, Response

TYPED: dict[str, Question] = {
    entry.question.id: entry.question
    for entry in load_bank(default_bank_path(), drafts=True).entries
    if entry.question.kind in (Kind.BLANK, Kind.NUMERIC)
}

# Right spellings, then wrong answers that somebody would give; both separated by " | ".
SPELLINGS: dict[str, tuple[str, str]] = {
    "lora-zero-initialised": (
        "B | b | matrix B | B matrix | the matrix B | lora_B | lora B | Ｂ | 矩阵B | B 矩阵 | up-projection",
        "A | BA | W₀ | W0 | A and B | matrix A | 矩阵 A | down-projection | 下投影",
    ),
    "ray-stateful-worker": (
        "actor | Actor | an actor | actors | Ray actor | actor（演员） | 参与者 | Actor 进程 | “actor”",
        "task | worker | driver | 任务 | 执行器 | placement group",
    ),
    "rounding-gradient-estimator": (
        "straight-through | straight through | Straight-Through | STE | ste | straight-through estimator | "
        "straight-through (STE) | straight-through estimator (STE) | 直通 | 直通估计器 | 直通（STE） | 直通梯度估计器",
        "REINFORCE | Gumbel-softmax | stochastic | straight | identity | 随机 | 恒等 | 直线",
    ),
    "rouge-l-common-what": (
        "subsequence | Subsequences | sub-sequence | sub sequence | common subsequence | longest common subsequence | "
        "subsequence (LCS) | 子序列 | 公共子序列 | 最长公共子序列 | 子序列 (subsequence) | 子序列（LCS）",
        "substring | n-gram | prefix | sequence | 子串 | 子字符串 | 前缀 | 序列 | subsequence or substring",
    ),
    "event-time-completeness-mark": (
        "watermark | Watermarks | water mark | water-mark | low watermark | event-time watermark | the watermark | "
        "水位线 | 水印 | 浮水印 | 水位線 | 水位线（watermark） | watermark（水位线）",
        "trigger | window | checkpoint | allowed lateness | high watermark | 触发器 | 窗口 | 检查点",
    ),
    "rmsnorm-leaves-out": (
        "mean | the mean | means | average | mean value | mean of the activations | μ | 均值 | 平均值 | 均值（mean）",
        "variance | standard deviation | RMS | median | bias | 方差 | 标准差 | 均方根",
    ),
    "batching-at-each-iteration": (
        "continuous | Continuous batching | in-flight | inflight | in flight batching | iteration-level | rolling | "
        "persistent | continuous (in-flight) | 连续 | 连续批处理 | 持续批处理 | 连续（continuous） | 迭代级",
        "dynamic | static | micro | offline | dynamic batching | 动态 | 静态 | 动态批处理",
    ),
    "mlflow-movable-name": (
        "alias | aliases | an alias | model alias | registered model alias | 别名 | 模型别名 | 别名（alias）",
        "tag | stage | version | champion | label | 标签 | 阶段 | alias or tag",
    ),
    "gdpr-breach-hours": (
        "72 | 72 hours | 72h | 72 hrs | seventy-two | seventy two | 七十二 | 72小时 | 72个小时 | within 72 hours",
        "24 | 48 | 30 | 96 | 7.2 | 72 days | 72 minutes | 24 or 72",
    ),
    "qlora-double-quantisation-saving": (
        "3.03 | 3 | 3.03 GB | 3.031GB | 约 3.03 GB | 三点零三 | 3030 MB | 3,031 MB | 2.82 GiB | 3.03e9 bytes",
        "24.25 | 4.06 | 1.03 | 0.373 | 3.03 MB | 3.03 TB | 3.03 GiB",
    ),
    "young-checkpoint-interval": (
        "49 | 48.99 | 49 min | 49 minutes | 49分钟 | 约49分钟 | 四十九 | 2940 s | 0.8165 h | ４９",
        "34.6 | 6.3 | 150 | 24.5 | 300 | 49 h | 49 s",
    ),
    "hpa-replica-count": (
        "11 | 11 replicas | 11 pods | 11个副本 | 11 个 | 十一 | eleven | 11.0",
        "10 | 10.5 | 5 | 12 | 21 | 10-11",
    ),
    "one-hour-of-error-budget": (
        "2 | 2% | 2 % | 2.0% | 2 percent | 百分之二 | ２％",
        "1.44 | 14.4 | 0.14 | 20 | 0.2% | 2‰",
    ),
    "outlier-leaves-three-codes": (
        "3 | three | 三 | 三个 | 3个 | 3 codes | 3.0",
        "255 | 2 | 1 | 4 | -1, 0, 1",
    ),
    "kappa-of-rare-label": (
        "0.5 | .5 | 0.50 | 1/2 | 50% | κ = 0.5 | kappa=0.5 | 零点五 | half | 二分之一",
        "0.84 | 0.16 | 0.83 | 0.68 | 5 | 0.05",
    ),
    "minhash-lsh-candidate-rate": (
        "0.7716 | 0.77 | .772 | 77% | 77.2% | 77.16 % | 百分之七十七 | 77 percent | 约77.2%",
        "0.75 | 0.1001 | 0.134 | 0.228 | 75% | 10% | 7.7% | 77",
    ),
    "bleu-brevity-penalty": (
        "0.7165 | 0.717 | 0.72 | .7165 | 71.65% | BP = 0.717 | ≈0.717 | 零点七一七",
        "0.75 | 0.7788 | 1 | 0.28 | 1.33 | 7.17",
    ),
    "pass-at-two-from-ten": (
        "0.5333 | 0.533 | 0.53 | 53% | 53.3% | 8/15 | 24/45 | 十五分之八 | ≈ 0.533",
        "0.51 | 0.6 | 0.3 | 0.47 | 7/15 | 5.33",
    ),
    "ring-allreduce-bytes-sent": (
        "3.5 | 3.5 GB | 3.5GB | 3500 MB | 3.5 gigabytes | 7/2 | 3 1/2 | 三点五 | 3.5e9 B",
        "1.75 | 4 | 14 | 2 | 0.35 | 3.5 MB | 3.5 TB",
    ),
    "roofline-attainable-rate": (
        "100 | 100 TFLOP/s | 100 TFLOPS | 100 tflops | 0.1 PFLOP/s | 100000 GFLOPS | 100e12 FLOP/s | 一百",
        "400 | 200 | 8 | 25 | 100 GFLOP/s | 100 TB/s",
    ),
    "fp16-smallest-loss-scale": (
        "8 | 8.0 | 2^3 | 2³ | 2**3 | eight | 八 | 8x | 8倍 | 2的3次方",
        "4 | 16 | 8192 | 3 | 2^-3 | 1024",
    ),
    "zero1-states-per-gpu": (
        "56.875 | 56.9 | 57 | 56.9GB | 约 57 GB | 56875 MB | 52.97 GiB | 五十六点八七五",
        "208 | 31.7 | 6.5 | 52 | 4.875 | 61.6 | 56.9 MB",
    ),
    "swiglu-equal-width": (
        "10923 | 10,923 | 10922 | 10922.67 | 10.9k | 32768/3 | ≈10923 | 一万零九百二十三",
        "16384 | 8192 | 12288 | 5461 | 4096 | 10.9",
    ),
    "training-days-6nd": (
        "3.47 | 3.5 | 3.472 days | 3.5天 | 约3.5天 | 三点五天 | 83.3 h | 300000 s | 5000 min",
        "1.16 | 2.3 | 222 | 35 | 3.5 hours",
    ),
    "speculative-tokens-per-pass": (
        "3.36 | 3.3616 | 3.4 | 3.36 tokens | 3.36个词元 | 3.36 个 | 三点三六 | 约3.36",
        "3.2 | 4.2 | 2.36 | 4 | 5 | 0.336",
    ),
    "kv-cache-sequences-that-fit": (
        "48 | 48.0 | 48 sequences | 48条 | 48 条序列 | 四十八 | forty-eight",
        "12 | 96 | 24 | 47 | 49 | 192",
    ),
    "requests-in-flight": (
        "300 | 300 requests | 300个 | 300 个请求 | 三百 | three hundred | 3e2 | 3百",
        "48 | 120 | 30 | 150 | 3000 | 2.5",
    ),
}


def _typed(which: int) -> list[tuple[str, str]]:
    return [(name, text) for name, columns in SPELLINGS.items() for text in columns[which].split(" | ")]


def test_every_typed_question_of_the_bank_is_tried_with_five_right_and_three_wrong_answers() -> None:
    assert set(SPELLINGS) == set(TYPED), "Add the new question's spellings above, and drop rows of removed questions."
    assert not [name for name in SPELLINGS if len(SPELLINGS[name][0].split(" | ")) < 5]
    assert not [name for name in SPELLINGS if len(SPELLINGS[name][1].split(" | ")) < 3]


@pytest.mark.parametrize(("name", "text"), _typed(0))
def test_a_right_answer_in_another_spelling_has_full_credit(name: str, text: str) -> None:
    assert grade(TYPED[name], Response(text=text)).credit == 1


@pytest.mark.parametrize(("name", "text"), _typed(1))
def test_a_wrong_answer_has_no_credit(name: str, text: str) -> None:
    assert grade(TYPED[name], Response(text=text)).credit == 0
