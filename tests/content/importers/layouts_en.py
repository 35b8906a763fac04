"""English layouts as they are met, hand-written, with what they say. ``LAYOUTS``: name, text, questions, codes."""

from tests.content.importers.reading import Expected as Q

LAYOUTS: list[tuple[str, str, list[Q], list[str]]] = []


def layout(name: str, text: str, questions: list[Q], codes: list[str] | None = None) -> None:
    LAYOUTS.append((name, text.strip("\n"), questions, codes or []))


KV = "What does a KV cache hold?"
KV_OPTIONS = "A Weights | B Keys and values | C Gradients | D Optimizer state"
DP = "What does data parallelism synchronise?"
DP_OPTIONS = "A Activations | B The vocabulary | C Gradients | D Logs"

layout(
    "roman sections, answers below",
    """
I. Single choice
1. What does a KV cache hold?
A. Weights
B. Keys and values
C. Gradients
D. Optimizer state
Answer: B
2. What does data parallelism synchronise?
A. Activations
B. The vocabulary
C. Gradients
D. Logs
Answer: C
II. True or False
1. INT8 weights take less memory than FP16 weights.
Answer: True
2. A higher perplexity is better.
Answer: False
III. Fill in the blank
1. Attention scores are divided by the square root of the ____ dimension.
Answer: key
IV. Short answer
1. Explain why mixed precision saves memory.
Answer: Half the bytes per activation.
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(1, "true_false", "INT8 weights take less memory than FP16 weights.", "", True),
        Q(2, "true_false", "A higher perplexity is better.", "", False),
        Q(1, "blank", "Attention scores are divided by the square root of the ____ dimension.", "", ["key"]),
        Q(1, "case", "Explain why mixed precision saves memory."),
    ],
)
layout(
    "lower-case letters with brackets, rationale, question words",
    """
Part A: Multiple Choice (2 questions, 5 points each)

Question 1: What does a KV cache hold?
a) Weights
b) Keys and values
c) Gradients
d) Optimizer state
Correct answer: b
Rationale: Keys and values are reused
at every step.

Question 2: Which of the following are kinds of parallelism? (Select all that apply)
a) Data
b) Tensor
c) Learning rate
d) Pipeline
Correct answers: a, b and d
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B", "Keys and values are reused at every step."),
        Q(
            2,
            "multiple",
            "Which of the following are kinds of parallelism? (Select all that apply)",
            "A Data | B Tensor | C Learning rate | D Pipeline",
            "ABD",
        ),
    ],
)
layout(
    "answer key at the end",
    """
Deep learning quiz

Section 1: Multiple Choice
1) What does a KV cache hold?
   (A) Weights   (B) Keys and values
   (C) Gradients (D) Optimizer state
2) What does data parallelism synchronise?
   (A) Activations   (B) The vocabulary
   (C) Gradients     (D) Logs

Section 2: True/False
3) INT8 weights take less memory than FP16 weights. ____
4) A higher perplexity is better. ____

Answer Key
1. B   2. C   3. T   4. F
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(3, "true_false", "INT8 weights take less memory than FP16 weights.", "", True),
        Q(4, "true_false", "A higher perplexity is better.", "", False),
    ],
)
layout(
    "answer key with explanations by section",
    """
MULTIPLE CHOICE
1. What does a KV cache hold?
A) Weights
B) Keys and values
C) Gradients
D) Optimizer state
2. What does data parallelism synchronise?
A) Activations
B) The vocabulary
C) Gradients
D) Logs

TRUE OR FALSE
1. INT8 weights take less memory than FP16 weights.
2. A higher perplexity is better.

ANSWERS AND EXPLANATIONS

MULTIPLE CHOICE
1. B - Keys and values are reused.
2. C
Explanation: Gradients are reduced at each step.

TRUE OR FALSE
1. True. One byte instead of two.
2. False
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B", "Keys and values are reused."),
        Q(2, "single", DP, DP_OPTIONS, "C", "Gradients are reduced at each step."),
        Q(1, "true_false", "INT8 weights take less memory than FP16 weights.", "", True, "One byte instead of two."),
        Q(2, "true_false", "A higher perplexity is better.", "", False),
    ],
)
layout(
    "no numbers, capital ANSWER",
    """
What does a KV cache hold?
A. Weights
B. Keys and values
C. Gradients
D. Optimizer state
ANSWER: B

What does data parallelism synchronise?
A) Activations
B) The vocabulary
C) Gradients
D) Logs
ANSWER: C
""",
    [Q(None, "single", KV, KV_OPTIONS, "B"), Q(None, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "task list with ticks",
    """
### 1. What does a KV cache hold?

- [ ] Weights
- [x] Keys and values
- [ ] Gradients
- [ ] Optimizer state

### 2. Which are kinds of parallelism?

- [x] Data
- [x] Tensor
- [ ] Learning rate
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "multiple", "Which are kinds of parallelism?", "A Data | B Tensor | C Learning rate", "AB"),
    ],
)
layout(
    "right option marked in place",
    """
1. What does a KV cache hold?
A. Weights
*B. Keys and values
C. Gradients
D. Optimizer state
2. What does data parallelism synchronise?
A. Activations
B. The vocabulary
C. Gradients (correct)
D. Logs
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "answer in brackets behind the options and in the stem",
    """
Q1. What does a KV cache hold?
A. Weights
B. Keys and values
C. Gradients
D. Optimizer state
Ans. (B)
Q2. What does data parallelism synchronise? (C)
A. Activations
B. The vocabulary
C. Gradients
D. Logs
Q3. INT8 weights take less memory than FP16 weights. (True)
Q4. Attention scores are divided by the square root of the ______ dimension. (Answer: key)
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(3, "true_false", "INT8 weights take less memory than FP16 weights.", "", True),
        Q(4, "blank", "Attention scores are divided by the square root of the ______ dimension.", "", ["key"]),
    ],
)
layout(
    "the answer as the option's text",
    """
1. What does a KV cache hold?
A. Weights
B. Keys and values
C. Gradients
D. Optimizer state
Answer: Keys and values
2. What does data parallelism synchronise?
A. Activations
B. The vocabulary
C. Gradients
D. Logs
Answer: C. Gradients
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "Q and A take turns",
    """
Q: Why does mixed precision save memory?
A: Each activation takes half the bytes.

Q: What does a KV cache hold?
A: Keys and values of earlier tokens.
""",
    [
        Q(None, "case", "Why does mixed precision save memory?"),
        Q(None, "case", "What does a KV cache hold?"),
    ],
)
layout(
    "true or false with boxes and leading blanks",
    """
True or False. Write T or F in the blank.
__T__ 1. INT8 weights take less memory than FP16 weights.
__F__ 2. A higher perplexity is better.
3. LoRA freezes the base weights.
True [ ]  False [ ]
Answer: True
""",
    [
        Q(1, "true_false", "INT8 weights take less memory than FP16 weights.", "", True),
        Q(2, "true_false", "A higher perplexity is better.", "", False),
        Q(3, "true_false", "LoRA freezes the base weights.", "", True),
    ],
)
layout(
    "case study with a model answer",
    """
Section C: Case study
1. A team serves a 7B model on two 24 GB cards and sees a slow first token. What would you change?
Model answer:
- Chunked prefill
- Prefix caching
Section D: Essay questions
1. Discuss the trade-offs of quantization.
Model answer: Memory falls, accuracy may fall.
""",
    [
        Q(
            1,
            "case",
            "A team serves a 7B model on two 24 GB cards and sees a slow first token. What would you change?",
        ),
        Q(1, "case", "Discuss the trade-offs of quantization."),
    ],
)
