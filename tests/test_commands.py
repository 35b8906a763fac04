"""What is typed after /drill: one table of commands, read the same everywhere."""

from __future__ import annotations

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import BY_NAME, CHINESE, COMMANDS, nearest, parse
from bot.drill.errors import DrillError, UnknownCommand, WrongInput
from bot.talk import COMMAND_PLANS


@pytest.mark.parametrize(
    ("typed", "name", "options"),
    [
        ("", "help", {}),
        ("  \n", "help", {}),
        ("today", "today", {}),
        ("TODAY", "today", {}),
        ("answer C", "answer", {"response": "C"}),
        ("answer\nB", "answer", {"response": "B"}),
        ("今天", "today", {}),
        ("答案 B", "answer", {"response": "B"}),
        ("回答 交叉熵", "answer", {"response": "交叉熵"}),
        ("排行榜 月", "board", {"period": "月"}),
        ("我", "me", {}),
        ("ｈｅｌｐ", "help", {}),
        ("幫助", "help", {}),
        ("設置 time=9:30", "setup", {"time": "9:30"}),
        ("主题 search=缓存", "topics", {"search": "缓存"}),
        ("暂停 2026年12月31日", "pause", {"until": "2026年12月31日"}),
        ("answer 0.5 GiB", "answer", {"response": "0.5 GiB"}),
        ("answer L = -log p", "answer", {"response": "L = -log p"}),
        ("answer response time", "answer", {"response": "response time"}),
        ("answer 交叉熵", "answer", {"response": "交叉熵"}),
        ("answer", "answer", {}),
        ("board", "board", {}),
        ("board month", "board", {"period": "month"}),
        ("board period=all", "board", {"period": "all"}),
        ("topics kv-cache, lora", "topics", {"set": "kv-cache, lora"}),
        ("topics set kv-cache, lora", "topics", {"set": "kv-cache, lora"}),
        ("topics kv-cache day=mon", "topics", {"set": "kv-cache", "day": "mon"}),
        ("topics search kv cache", "topics", {"search": "kv cache"}),
        ("topics search=缓存", "topics", {"search": "缓存"}),
        ("pause", "pause", {}),
        ("pause 2026-12-31", "pause", {"until": "2026-12-31"}),
        ("pause until=2026-12-31", "pause", {"until": "2026-12-31"}),
        ("pause until 2026年12月31日", "pause", {"until": "2026年12月31日"}),
        (
            'setup time=09:30 zone="Asia/Shanghai" topics=kv-cache, lora days=周一到周五',
            "setup",
            {"time": "09:30", "zone": "Asia/Shanghai", "topics": "kv-cache, lora", "days": "周一到周五"},
        ),
        ("setup time＝上午9:30 zone ＝ 北京", "setup", {"time": "上午9:30", "zone": "北京"}),
        ("setup\ttime = 9.30\n  Zone= “Europe/Berlin”", "setup", {"time": "9.30", "zone": "Europe/Berlin"}),
        ("schedule time=", "schedule", {"time": ""}),
        ("setup time=1 time=2", "setup", {"time": "2"}),
    ],
)
def test_commands_are_read_as_people_type_them(typed: str, name: str, options: dict[str, str]) -> None:
    assert parse(typed) == (name, options)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("bord", "board"),
        ("Anwser A", "answer"),
        ("setp time=9", "setup"),
        ("schedul", "schedule"),
        ("xyzzy", ""),
        ("火星", ""),
    ],
)
def test_an_unknown_command_names_the_nearest(typed: str, meant: str) -> None:
    with pytest.raises(UnknownCommand) as wrong:
        parse(typed)
    assert wrong.value.nearest == meant
    assert nearest(typed.split()[0].lower()) == meant


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("setup colour=red", "colour=red"),
        ("setup 09:30", "09:30"),
        ("setup colour=red time=09:30", "colour=red"),
        ("today please", "please"),
        ("now now", "now"),
        ("topics tpics=lora", "tpics=lora"),
        ("status x=1", "x=1"),
    ],
)
def test_an_option_the_command_does_not_have_is_named_with_those_it_has(typed: str, shown: str) -> None:
    with pytest.raises(WrongInput) as wrong:
        parse(typed)
    spec = BY_NAME[typed.split()[0]]
    for sentence in (wrong.value.en, wrong.value.zh):
        assert shown in sentence
        assert all(option.name in sentence for option in spec.options)


WORDS = st.one_of(
    st.sampled_from([*BY_NAME, *(o.name for spec in COMMANDS for o in spec.options)]),
    st.sampled_from(["=", "＝", ' "', "”", ",", "、", "\n", "\t", "\u200b", "\u202e", "{0}", "%s", "\\", "(?"]),
    st.text(max_size=40),
)


@settings(deadline=None)
@given(st.one_of(st.text(max_size=4000), st.lists(WORDS, max_size=30).map(" ".join), st.lists(WORDS).map("".join)))
def test_whatever_is_typed_is_a_command_or_a_mistake_with_words(typed: str) -> None:
    """Nothing else is ever raised, and every option that comes out is one of the command's."""
    try:
        name, options = parse(typed)
    except (UnknownCommand, WrongInput):
        return
    assert set(options) <= {option.name for option in BY_NAME[name].options}


@pytest.mark.parametrize(
    "typed", ["a" * 4000, "=" * 4000, "time=" * 800, "setup " + "time " * 790, "setup " + " =" * 1990]
)
def test_four_thousand_characters_are_read_quickly_and_said_shortly(typed: str) -> None:
    """No input makes the expressions run away: the suite's own time limit would end this."""
    said = ""
    try:
        parse(typed)
    except DrillError as error:
        said = str(error)
    assert len(said) < 400


def test_names_are_what_every_platform_can_register() -> None:
    """Discord takes lower-case names of up to 32 letters and descriptions of up to 100 characters."""
    allowed = set(string.ascii_lowercase)
    for spec in COMMANDS:
        assert set(spec.name) <= allowed
        assert 1 <= len(spec.help) <= 100
        assert len(spec.options) <= 25
        assert len({option.name for option in spec.options}) == len(spec.options)
        assert sum(option.rest for option in spec.options) <= 1
        for option in spec.options:
            assert set(option.name) <= allowed
            assert 1 <= len(option.help) <= 100


def test_every_command_has_its_verb() -> None:
    assert COMMAND_PLANS.keys() == BY_NAME.keys()


def test_chinese_words_mean_one_command_each_and_every_command_has_one() -> None:
    words = [word for typed in CHINESE.values() for word in typed.split()]
    assert len(words) == len(set(words))
    assert CHINESE.keys() == BY_NAME.keys()
