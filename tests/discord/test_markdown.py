"""Plain text stays plain on Discord: it pings, links, forges and formats nothing, and shows as it was written."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.card import Bold, Code, Inline, Link, Moment, Table
from bot.discord.markdown import LIMIT, code, code_block, escape, fold, fold_code, length, piece, table, width

PLAIN = [
    ("a*b*c", r"a\*b\*c"),
    ("_d_k_", r"\_d\_k\_"),
    ("`x`", r"\`x\`"),
    ("~~no~~ ~1 min", r"\~\~no\~\~ ~1 min"),
    ("||hidden|| a|b", r"\|\|hidden\|\| a|b"),
    ("[here](https://evil.example)", r"\[here](https\://evil.example)"),
    ("http://evil.example", r"http\://evil.example"),
    ("@everyone and @here", "@\u200beveryone and @\u200bhere"),
    ("@Everyone", "@\u200bEveryone"),
    ("<@123> <@&9> <#4> <:e:1> <a:e:1> <t:1:R> </x:1> <id:home>", None),
    ("a < b <c", "a < b <c"),
    ("# big", r"\# big"),
    ("### big", r"\### big"),
    ("#1 is not a heading", "#1 is not a heading"),
    ("-# small", r"\-# small"),
    ("- item", r"\- item"),
    ("  + item", r"  \+ item"),
    ("* item", r"\* item"),
    ("> quote", r"\> quote"),
    (">>> quote", r"\>>> quote"),
    ("1. one", r"1\. one"),
    ("12) one", r"12\) one"),
    ("3.5 GiB - or -5", "3.5 GiB - or -5"),
    ("one\n# two\n> three", "one\n\\# two\n\\> three"),
    ("back\\slash", r"back\\slash"),
    ("rtl\u202etxt\u200b\u2066", "rtltxt"),
    ("bell\x07\r", "bell"),
]


@pytest.mark.parametrize(("text", "shown"), PLAIN)
def test_plain_text_is_escaped(text: str, shown: str | None) -> None:
    found = escape(text)
    if shown is not None:
        assert found == shown
    assert not re.search(r"<(@|#|:|/|a:|t:|id:)|@(everyone|here)", found, re.IGNORECASE)


def unescaped(text: str) -> str:
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text).replace("\u200b", "")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cs"]), max_size=60))
def test_escaped_text_is_shown_as_it_was_written(text: str) -> None:
    """Discord shows the character after a backslash as it is, unless that is a letter, a digit or a space."""
    assert unescaped(escape(text)) == text


@given(st.text(st.sampled_from("a *_`~|[]()<>@#-+>\\\n1.://everyone"), max_size=40))
def test_no_markup_survives(text: str) -> None:
    bare = re.sub(r"\\[^0-9A-Za-z\s]", "x", escape(text))
    assert not re.search(r"[*_`\[]|~~|\|\||://|@everyone|<[@#:/]", bare)
    assert not re.search(r"^[ \t]*(#{1,3}\s|-#|[-+>]\s|>>>|\d+[.)]\s)", bare, re.MULTILINE)


def test_text_that_follows_something_is_not_at_the_start_of_a_line() -> None:
    assert list(fold((Bold("A"), " ", "- 5"), 100)) == ["**A** - 5"]
    assert list(fold(("- 5",), 100)) == [r"\- 5"]


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (Bold("a*b"), r"**a\*b**"),
        (Code("n_layers=32"), "`n_layers=32`"),
        (Code("a`b"), "`` a`b ``"),
        (Code("``"), "`ˋˋ`"),
        (Code("@everyone\nx"), "`@\u200beveryone x`"),
        (Code(" "), " "),
        (Link("A [b] *c*", "https://a.example/x_(y)"), r"[A \[b\] \*c\*](<https://a.example/x_%28y%29>)"),
        (Link("x", "javascript:alert(1)"), "x"),
        (Link("x", "https://a.example/> @everyone"), "x"),
        (Moment(datetime(2026, 1, 1, tzinfo=UTC), "time", "0:00"), "<t:1767225600:t>"),
        (Moment(datetime(2026, 1, 1, tzinfo=UTC), "date", "1 Jan"), "<t:1767225600:D>"),
        (Moment(datetime(2026, 1, 1, tzinfo=UTC), "both", "1 Jan"), "<t:1767225600:f>"),
    ],
)
def test_what_a_card_may_dress_is_dressed(part: Inline, shown: str) -> None:
    assert piece(part, True) == shown


def test_a_code_block_cannot_be_left() -> None:
    assert code_block("x\n```\n@everyone") == "```\nx\n``\u200b`\n@\u200beveryone\n```"
    assert code("a") == "`a`"


@given(
    st.lists(
        st.one_of(
            st.text(max_size=300),
            st.builds(Bold, st.text(max_size=80)),
            st.builds(Code, st.text("ab`\n😀", max_size=80)),
        ),
        max_size=6,
    ),
    st.integers(60, 400),
    st.sampled_from(["", "-# ", "### "]),
)
def test_pieces_of_a_line_keep_to_their_limit(line: list[Inline], limit: int, prefix: str) -> None:
    for chunk in fold(line, limit, prefix):
        assert length(chunk) <= limit
        assert chunk.startswith(prefix)


@given(st.text("字a_*😀 ", min_size=1, max_size=2000), st.integers(40, 300))
def test_nothing_of_a_line_is_lost_when_it_is_cut(text: str, limit: int) -> None:
    assert unescaped("".join(fold((text,), limit))) == text


@given(st.text("ab`\n字😀", max_size=1500), st.integers(60, 300))
def test_pieces_of_a_code_block_keep_to_their_limit(text: str, limit: int) -> None:
    for chunk in fold_code(text, limit):
        assert length(chunk) <= limit
        assert chunk.startswith("```\n")
        assert chunk.endswith("\n```")


def test_columns_stand_under_each_other_with_chinese_names() -> None:
    board = Table(
        ("#", "Name", "Points"),
        (("1", "王小明", "15"), ("2", "ben", "7.5"), ("10", "a`b```@here", "0")),
        frozenset({0, 2}),
    )
    (block,) = table(board)(LIMIT)
    lines = block.split("\n")[1:-1]
    assert {width(line) for line in lines if "─" not in line} == {width(lines[0])}
    assert lines[2] == " 1  王小明           15"
    assert "`" not in "".join(lines)
    assert "@here" not in block


def test_a_long_name_is_cut_to_its_column() -> None:
    (block,) = table(Table(("Name", "Points"), (("名" * 80, "15"),)))(LIMIT)
    assert "名" * 13 + "…" in block
    assert "名" * 14 not in block


def test_a_wide_table_becomes_lines() -> None:
    wide = Table(("Date", "Time", "Topic", "Question"), (("Mon 5 Jan", "09:30", "KV cache & reuse", "How large " * 5),))
    (text,) = table(wide)(LIMIT)
    assert text.startswith("**Mon 5 Jan** · 09:30 · KV cache & reuse · How large")


def test_a_table_without_header_names_its_rows() -> None:
    assert list(table(Table((), (("Days", "Mon *Tue*"),)))(LIMIT)) == [r"**Days**: Mon \*Tue\*"]
