"""Chinese layouts as they are met, hand-written, with what they say. ``LAYOUTS``: name, text, questions, codes."""

from tests.content.importers.reading import Expected as Q

LAYOUTS: list[tuple[str, str, list[Q], list[str]]] = []


def layout(name: str, text: str, questions: list[Q], codes: list[str] | None = None) -> None:
    LAYOUTS.append((name, text.strip("\n"), questions, codes or []))


KV = "KV 缓存保存的是什么？"
KV_OPTIONS = "A 权重 | B 键和值 | C 梯度 | D 优化器状态"
DP = "数据并行同步的是什么？"
DP_OPTIONS = "A 激活 | B 词表 | C 梯度 | D 日志"

layout(
    "options on one line, answer below",
    """
一、单选题
1. KV 缓存保存的是什么？
A. 权重  B. 键和值  C. 梯度  D. 优化器状态
答案：B
2. 数据并行同步的是什么？
A. 激活  B. 词表  C. 梯度  D. 日志
答案：C
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "options two a line, ideographic comma marks, answer with explanation on one line",
    """
一、单项选择题（每题2分，共4分）
1、KV 缓存保存的是什么？（2分）
A、权重　　B、键和值
C、梯度　　D、优化器状态
【答案】B【解析】解码时复用键和值。
2、数据并行同步的是什么？（2分）
A、激活　　B、词表
C、梯度　　D、日志
【答案】C【解析】每步对梯度做归约。
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B", "解码时复用键和值。"),
        Q(2, "single", DP, DP_OPTIONS, "C", "每步对梯度做归约。"),
    ],
)
layout(
    "options glued without spaces behind the stem",
    """
单选题
1.KV 缓存保存的是什么？A.权重B.键和值C.梯度D.优化器状态
正确答案：B
2.数据并行同步的是什么？A.激活B.词表C.梯度D.日志
正确答案：C
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "full-width digits, letters and stops",
    """
一、单选题（共２题）
１．KV 缓存保存的是什么？
Ａ．权重
Ｂ．键和值
Ｃ．梯度
Ｄ．优化器状态
答案：Ｂ
２．数据并行同步的是什么？
Ａ．激活
Ｂ．词表
Ｃ．梯度
Ｄ．日志
答案：Ｃ
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "key in brackets inside the stem and at its end",
    """
一、单选题
1. KV 缓存保存的是（B）。
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？（ C ）
A. 激活
B. 词表
C. 梯度
D. 日志
3. 在【A】中，激活会被重新计算。
A. 重计算
B. 量化
二、多选题
1. 以下属于并行方式的有（ABD）
A. 数据并行
B. 张量并行
C. 学习率
D. 流水线并行
2. 以下属于量化格式的有（A、C）。
A. INT8
B. Adam
C. FP8
D. BLEU
三、判断题
1. INT8 权重比 FP16 权重占用更少显存。（√）
2. 增大批大小总能提高精度。（×）
（√）3. LoRA 冻结基座权重。
4. （ F ）困惑度越高越好。
""",
    [
        Q(1, "single", "KV 缓存保存的是（ ）。", KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(3, "single", "在【 】中，激活会被重新计算。", "A 重计算 | B 量化", "A"),
        Q(1, "multiple", "以下属于并行方式的有", "A 数据并行 | B 张量并行 | C 学习率 | D 流水线并行", "ABD"),
        Q(2, "multiple", "以下属于量化格式的有（ ）。", "A INT8 | B Adam | C FP8 | D BLEU", "AC"),
        Q(1, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
        Q(2, "true_false", "增大批大小总能提高精度。", "", False),
        Q(3, "true_false", "LoRA 冻结基座权重。", "", True),
        Q(4, "true_false", "困惑度越高越好。", "", False),
    ],
)
layout(
    "dashed options",
    """
## 一、单选题

1. KV 缓存保存的是什么？
- A. 权重
- B. 键和值
- C. 梯度
- D. 优化器状态

**答案：** B

2. 数据并行同步的是什么？
- A. 激活
- B. 词表
- C. 梯度
- D. 日志

**答案：** C
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "dashed options without letters",
    """
一、单选题
1. KV 缓存保存的是什么？
- 权重
- 键和值
- 梯度
- 优化器状态
答案：B
""",
    [Q(1, "single", KV, KV_OPTIONS, "B")],
)
layout(
    "bracketed letters and numbers",
    """
一、选择题
（1）KV 缓存保存的是什么？
（A）权重  （B）键和值
（C）梯度  （D）优化器状态
答案：（B）
（2）数据并行同步的是什么？
（A）激活  （B）词表
（C）梯度  （D）日志
答案：（C）
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "all keys at the end of the document, by section, in ranges and pairs",
    """
深度学习测验
一、单选题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
二、多选题
1. 以下属于并行方式的有
A. 数据并行
B. 张量并行
C. 学习率
D. 流水线并行
三、判断题
1. INT8 权重比 FP16 权重占用更少显存。
2. 增大批大小总能提高精度。
四、填空题
1. 注意力分数除以____的平方根。
2. 反向传播使用____法则。
五、简答题
1. 简述 LoRA 的原理。
2. 为什么要用混合精度？

参考答案
一、单选题
1-2 BC
二、多选题
1.ABD
三、判断题
1.√ 2.×
四、填空题
1. 键的维度
2. 链式
五、简答题
1. 冻结基座权重，训练低秩增量。
2. 减少显存并提高吞吐。
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(1, "multiple", "以下属于并行方式的有", "A 数据并行 | B 张量并行 | C 学习率 | D 流水线并行", "ABD"),
        Q(1, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
        Q(2, "true_false", "增大批大小总能提高精度。", "", False),
        Q(1, "blank", "注意力分数除以____的平方根。", "", ["键的维度"]),
        Q(2, "blank", "反向传播使用____法则。", "", ["链式"]),
        Q(1, "case", "简述 LoRA 的原理。"),
        Q(2, "case", "为什么要用混合精度？"),
    ],
)
layout(
    "keys at the end, numbered on through the document, without headings",
    """
一、选择题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
二、判断题
3. INT8 权重比 FP16 权重占用更少显存。
4. 增大批大小总能提高精度。

答案：1.B 2.C 3.对 4.错
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(3, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
        Q(4, "true_false", "增大批大小总能提高精度。", "", False),
    ],
)
layout(
    "answers with explanations by number at the end",
    """
一、单项选择题
1．KV 缓存保存的是什么？
A．权重
B．键和值
C．梯度
D．优化器状态
2．数据并行同步的是什么？
A．激活
B．词表
C．梯度
D．日志
参考答案及解析
一、单项选择题
1．【答案】B
【解析】解码时复用键和值，
避免重复计算。
2．【答案】C
【解析】每步对梯度做归约。
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B", "解码时复用键和值，避免重复计算。"),
        Q(2, "single", DP, DP_OPTIONS, "C", "每步对梯度做归约。"),
    ],
)
layout(
    "no headings: the kinds follow from options and keys",
    """
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
答案：B
2. 以下属于并行方式的有哪些？
A. 数据并行
B. 张量并行
C. 学习率
D. 流水线并行
答案：ABD
3. INT8 权重比 FP16 权重占用更少显存。
答案：对
4. 注意力分数除以____的平方根。
答案：键的维度
5. 简述 LoRA 的原理。
答案：冻结基座权重，训练低秩增量。
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "multiple", "以下属于并行方式的有哪些？", "A 数据并行 | B 张量并行 | C 学习率 | D 流水线并行", "ABD"),
        Q(3, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
        Q(4, "blank", "注意力分数除以____的平方根。", "", ["键的维度"]),
        Q(5, "case", "简述 LoRA 的原理。"),
    ],
)
layout(
    "numbers as 第1题, kinds as tags",
    """
第1题【单选题】KV 缓存保存的是什么？
A 权重
B 键和值
C 梯度
D 优化器状态
正确答案：B
第2题【多选题】以下属于并行方式的有哪些？
A 数据并行
B 张量并行
C 学习率
D 流水线并行
正确答案：A、B、D
第3题【判断题】INT8 权重比 FP16 权重占用更少显存。
正确答案：正确
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "multiple", "以下属于并行方式的有哪些？", "A 数据并行 | B 张量并行 | C 学习率 | D 流水线并行", "ABD"),
        Q(3, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
    ],
)
layout(
    "stems, options and explanations wrapped over lines",
    """
一、单选题
1. 在自回归解码中，
每生成一个词元都要用到前面的键和值，KV 缓存
保存的是什么？
A. 权重
B. 每一层注意力的
键和值
C. 梯度
D. 优化器状态
答案：B
解析：解码时复用键和值，
避免重复计算。
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
答案：C
""",
    [
        Q(
            1,
            "single",
            "在自回归解码中，每生成一个词元都要用到前面的键和值，KV 缓存保存的是什么？",
            "A 权重 | B 每一层注意力的键和值 | C 梯度 | D 优化器状态",
            "B",
            "解码时复用键和值，避免重复计算。",
        ),
        Q(2, "single", DP, DP_OPTIONS, "C"),
    ],
)
layout(
    "statements below a stem are no questions",
    """
一、单选题
1. 关于 LoRA，下列说法：
1. 冻结基座权重
2. 只训练低秩矩阵
3. 推理时必须保留额外的层
其中正确的是
A. 1 和 2
B. 1 和 3
C. 2 和 3
D. 全部
答案：A
2. 关于量化，正确的有几项？
①减少显存 ②可能降低精度 ③总能加速
A. 1 项
B. 2 项
C. 3 项
D. 0 项
答案：B
""",
    [
        Q(
            1,
            "single",
            "关于 LoRA，下列说法：\n1. 冻结基座权重\n2. 只训练低秩矩阵\n3. 推理时必须保留额外的层其中正确的是",
            "A 1 和 2 | B 1 和 3 | C 2 和 3 | D 全部",
            "A",
        ),
        Q(
            2,
            "single",
            "关于量化，正确的有几项？\n①减少显存 ②可能降低精度 ③总能加速",
            "A 1 项 | B 2 项 | C 3 项 | D 0 项",
            "B",
        ),
    ],
)
layout(
    "true or false in many spellings",
    """
二、判断题（对的打√，错的打×）
1. 陈述一号成立。 （ √ ）
2. 陈述二号成立。 （ × ）
3. 陈述三号成立。
答案：对
4. 陈述四号成立。
答案：错误。应为不成立
5. 陈述五号成立。( )
答案：T
6. 陈述六号成立。（ ）
【答案】✗
7. 陈述七号成立。正确（ ）错误（√）
8. 陈述八号成立。
A. 正确
B. 错误
答案：A
9. 陈述九号成立。
答案：否
""",
    [
        Q(1, "true_false", "陈述一号成立。", "", True),
        Q(2, "true_false", "陈述二号成立。", "", False),
        Q(3, "true_false", "陈述三号成立。", "", True),
        Q(4, "true_false", "陈述四号成立。", "", False, "应为不成立"),
        Q(5, "true_false", "陈述五号成立。", "", True),
        Q(6, "true_false", "陈述六号成立。", "", False),
        Q(7, "true_false", "陈述七号成立。", "", False),
        Q(8, "true_false", "陈述八号成立。", "", True),
        Q(9, "true_false", "陈述九号成立。", "", False),
    ],
)
layout(
    "blanks: brackets, several blanks, alternatives",
    """
三、填空题
1. 注意力分数除以（    ）的平方根。
答案：键的维度/d_k
2. 训练由（　）和（　）两步组成。
答案：前向传播；反向传播
3. 半精度写作______。
答案：FP16（或 半精度）
4. 优化器有____、____和____。
答案：①SGD ②Adam ③Adafactor
5. 网络协议 ____ 用于传输。
答案：TCP/IP
""",
    [
        Q(1, "blank", "注意力分数除以（    ）的平方根。", "", ["键的维度", "d_k"]),
        Q(2, "blank", "训练由（　）和（　）两步组成。", "", ["前向传播", "反向传播"]),
        Q(3, "blank", "半精度写作______。", "", ["FP16", "半精度"]),
        Q(4, "blank", "优化器有____、____和____。", "", ["SGD", "Adam", "Adafactor"]),
        Q(5, "blank", "网络协议 ____ 用于传输。", "", ["TCP/IP"]),
    ],
    ["W-MANYBLANKS", "W-MANYBLANKS"],
)
layout(
    "short answers with points",
    """
五、简答题（每题10分）
1. 简述 LoRA 的原理。（10分）
答：（1）冻结基座权重（5分）
（2）训练低秩增量（5分）
2. 为什么要用混合精度？
答：
1. 减少显存。
2. 提高吞吐。
3. 说明数据并行的步骤。
参考答案：
1. 切分数据。
2. 各自前向和反向。
3. 归约梯度。
""",
    [Q(1, "case", "简述 LoRA 的原理。"), Q(2, "case", "为什么要用混合精度？"), Q(3, "case", "说明数据并行的步骤。")],
)
layout(
    "table of answers in plain text",
    """
一、单选题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
参考答案
| 题号 | 1 | 2 |
| --- | --- | --- |
| 答案 | B | C |
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "traditional characters",
    """
一、單選題（共1題）
1.KV 快取儲存的是什麼？
A.權重
B.鍵和值
C.梯度
D.優化器狀態
正確答案：B
解析：解碼時複用鍵和值。
二、是非題
1.量化可以減少顯存。
答案：正確
三、簡答題
1.簡述 LoRA 的原理。
參考答案：凍結基座權重。
""",
    [
        Q(1, "single", "KV 快取儲存的是什麼？", "A 權重 | B 鍵和值 | C 梯度 | D 優化器狀態", "B", "解碼時複用鍵和值。"),
        Q(1, "true_false", "量化可以減少顯存。", "", True),
        Q(1, "case", "簡述 LoRA 的原理。"),
    ],
)
layout(
    "chapters with kinds below them",
    """
第一章 推理
（一）单选题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
答案：B
（二）判断题
1. 陈述一号成立。
答案：√
第二章 训练
（一）单选题
1. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
答案：C
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(1, "true_false", "陈述一号成立。", "", True),
        Q(1, "single", DP, DP_OPTIONS, "C"),
    ],
)
layout(
    "questions numbered with Chinese numerals",
    """
一、KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
答案：B
二、数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
答案：C
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
)
layout(
    "questions without numbers",
    """
KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
答案：B

数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
答案：C
解析：每步对梯度做归约。
""",
    [Q(None, "single", KV, KV_OPTIONS, "B"), Q(None, "single", DP, DP_OPTIONS, "C", "每步对梯度做归约。")],
)
layout(
    "particulars between the lines, page marks and rules",
    """
2025 年模拟试卷
注意事项：
1. 请用黑色签字笔作答。
2. 考试时间 60 分钟。
一、单选题（共 2 题，每题 5 分，共 10 分）
在每小题给出的四个选项中，只有一项是符合题目要求的。
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
难度：易
知识点：推理
答案：B
—— 第 1 页 共 2 页 ——
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
难度：中
答案：C
- 2 -
（完）
""",
    [Q(1, "single", KV, KV_OPTIONS, "B"), Q(2, "single", DP, DP_OPTIONS, "C")],
    ["I-SKIPPED", "I-SKIPPED", "I-REMARKS"],
)
layout(
    "a key block below each section",
    """
一、单选题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
答案：1-2：BC
二、单选题
1. 陈述一号是
A. 真
B. 假
2. 陈述二号是
A. 真
B. 假
C. 都不是
答案：1-2：AB
三、判断题
1. 陈述三号成立。
2. 陈述四号成立。
3. 陈述五号成立。
答案：1-3：√×√
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(1, "single", "陈述一号是", "A 真 | B 假", "A"),
        Q(2, "single", "陈述二号是", "A 真 | B 假 | C 都不是", "B"),
        Q(1, "true_false", "陈述三号成立。", "", True),
        Q(2, "true_false", "陈述四号成立。", "", False),
        Q(3, "true_false", "陈述五号成立。", "", True),
    ],
)
layout(
    "a case with parts",
    """
五、案例分析题
案例一：某团队把 7B 模型部署到两张 24 GB 的卡上，首字延迟过高。
问题1：显存主要用在哪里？
问题2：如何降低首字延迟？
参考答案：
问题1：权重和 KV 缓存。
问题2：分块预填充。
案例二：某团队训练时损失变成 NaN。
问题：可能的原因有哪些？
参考答案：
1. 学习率过大。
2. 半精度溢出。
""",
    [
        Q(
            1,
            "case",
            "某团队把 7B 模型部署到两张 24 GB "
            "的卡上，首字延迟过高。\n问题1：显存主要用在哪里？\n问题2：如何降低首字延迟？",
        ),
        Q(2, "case", "某团队训练时损失变成 NaN。\n问题：可能的原因有哪些？"),
    ],
)
layout(
    "points of the last answer below keys inside their questions",
    """
一、单项选择题
1. KV 缓存保存的是什么？（ B ）
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
二、判断题
2. 增大批大小总能提高精度。（×）
3. INT8 权重比 FP16 权重占用更少显存。（√）
三、简答题
4. 简述 ZeRO 的三个阶段。
参考答案：
（1）切分优化器状态
（2）再切分梯度
（3）再切分参数
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "true_false", "增大批大小总能提高精度。", "", False),
        Q(3, "true_false", "INT8 权重比 FP16 权重占用更少显存。", "", True),
        Q(4, "case", "简述 ZeRO 的三个阶段。"),
    ],
)
layout(
    "keys at the end, each row with its heading and no colon between them",
    """
一、单选题
1. KV 缓存保存的是什么？
A. 权重
B. 键和值
C. 梯度
D. 优化器状态
2. 数据并行同步的是什么？
A. 激活
B. 词表
C. 梯度
D. 日志
二、判断题
1. 增大批大小总能提高精度。
三、填空题
1. 注意力分数除以____的平方根。
2. 反向传播使用____法则。
参考答案
一、单选题 1. B 2. C
二、判断题 1. ×
三、填空题 1. 键的维度 2. 链式
""",
    [
        Q(1, "single", KV, KV_OPTIONS, "B"),
        Q(2, "single", DP, DP_OPTIONS, "C"),
        Q(1, "true_false", "增大批大小总能提高精度。", "", False),
        Q(1, "blank", "注意力分数除以____的平方根。", "", ["键的维度"]),
        Q(2, "blank", "反向传播使用____法则。", "", ["链式"]),
    ],
)
