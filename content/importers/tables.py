"""Tables of exam documents as the lines a plain document would have: answer tables, question tables, option grids."""

from __future__ import annotations

import re
import unicodedata

Planned = list[tuple[int, str]]  # (column the text came from, line)

_NUMBER_HEAD = re.compile(
    r"(?:题号|序号|编号|题目编号|题|号|no\.?|number|question(?:\s*(?:no\.?|number|#))?|item|q|#)", re.I
)
_ANSWER_HEAD = re.compile(
    r"(?:(?:正确|参考|标准)?(?:答案|选项)|答|(?:correct\s+)?(?:answer|option|choice)s?|key|ans\.?)", re.I
)
_STEM_HEAD = re.compile(r"(?:题目|题干|试题|问题|题目内容|试题内容|题干内容|question(?:\s*text)?|stem|prompt)", re.I)
_WHY_HEAD = re.compile(r"(?:答案)?(?:解析|解释|说明|详解)|explanation|rationale|feedback|reason", re.I)
_KIND_HEAD = re.compile(r"(?:题型|题目类型|试题类型|类型|type|kind|question\s*type)", re.I)
_OPTIONS_HEAD = re.compile(r"(?:选项|备选项|备选答案|options?|choices?)", re.I)
_OPTION_HEAD = re.compile(
    r"(?:(?:选项|答案|option|choice)\s*([A-J])|([A-J])\s*(?:选项|项)?|(?:选项|option|choice)\s*(\d))[.:]?", re.I
)
_LETTER_CELL = re.compile(r"[(\[]?([A-J])[)\].、:]*")
_TRADITIONAL = str.maketrans("題號參選項標準確類幹說釋詳編試問內備單", "题号参选项标准确类干说释详编试问内备单")


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).translate(_TRADITIONAL).strip().strip(":").strip()


def rewritten(rows: list[list[str]]) -> list[Planned] | None:
    """For each row of a table the lines to read instead of its cells; nothing where the cells read well as they are."""
    for attempt in (_card_table, _key_table, _question_table, _lettered_table):
        plan = attempt(rows)
        if plan is not None:
            return plan
    return None


def _numbers(cells: list[str]) -> list[int | None]:
    return [int(m[1]) if (m := re.fullmatch(r"\(?(\d{1,4})[.、)]?", _fold(c))) else None for c in cells]


def _key_table(rows: list[list[str]]) -> list[Planned] | None:
    """``题号 | 1 | 2 | 3`` over ``答案 | B | C | A``, any number of such pairs; the words may be missing."""
    plan: list[Planned] = [[] for _ in rows]
    found = False
    index = 0
    while index < len(rows):
        row = rows[index]
        numbers = _numbers(row)
        headed = bool(row) and bool(_NUMBER_HEAD.fullmatch(_fold(row[0])))
        count = sum(n is not None for n in numbers)
        following = rows[index + 1] if index + 1 < len(rows) else []
        labelled = bool(following) and bool(_ANSWER_HEAD.fullmatch(_fold(following[0])))
        if count >= 1 and (headed or labelled or (count == len(row) and count >= 3)) and len(following) == len(row):
            if not labelled and any(n is not None for n in _numbers(following)):
                return None
            for column, number in enumerate(numbers):
                if number is not None and following[column].strip():
                    plan[index + 1].append((column, f"{number}.{following[column].strip()}"))
            found, index = True, index + 2
            continue
        plan[index] = [(column, cell) for column, cell in enumerate(row) if cell.strip()]
        index += 1
    return plan if found else None


