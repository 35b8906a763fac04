"""What an admin types for a schedule, in either language."""

from __future__ import annotations

from datetime import time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.drill.calendar import check_country, check_zone, parse_time, parse_weekdays


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9:30", "09:30"),
        ("09:30", "09:30"),
        (" 09:30 ", "09:30"),
        ("9.30", "09:30"),
        ("９：３０", "09:30"),
        ("0930", "09:30"),
        ("09:30:00", "09:30"),
        ("9h30", "09:30"),
        ("9", "09:00"),
        ("9am", "09:00"),
        ("9:30 PM", "21:30"),
        ("9:30 p.m.", "21:30"),
        ("12am", "00:00"),
        ("12:15am", "00:15"),
        ("12pm", "12:00"),
        ("9 o'clock", "09:00"),
        ("noon", "12:00"),
        ("midnight", "00:00"),
        ("00:00", "00:00"),
        ("23:59", "23:59"),
        ("上午9点", "09:00"),
        ("上午九点半", "09:30"),
        ("上午 9:30", "09:30"),
        ("下午3点", "15:00"),
        ("下午三点一刻", "15:15"),
        ("下午15点", "15:00"),
        ("晚上8点30分", "20:30"),
        ("早上八点钟", "08:00"),
        ("凌晨12点", "00:00"),
        ("中午12点", "12:00"),
        ("中午一点", "13:00"),
        ("十点", "10:00"),
        ("二十三点五十九分", "23:59"),
        ("9时05分", "09:05"),
        ("零点", "00:00"),
        ("正午", "12:00"),
    ],
)
def test_times_of_day(text: str, expected: str) -> None:
    """Clock times, am and pm, Chinese hours and numerals."""
    assert parse_time(text) == time.fromisoformat(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("", "24:00", "25", "9:60", "9:3", "930", "13pm", "0pm", "-1:00", "9:30:15", "nine", "tomorrow", "9:30 CET"),
        *("上午13点", "下午0点", "晚上12点", "晚上1点", "十十点", "下午3pm", "9点刻", "9:30-10:30", "九" * 5000),
    ],
)
def test_what_is_no_time_gets_one_sentence_with_the_cure(text: str) -> None:
    """Also what could be two times, such as 晚上12点."""
    with pytest.raises(ValueError, match=r"is not a time of day; write it like 09:30.*\.$") as caught:
        parse_time(text)
    assert len(str(caught.value)) < 140


@given(st.times())
def test_a_time_is_read_back_as_it_is_shown(at: time) -> None:
    """HH:MM, and the hour and minute in Chinese."""
    whole = at.replace(second=0, microsecond=0)
    assert parse_time(f"{whole:%H:%M}") == whole
    assert parse_time(f"{whole.hour}点{whole.minute}分") == whole
    assert parse_time(f"{whole:%I:%M %p}") == whole


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mon-fri", "12345"),
        ("Mon–Fri", "12345"),
        ("Monday to Friday", "12345"),
        ("1-5", "12345"),
        ("weekdays", "12345"),
        ("every weekday", "12345"),
        ("工作日", "12345"),
        ("周一到周五", "12345"),
        ("周一至五", "12345"),
        ("星期一至星期五", "12345"),
        ("周1～周5", "12345"),
        ("Mon,Wed", "13"),
        ("mon wed FRI", "135"),
        ("Tues & Thurs.", "24"),
        ("mondays and weds", "13"),
        ("周一、三、五", "135"),
        ("一三五", "135"),
        ("周一，周三", "13"),
        ("礼拜天", "7"),
        ("每周日", "7"),
        ("sun", "7"),
        ("fri-mon", "1567"),
        ("mon-wed, fri", "1235"),
        ("weekends", "67"),
        ("周末", "67"),
        ("daily", "1234567"),
        ("every day", "1234567"),
        ("每天", "1234567"),
        ("mon-mon", "1"),
        ("mon,,mon", "1"),
    ],
)
def test_weekdays(text: str, expected: str) -> None:
    """Names, numbers, ranges (over the weekend too) and groups."""
    assert parse_weekdays(text) == frozenset(int(n) for n in expected)


