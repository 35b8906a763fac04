"""Word files are read as Word shows them: drawn numbers, tables, blanks made of underlined space, emphasised keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docx
from docx.enum.text import WD_COLOR_INDEX
from docx.oxml import parse_xml
from docx.shared import RGBColor

from content.importers import ImportReport, import_file

_NS = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _read(document: Any, folder: Path) -> ImportReport:
    path = folder / "exam.docx"
    document.save(str(path))
    return import_file(path)


def _lists(document: Any, levels: str, number: int = 90) -> None:
    """One list definition with the given levels, and a list that uses it."""
    numbering = document.part.numbering_part.element
    numbering.append(parse_xml(f'<w:abstractNum {_NS} w:abstractNumId="{number}">{levels}</w:abstractNum>'))
    numbering.append(parse_xml(f'<w:num {_NS} w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'))


def _level(level: int, kind: str, text: str) -> str:
    return f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{text}"/></w:lvl>'


def _listed(document: Any, text: str, level: int, number: int = 90) -> None:
    properties = document.add_paragraph(text)._p.get_or_add_pPr()
    properties.append(parse_xml(f'<w:numPr {_NS}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'))


def test_numbers_that_word_draws_are_counted(tmp_path: Path) -> None:
    """Headings, questions and options numbered by Word's lists have their numbers and letters."""
    document = docx.Document()
    _lists(
        document,
        _level(0, "chineseCounting", "%1、") + _level(1, "decimal", "%2.") + _level(2, "upperLetter", "%3."),
    )
    _listed(document, "单选题（共2题）", 0)
    for stem, options in (("缓存保存什么？", ("权重", "键值")), ("同步什么？", ("激活", "梯度", "词表"))):
        _listed(document, stem, 1)
        for option in options:
            _listed(document, option, 2)
        document.add_paragraph("答案：B")
    _listed(document, "判断题", 0)
    _listed(document, "甲成立。", 1)
    document.add_paragraph("答案：错")
    report = _read(document, tmp_path)
    assert [(q.line, q.number, q.kind, q.prompt, q.answer) for q in report.questions] == [
        (2, 1, "single", "缓存保存什么？", ["B"]),
        (6, 2, "single", "同步什么？", ["B"]),
        (12, 1, "true_false", "甲成立。", False),
    ]
    assert report.questions[1].options == (("A", "激活"), ("B", "梯度"), ("C", "词表"))
    assert report.problems == ()


def test_numbers_of_a_list_style_are_counted(tmp_path: Path) -> None:
    """The list may hang on the paragraph's style alone."""
    document = docx.Document()
    for stem in ("What does a cache hold?", "What is reduced?"):
        document.add_paragraph(stem, style="List Number")
        for option in ("A. Weights", "B. Keys"):
            document.add_paragraph(option)
        document.add_paragraph("Answer: B")
    assert [q.number for q in _read(document, tmp_path).questions] == [1, 2]


def _questions_only(document: Any) -> None:
    for number, stem in ((1, "缓存保存什么？"), (2, "同步什么？")):
        document.add_paragraph(f"{number}. {stem}")
        for option in ("A. 甲项", "B. 乙项", "C. 丙项"):
            document.add_paragraph(option)


def _filled(document: Any, rows: list[list[str]]) -> None:
    table = document.add_table(rows=len(rows), cols=len(rows[0]))
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            table.cell(r, c).text = text


def test_a_table_of_answers_is_matched(tmp_path: Path) -> None:
    """Numbers over answers, with or without a word that announces them; the line is the cell's own paragraph."""
    for head in ("参考答案", None):
        document = docx.Document()
        _questions_only(document)
        if head:
            document.add_paragraph(head)
        _filled(document, [["题号", "1", "2", "3"], ["答案", "B", "C", "A"]])
        report = _read(document, tmp_path)
        assert [q.answer for q in report.questions] == [["B"], ["C"]]
        if head:
            assert [(p.line, p.code) for p in report.problems] == [(17, "W-ORPHAN")]


def test_a_table_of_numbers_and_answers_downwards_is_matched(tmp_path: Path) -> None:
    """A head row names the columns."""
    document = docx.Document()
    _questions_only(document)
    document.add_paragraph("Answer key")
    _filled(document, [["No.", "Answer", "Explanation"], ["1", "B", "Because."], ["2", "C", ""]])
    report = _read(document, tmp_path)
    assert [(q.answer, q.explanation) for q in report.questions] == [(["B"], "Because."), (["C"], None)]


def test_a_table_of_questions_is_read(tmp_path: Path) -> None:
    """One question a row, its parts in named columns."""
    document = docx.Document()
    _filled(
        document,
        [
            ["序号", "题型", "题干", "选项A", "选项B", "选项C", "答案", "解析"],
            ["1", "单选题", "缓存保存什么？", "权重", "键值", "梯度", "B", "复用键值。"],
            ["2", "多选题", "并行有哪些？", "数据", "张量", "颜色", "AB", ""],
            ["3", "判断题", "甲成立。", "", "", "", "对", ""],
        ],
    )
    report = _read(document, tmp_path)
    assert [(q.line, q.kind, q.answer, q.explanation) for q in report.questions] == [
        (11, "single", ["B"], "复用键值。"),
        (19, "multiple", ["A", "B"], None),
        (27, "true_false", True, None),
    ]