def _columns(head: list[str]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for index, cell in enumerate(head):
        text = _fold(cell)
        option = _OPTION_HEAD.fullmatch(text)
        if option and not _ANSWER_HEAD.fullmatch(text):
            letter = option[1] or option[2] or chr(0x40 + max(1, int(option[3])))
            columns.setdefault("option " + letter.upper(), index)
            continue
        for name, pattern in (
            ("stem", _STEM_HEAD),
            ("options", _OPTIONS_HEAD),
            ("answer", _ANSWER_HEAD),
            ("why", _WHY_HEAD),
            ("kind", _KIND_HEAD),
            ("number", _NUMBER_HEAD),
        ):
            if pattern.fullmatch(text) and name not in columns:
                columns[name] = index
                break
    return columns


def _question_table(rows: list[list[str]]) -> list[Planned] | None:
    """A head row that names its columns: number and answer, or the whole question."""
    if len(rows) < 2:
        return None
    columns = _columns(rows[0])
    if "answer" not in columns and not any(name.startswith("option") for name in columns):
        return None
    if "stem" not in columns:
        if "number" not in columns or "answer" not in columns:
            return None
        numbers = _numbers([row[columns["number"]] for row in rows[1:] if len(row) == len(rows[0])])
        # In English "Question" heads a column of numbers as often as one of texts.
        if numbers and None in numbers and "question" in _fold(rows[0][columns["number"]]).lower():
            columns["stem"] = columns.pop("number")
    elif "number" not in columns and "answer" in columns:
        numbers = _numbers([row[columns["stem"]] for row in rows[1:] if len(row) == len(rows[0])])
        if numbers and None not in numbers:
            columns["number"] = columns.pop("stem")
    plan: list[Planned] = [[]]
    for count, row in enumerate(rows[1:], 1):
        if len(row) != len(rows[0]):
            plan.append([(column, cell) for column, cell in enumerate(row) if cell.strip()])
        else:
            plan.append(_question_row(row, columns, count))
    return plan


def _question_row(row: list[str], columns: dict[str, int], count: int) -> Planned:
    def cell(name: str) -> str:
        return row[columns[name]].strip() if name in columns else ""

    number = re.sub(r"\D", "", _fold(cell("number"))) or str(count)
    if "stem" not in columns:
        lines = [(columns["answer"], f"{number}.{cell('answer')}")] if cell("answer") else []
    else:
        stem = re.sub(r"^\s*\d{1,4}\s*[.、．)）]\s*", "", cell("stem"))
        kind = f"【{cell('kind')}】" if cell("kind") else ""
        lines = [(columns["stem"], f"{number}. {kind}{stem}")] if stem else []
        for name in sorted(n for n in columns if n.startswith("option ")):
            if cell(name):
                text = re.sub(rf"^\s*{name[-1]}\s*[.、．:：)）]\s*", "", cell(name))
                lines.append((columns[name], f"{name[-1]}. {text}"))
        if cell("options"):
            lines.append((columns["options"], cell("options")))
        if cell("answer"):
            lines.append((columns["answer"], f"答案：{cell('answer')}"))
    if cell("why"):
        lines.append((columns["why"], f"解析：{cell('why')}"))
    return lines


def _card_table(rows: list[list[str]]) -> list[Planned] | None:
    """One question a table, the names of its parts in the first column: ``题干 | …``, ``答案 | B``."""
    if any(len(row) != 2 for row in rows):
        return None
    names = [_fold(row[0]) for row in rows]
    if not any(_STEM_HEAD.fullmatch(n) for n in names) or not any(_ANSWER_HEAD.fullmatch(n) for n in names):
        return None
    plan: list[Planned] = []
    for name, (_, text) in zip(names, rows, strict=True):
        option = _OPTION_HEAD.fullmatch(name)
        lead = next((lead for pattern, lead in _CARD if pattern.fullmatch(name)), f"{name}：")
        lead = f"{option[1] or option[2]}. " if option and (option[1] or option[2]) else lead
        plan.append([(1, lead + text.strip())] if text.strip() else [])
    return plan


_CARD = (
    (_STEM_HEAD, "Question: "),
    (_OPTIONS_HEAD, ""),
    (_ANSWER_HEAD, "答案："),
    (_WHY_HEAD, "解析："),
    (_KIND_HEAD, "题型："),
)


def _lettered_table(rows: list[list[str]]) -> list[Planned] | None:
    """``A | text | B | text``: the letter and its text in cells of their own."""
    plan: list[Planned] = []
    found = False
    for row in rows:
        planned: Planned = []
        column = 0
        while column < len(row):
            letter = _LETTER_CELL.fullmatch(_fold(row[column]))
            after = row[column + 1].strip() if column + 1 < len(row) else ""
            if letter and after and not _LETTER_CELL.fullmatch(_fold(after)):
                planned.append((column, f"{letter[1]}. {after}"))
                found, column = True, column + 2
                continue
            if row[column].strip():
                planned.append((column, row[column]))
            column += 1
        plan.append(planned)
    return plan if found else None