@pytest.mark.parametrize("text", ["", " , ", "15", "0", "8", "moonday", "t", "s", "mon-", "1-9", "not monday", "每周"])
def test_what_is_no_weekday_gets_one_sentence_with_the_cure(text: str) -> None:
    """Also what could be two days: T is Tuesday or Thursday, 15 the first and fifth or first to fifth."""
    with pytest.raises(ValueError, match=r"write days like mon-fri"):
        parse_weekdays(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Asia/Shanghai", "Asia/Shanghai"),
        ("asia/shanghai", "Asia/Shanghai"),
        ("America/new york", "America/New_York"),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("US/Eastern", "US/Eastern"),
        ("UTC", "UTC"),
        ("Etc/GMT-8", "Etc/GMT-8"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
        ("beijing", "Asia/Shanghai"),
        ("北京", "Asia/Shanghai"),
        ("纽约", "America/New_York"),
        ("San Francisco", "America/Los_Angeles"),
    ],
)
def test_zones(text: str, expected: str) -> None:
    """Names in any case, old names as they are, and cities that name one zone alone."""
    assert check_zone(text) == expected
    assert ZoneInfo(check_zone(text))


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Asia/Beijing", "did you mean Asia/Shanghai?"),
        ("Europe/Berln", "did you mean Europe/Berlin"),
        ("Shangai", "did you mean Asia/Shanghai?"),
        ("PST", "did you mean America/Los_Angeles?"),
        ("CST", "America/Chicago or Asia/Shanghai"),
        ("Louisville", "America/Kentucky/Louisville or America/Louisville"),
        ("UTC+8", "is an offset, which does not know clock changes"),
        ("GMT-05:00", "is an offset"),
        ("+0800", "is an offset"),
        ("东八区", "is an offset"),
        ("Mars/Olympus", "give a name such as"),
        ("localtime", "give a name such as"),
        ("Factory", "give a name such as"),
        ("../../etc/passwd", "give a name such as"),
        ("/etc/localtime", "give a name such as"),
        ("", "give a name such as"),
        ("Europe\x00Berlin", "give a name such as|did you mean"),
    ],
)
def test_what_is_no_zone_gets_one_sentence_with_the_cure(text: str, hint: str) -> None:
    """With the near ones named, and never a file of the machine."""
    with pytest.raises(ValueError, match=hint.replace("?", r"\?")) as caught:
        check_zone(text)
    assert "\x00" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("CN", "CN"), ("cn", "CN"), ("CHN", "CN"), ("China", "CN"), ("中国", "CN"), ("uk", "GB"), ("usa", "US")),
        *(("DE-BY", "DE-BY"), ("de-by", "DE-BY"), ("Germany-BY", "DE-BY"), ("Guinea-Bissau", "GW")),
        *(("", ""), ("none", ""), ("无", "")),
    ],
)
def test_countries(text: str, expected: str) -> None:
    """Codes and names, with a subdivision where the country has them; none is a choice too."""
    assert check_country(text) == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("XX", "give an ISO code"),
        ("Atlantis", "give an ISO code"),
        ("Germny", "did you mean DE"),
        ("DE-ZZ", "write DE or one of BB, BE"),
        ("CN-11", "write CN"),
        ("-", None),
    ],
)
def test_what_is_no_country_gets_one_sentence_with_the_cure(text: str, hint: str | None) -> None:
    """A dash alone is how some write none."""
    if hint is None:
        assert check_country(text) == ""
        return
    with pytest.raises(ValueError, match=hint):
        check_country(text)


@given(st.text(max_size=60))
def test_whatever_is_typed_gives_a_value_or_one_sentence(text: str) -> None:
    """No other error, and one line alone."""
    for read in (parse_time, parse_weekdays, check_zone, check_country):
        sentence = ""
        try:
            read(text)
        except ValueError as error:
            sentence = str(error)
        assert sentence.isprintable()
        assert not sentence or sentence[-1] in ".?"
