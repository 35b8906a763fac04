"""Bytes become numbered lines: encodings, line ends, limits, and one sentence for what cannot be read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from content.importers import ImportFault, import_file
from content.importers.document import MAX_BYTES, decode, read_document

_EXAM = "一、單選題（共1題）\n1.KV 快取儲存的是什麼？\nA.權重\nB.鍵和值\n答案：B\n解析：解碼時複用鍵和值。\n"
_SIMPLE = "一、单选题（共1题）\n1.KV 缓存保存的是什么？\nA.权重\nB.键和值\n答案：B\n解析：解码时复用键和值。\n"
_ENGLISH = "1. What does the cache’s “value” hold?\nA. Weights – all of them\nB. Keys\nAnswer: B\n"


def _file(folder: Path, data: bytes, name: str = "exam.txt") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("text", [_EXAM, _SIMPLE], ids=["traditional", "simplified"])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030", "gbk"]
)
def test_chinese_is_read_in_every_usual_encoding(tmp_path: Path, text: str, encoding: str) -> None:
    """With or without byte order mark, the same question comes out."""
    report = import_file(_file(tmp_path, text.encode(encoding)))
    question = report.questions[0]
    assert (question.answer, [t for _, t in question.options]) == (
        ["B"],
        [text.split("\n")[2][2:], text.split("\n")[3][2:]],
    )
    assert report.problems == ()


def test_big5_is_told_from_gb18030(tmp_path: Path) -> None:
    """Bytes of Big5 are valid GB18030 too, but make no Chinese text of it."""
    report = import_file(_file(tmp_path, _EXAM.encode("big5")))
    assert report.questions[0].prompt == "KV 快取儲存的是什麼？"


def test_windows_quotes_are_read_in_english(tmp_path: Path) -> None:
    """Single high bytes are Western, not Chinese."""
    report = import_file(_file(tmp_path, _ENGLISH.encode("cp1252")))
    assert report.questions[0].prompt == "What does the cache’s “value” hold?"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_all_systems_count_the_same(tmp_path: Path, end: str) -> None:
    """Lines are numbered as an editor numbers them."""
    report = import_file(_file(tmp_path, ("\n\n" + _SIMPLE).replace("\n", end).encode()))
    assert [q.line for q in report.questions] == [4]


def test_invisible_characters_and_strange_spaces_do_not_matter(tmp_path: Path) -> None:
    """Zero-width, no-break and ideographic spaces and tabs are what they look like."""
    text = _SIMPLE.replace("1.", "\u200b1.\u00a0").replace("A.", "\u3000A.\u3000").replace("B.键", "\tB.\t键")
    question = import_file(_file(tmp_path, text.encode())).questions[0]
    assert question.options == (("A", "权重"), ("B", "键和值"))


def test_a_text_cut_inside_a_character_is_still_read(tmp_path: Path) -> None:
    """The lost end is reported; the rest is not taken for another encoding."""
    data = (_SIMPLE + "2.同步什么？").encode()[:-1]
    report = import_file(_file(tmp_path, data))
    assert report.questions[0].prompt == "KV 缓存保存的是什么？"
    assert "W-BYTES" in {problem.code for problem in report.problems}


def test_marks_of_one_character_are_written_out(tmp_path: Path) -> None:
    """⒈ and ⑴ number questions, Ⓐ and (a) letter options."""
    text = "⒈缓存保存什么？\nⒶ权重\nⒷ键值\n答案：Ⓑ\n"
    question = import_file(_file(tmp_path, text.encode())).questions[0]
    assert (question.number, question.options, question.answer) == (1, (("A", "权重"), ("B", "键值")), ["B"])


def test_traditional_becomes_simplified_only_where_asked(tmp_path: Path) -> None:
    """The script stays as found without the wish."""
    path = _file(tmp_path, _EXAM.encode())
    assert import_file(path).questions[0].options[1] == ("B", "鍵和值")
    assert import_file(path, simplify=True).questions[0].options[1] == ("B", "键和值")


def test_what_is_found_does_not_depend_on_the_name(tmp_path: Path) -> None:
    """Text under the name of a Word file is text."""
    assert len(import_file(_file(tmp_path, _SIMPLE.encode(), "exam.docx")).questions) == 1


def _zip(parts: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return buffer.getvalue()


_W = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_FAULTS = {
    "empty": b"",
    "blank": b" \n\n\t",
    "old Word": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
    "PDF": b"%PDF-1.7\n...",
    "RTF": b"{\\rtf1 text}",
    "binary": bytes(range(256)) * 8,
    "picture": b"\x89PNG\r\n\x1a\n" + b"\0\x01\x02\x03" * 50,
    "too large": b"a" * (MAX_BYTES + 1),
    "archive without a document": _zip({"a.txt": b"text"}),
    "broken archive": _zip({"word/document.xml": b"<a/>" * 100})[:80],
    "broken XML": _zip({"word/document.xml": b"<w:document"}),
    "bomb": _zip({"word/document.xml": b" " * 60_000_000}),
    "small bomb": _zip({"word/document.xml": b" " * 20_000_000}),
    "entities": _zip(
        {
            "word/document.xml": b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            b"<w:document " + _W + b"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
        }
    ),
    "no text": _zip({"word/document.xml": b"<w:document " + _W + b"><w:body/></w:document>"}),
}


@pytest.mark.parametrize("data", _FAULTS.values(), ids=_FAULTS.keys())
def test_what_cannot_be_read_is_one_sentence_with_the_cure(tmp_path: Path, data: bytes) -> None:
    """No trace, no half result: what is wrong and what to do."""
    with pytest.raises(ImportFault) as caught:
        import_file(_file(tmp_path, data))
    text = str(caught.value)
    assert "exam.txt" in text
    assert text.endswith(".")
    assert ":" in text


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    """The path that was given stands in the sentence."""
    with pytest.raises(ImportFault, match="There is no file"):
        import_file(tmp_path / "none.txt")
    with pytest.raises(ImportFault, match="is a folder"):
        import_file(tmp_path)


def test_questions_past_the_limit_are_reported(tmp_path: Path) -> None:
    """2,000 questions are read; the report says where the rest begins."""
    items = "".join(f"{n}. 第{n}问？（√）\n" for n in range(1, 2_101))
    report = import_file(_file(tmp_path, ("一、判断题\n" + items).encode()))
    assert len(report.questions) == 2_000
    assert [(p.line, p.code) for p in report.problems if p.code == "E-LIMIT"] == [(2_002, "E-LIMIT")]


@given(st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Decoding gives text or an ImportFault, never anything else."""
    try:
        text = decode(data)
    except ImportFault:
        return
    assert isinstance(text, str)


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    """The lines of a document do not depend on anything but its bytes."""
    path = _file(tmp_path, _SIMPLE.encode("gb18030"))
    assert read_document(path) == read_document(path)