def test_a_table_per_question_is_read(tmp_path: Path) -> None:
    """The names of a question's parts in the first column are no part of it."""
    document = docx.Document()
    for stem, key in (("梯度压缩减少什么？", "A"), ("压缩的代价是什么？", "B")):
        _filled(
            document,
            [["题干", stem], ["选项", "A. 通信量\nB. 精度"], ["答案", key], ["解析", "传输的字节更少。"]],
        )
        document.add_paragraph("")
    report = _read(document, tmp_path)
    assert [(q.kind, q.prompt, q.options, q.answer, q.explanation) for q in report.questions] == [
        ("single", "梯度压缩减少什么？", (("A", "通信量"), ("B", "精度")), ["A"], "传输的字节更少。"),
        ("single", "压缩的代价是什么？", (("A", "通信量"), ("B", "精度")), ["B"], "传输的字节更少。"),
    ]
    assert report.problems == ()


def test_options_in_a_table_are_read(tmp_path: Path) -> None:
    """Two by two, with the letter in the cell or in a cell of its own."""
    document = docx.Document()
    document.add_paragraph("1. 缓存保存什么？")
    _filled(document, [["A. 权重", "B. 键值"], ["C. 梯度", "D. 日志"]])
    document.add_paragraph("答案：B")
    document.add_paragraph("2. 同步什么？")
    _filled(document, [["A", "激活", "B", "梯度"], ["C", "词表", "D", "日志"]])
    document.add_paragraph("答案：B")
    report = _read(document, tmp_path)
    assert [[t for _, t in q.options] for q in report.questions] == [
        ["权重", "键值", "梯度", "日志"],
        ["激活", "梯度", "词表", "日志"],
    ]
    assert report.problems == ()


def test_underlined_space_is_a_blank(tmp_path: Path) -> None:
    """A run of underlined spaces is where the answer goes; an underlined word fills it."""
    document = docx.Document()
    document.add_paragraph("填空题")
    first = document.add_paragraph("1. 注意力除以")
    first.add_run("        ").underline = True
    first.add_run("的平方根。")
    document.add_paragraph("答案：键的维度")
    second = document.add_paragraph("2. 反向传播使用")
    second.add_run("  链式  ").underline = True
    second.add_run("法则。")
    report = _read(document, tmp_path)
    assert [(q.prompt, q.answer) for q in report.questions] == [
        ("注意力除以________的平方根。", ["键的维度"]),
        ("反向传播使用____法则。", ["链式"]),
    ]


def test_emphasised_options_are_the_key_where_there_is_no_other(tmp_path: Path) -> None:
    """Bold, coloured or highlighted throughout; the report says that the key was read so."""
    for emphasise in ("bold", "colour", "highlight"):
        document = docx.Document()
        for number, right in ((1, "B"), (2, "C")):
            document.add_paragraph(f"{number}. {'缓存保存什么？' if number == 1 else '数据并行同步什么？'}")
            for letter in "ABC":
                run = document.add_paragraph().add_run(f"{letter}. 选项{letter}")
                if letter == right and emphasise == "bold":
                    run.bold = True
                elif letter == right and emphasise == "colour":
                    run.font.color.rgb = RGBColor(0xFF, 0, 0)
                elif letter == right:
                    run.font.highlight_color = WD_COLOR_INDEX.YELLOW
        report = _read(document, tmp_path)
        assert [q.answer for q in report.questions] == [["B"], ["C"]]
        assert [p.code for p in report.problems] == ["I-EMPHASIS"]


def test_emphasis_means_nothing_where_answers_are_written(tmp_path: Path) -> None:
    """A bold option beside an answer line is only bold."""
    document = docx.Document()
    document.add_paragraph("1. 缓存保存什么？")
    document.add_paragraph().add_run("A. 权重").bold = True
    document.add_paragraph("B. 键值")
    document.add_paragraph("答案：B")
    report = _read(document, tmp_path)
    assert [q.answer for q in report.questions] == [["B"]]
    assert report.problems == ()


def test_pictures_are_reported(tmp_path: Path) -> None:
    """What only a picture shows cannot be read, and is not dropped in silence."""
    document = docx.Document()
    document.add_paragraph("1. 图中是什么？")
    picture = f'<w:r {_NS}><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml"/></w:pict></w:r>'
    document.add_paragraph()._p.append(parse_xml(picture))
    for text in ("A. 甲项", "B. 乙项", "答案：A"):
        document.add_paragraph(text)
    report = _read(document, tmp_path)
    assert [(p.line, p.code) for p in report.problems] == [(2, "W-PICTURE")]


def test_raised_and_lowered_signs_keep_their_meaning(tmp_path: Path) -> None:
    """10 with a raised 6 is 10⁶ and no 106; deleted text is gone."""
    document = docx.Document()
    paragraph = document.add_paragraph("1. 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" 个参数用 FP16 占多少字节，d")
    paragraph.add_run("k").font.subscript = True
    paragraph.add_run(" 是多少？")
    paragraph._p.append(parse_xml(f"<w:del {_NS}><w:r><w:delText>删去的字</w:delText></w:r></w:del>"))
    document.add_paragraph("答案：2 MB")
    question = _read(document, tmp_path).questions[0]
    assert question.prompt == "10⁶ 个参数用 FP16 占多少字节，dk 是多少？"


def test_line_breaks_inside_a_paragraph_are_lines(tmp_path: Path) -> None:
    """A question typed with soft breaks is read like one typed in paragraphs; its lines share an ordinal."""
    document = docx.Document()
    document.add_paragraph("1. 缓存保存什么？\nA. 权重\nB. 键值\n答案：B\n2. 同步什么？\nA. 激活\nB. 梯度\n答案：A")
    report = _read(document, tmp_path)
    assert [(q.line, q.number, q.answer) for q in report.questions] == [(1, 1, ["B"]), (1, 2, ["A"])]
