"""What an admin types for a schedule, in English or Chinese, read into values.

Each function gives the value, or raises ``ValueError`` with one sentence that says what is wrong and what to
write. Nothing is guessed: a zone, time or day that can be read in two ways is turned down.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import time
from difflib import get_close_matches
from functools import cache
from zoneinfo import available_timezones

_INVISIBLE = re.compile(r"[\u200b-\u200f\u2060\ufeff\u00ad]")


def _plain(text: str) -> str:
    """Full-width forms made narrow, invisible characters and outer spaces dropped, case folded."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text[:400])).strip().casefold()
    return plain if len(text) <= 400 else "…"  # what no one types by hand is nothing that can be read


def _quoted(text: str) -> str:
    """What was typed, fit for one line of a message."""
    clean = "".join(c if c.isprintable() else " " for c in text).strip()
    return "“" + (clean if len(clean) <= 40 else clean[:39] + "…") + "”"


# --- zone -------------------------------------------------------------------------------------------------------

_PLACES = {
    # Cities the tz database has no entry for, or whose Chinese name is asked for.
    "Asia/Shanghai": "beijing shenzhen guangzhou hangzhou chengdu nanjing wuhan xian suzhou china "
    "北京 上海 深圳 广州 杭州 成都 南京 武汉 西安 苏州 中国 北京时间",
    "Asia/Hong_Kong": "香港",
    "Asia/Taipei": "台北 臺北 台湾 臺灣",
    "Asia/Macau": "澳门 澳門",
    "Asia/Singapore": "新加坡",
    "Asia/Tokyo": "osaka kyoto 东京 東京 大阪",
    "Asia/Seoul": "首尔 首爾",
    "Asia/Kolkata": "mumbai delhi new_delhi bangalore bengaluru chennai hyderabad india 孟买 新德里",
    "Asia/Dubai": "迪拜",
    "Europe/London": "manchester edinburgh oxford 伦敦 倫敦",
    "Europe/Paris": "巴黎",
    "Europe/Berlin": "munich hamburg frankfurt cologne germany 柏林 慕尼黑",
    "Europe/Zurich": "geneva basel 苏黎世",
    "Europe/Moscow": "莫斯科",
    "America/New_York": "boston washington atlanta miami philadelphia 纽约 紐約",
    "America/Chicago": "austin dallas houston 芝加哥",
    "America/Los_Angeles": "san_francisco seattle san_jose palo_alto las_vegas 洛杉矶 旧金山 西雅图",
    "America/Toronto": "ottawa montreal 多伦多",
    "America/Vancouver": "温哥华",
    "Australia/Sydney": "canberra 悉尼",
    "Etc/UTC": "世界时",
}
_LETTERS = {  # abbreviations that are no zones, or name several
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "edt": "America/New_York",
    "cst": "America/Chicago or Asia/Shanghai",
    "cdt": "America/Chicago",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "kst": "Asia/Seoul",
    "bst": "Europe/London",
    "cest": "Europe/Berlin",
    "sgt": "Asia/Singapore",
    "hkt": "Asia/Hong_Kong",
    "aest": "Australia/Sydney",
}
_OFFSET = re.compile(r"(?:utc|gmt)?\s*[+\-−]\s*\d{1,2}(?::?\d{2})?|东八区")


@cache
def _zones() -> dict[str, str]:
    """Every zone by its case-folded name. "localtime" and "Factory" stand for no place."""
    names = available_timezones() - {"localtime", "Factory", "posixrules"}
    return {name.casefold(): name for name in sorted(names)}


@cache
def _cities() -> dict[str, tuple[str, ...]]:
    """The zones that a bare city may mean, by its case-folded name."""
    found: dict[str, list[str]] = {}
    for folded, name in _zones().items():
        if "/" in folded and not folded.startswith("etc/"):
            found.setdefault(folded.rsplit("/", 1)[1], []).append(name)
    for zone, places in _PLACES.items():
        for place in places.split():
            found[place] = [zone]
    return {city: tuple(zones) for city, zones in found.items()}


def check_zone(name: str) -> str:
    """The zone as the tz database spells it, from its name in any case, or from a city that names one zone alone.

    Old names such as ``Asia/Calcutta`` stay: platforms still send them.
    """
    wanted = re.sub(r"\s+", "_", _plain(name))
    if zone := _zones().get(wanted):
        return zone
    if len(meant := _cities().get(wanted, ())) == 1:
        return meant[0]
    if _OFFSET.fullmatch(_plain(name)):
        raise ValueError(
            f"{_quoted(name)} is an offset, which does not know clock changes; name a zone such as Asia/Shanghai."
        )
    if near := _near_zones(wanted):
        raise ValueError(f"There is no time zone {_quoted(name)}; did you mean {near}?")
    raise ValueError(f"There is no time zone {_quoted(name)}; give a name such as Europe/Berlin or Asia/Shanghai.")


def known_zone(name: str) -> str:
    """A zone as a platform tells it, where the tz database here has it; else ``""``: not known."""
    return _zones().get(name.casefold(), "")


def _near_zones(wanted: str) -> str:
    if wanted in _LETTERS:
        return _LETTERS[wanted]
    city = wanted.rsplit("/", 1)[-1]
    near = list(_cities().get(city, ()))
    if not near:
        near = [_zones()[folded] for folded in get_close_matches(wanted, _zones(), n=2, cutoff=0.75)]
    if not near:
        near = [zone for match in get_close_matches(city, _cities(), n=2, cutoff=0.8) for zone in _cities()[match]]
    return " or ".join(dict.fromkeys(near[:3]))


# --- time of day ------------------------------------------------------------------------------------------------

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_NUMERAL = re.compile("[零〇一二两兩三四五六七八九十]+")
_NAMED = {
    "noon": time(12),
    "midday": time(12),
    "正午": time(12),
    "中午": time(12),
    "midnight": time(0),
    "午夜": time(0),
}
_PART = "凌晨|早上|早晨|清晨|上午|早|中午|下午|傍晚|晚上|晚间|夜里|晚"
_TIMES = tuple(
    re.compile(rf"(?P<part>{_PART})?\s*{shape}\s*(?P<half>[ap]\.?\s?m\.?)?")
    for shape in (
        r"(?P<hour>\d{1,2})\s?[:.]\s?(?P<minute>\d{2})(?::00)?",
        r"(?P<hour>\d{1,2})h(?P<minute>\d{2})?",
        r"(?P<hour>\d{2})(?P<minute>\d{2})",
        r"(?P<hour>\d{1,2})(?:\s?o'clock)?",
        r"(?P<hour>\d{1,2})\s?[点點时時](?:整|[钟鐘])?",
        r"(?P<hour>\d{1,2})\s?[点點时時]\s?(?P<minute>\d{1,2})分?",
        r"(?P<hour>\d{1,2})\s?[点點]\s?(?P<quarters>半|[13]刻)",
    )
)
_QUARTERS = {"半": 30, "1刻": 15, "3刻": 45}


def parse_time(text: str) -> time:
    """A time of day, to the minute: ``09:30``, ``9.30``, ``0930``, ``9am``, ``9:30 pm``, ``上午9点半``, ``noon``."""
    plain = _plain(text).replace("’", "'")
    if plain in _NAMED:
        return _NAMED[plain]
    spoken = _NUMERAL.sub(lambda match: str(_numeral(match[0])), plain)
    for shape in _TIMES:
        if match := shape.fullmatch(spoken):
            groups = match.groupdict()
            minute = _QUARTERS[groups["quarters"]] if groups.get("quarters") else int(groups.get("minute") or 0)
            hour = _hour(int(groups["hour"]), groups["part"] or "", (groups["half"] or "")[:1])
            if hour is not None and hour <= 23 and minute <= 59:
                return time(hour, minute)
    raise ValueError(f"{_quoted(text)} is not a time of day; write it like 09:30, 9:30 pm or 上午9:30.")


def _numeral(text: str) -> int:
    """A Chinese numeral below 100; what is none becomes a number no clock shows."""
    tens, ten, ones = text.rpartition("十")
    if ten:
        if len(tens) > 1 or len(ones) > 1 or "十" in tens:
            return 999
        return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
    return int("".join(str(_DIGITS[c]) for c in ones))


def _hour(hour: int, part: str, half: str) -> int | None:
    """The hour on a 24-hour clock; None where hour and part of the day contradict each other."""
    if part and half:
        return None
    if half:
        if not (1 <= hour <= 12 or (hour == 0 and half == "a")):
            return None
        return hour % 12 + (12 if half == "p" else 0)
    if part in ("下午", "傍晚"):
        return hour + 12 if 1 <= hour <= 11 else hour if hour >= 12 else None
    if part in ("晚上", "晚间", "夜里", "晚"):
        # 晚上12点 and 晚上1点 lie in the next date: which one is meant cannot be told.
        return hour + 12 if 5 <= hour <= 11 else hour if hour >= 17 else None
    if part == "中午":
        return {11: 11, 12: 12, 13: 13, 1: 13, 2: 14}.get(hour)
    if part == "凌晨":
        return hour % 12 if hour <= 12 else None
    if part:
        return hour if hour <= 12 else None
    return hour


# --- weekdays ---------------------------------------------------------------------------------------------------

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_GROUPS = (
    ("1-7", r"every\s?day|daily|all days|每天|每日|天天"),
    ("1-5", r"(?:every )?(?:week|work|working )\s?days?|工作日|平日"),
    ("6-7", r"(?:every )?week-?ends?|(?:周|週)末"),
)
_DAY_CHARACTERS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7}
_RANGE = re.compile(r"([1-7])(?:-([1-7]))?")


def parse_weekdays(text: str) -> frozenset[int]:
    """ISO weekdays (1 Monday … 7 Sunday): ``mon-fri``, ``Mon, Wed``, ``1-5``, ``周一到周五``, ``daily``."""
    plain = _plain(text)
    for days, pattern in _GROUPS:
        plain = re.sub(pattern, f" {days} ", plain)
    plain = re.sub(r"每?(?:周|週|星期|礼拜|禮拜)", " ", plain)
    plain = re.sub("[一二三四五六日天]", lambda match: f" {_DAY_CHARACTERS[match[0]]} ", plain)
    plain = re.sub(r"\s*(?:[-‐‑–—~〜−到至]|\b(?:to|through|thru|till|until)\b)\s*", "-", plain)
    plain = re.sub(r"\b(?:and|every|on|each)\b|[,，、;；/&+和与及跟]", " ", plain)
    found: set[int] = set()
    for token in plain.split():
        match = _RANGE.fullmatch(re.sub("[a-z.]+", _day_number, token))
        if not match:
            raise ValueError(
                f"{_quoted(token)} is not a weekday; write days like mon-fri, mon,wed, 周一到周五 or 1-5 (1 = Monday)."
            )
        first, last = int(match[1]), int(match[2] or match[1])
        found.update((first - 1 + step) % 7 + 1 for step in range((last - first) % 7 + 1))
    if not found:
        raise ValueError("No weekday is named; write days like mon-fri, mon,wed,fri, 周一到周五 or daily.")
    return frozenset(found)


def _day_number(match: re.Match[str]) -> str:
    word = match[0].rstrip(".")
    if len(word) < 2:
        return "?"
    fitting = [n for n, day in enumerate(_DAYS, 1) if f"{day}s".startswith(word) or (word == "weds" and n == 3)]
    return str(fitting[0]) if len(fitting) == 1 else "?"


# --- country ----------------------------------------------------------------------------------------------------

_CHINESE_COUNTRIES = {
    "中国": "CN", "中国大陆": "CN", "香港": "HK", "澳门": "MO", "台湾": "TW", "日本": "JP", "韩国": "KR",
    "新加坡": "SG", "马来西亚": "MY", "印度": "IN", "美国": "US", "加拿大": "CA", "英国": "GB", "德国": "DE",
    "法国": "FR", "澳大利亚": "AU",
}  # fmt: skip
_NO_COUNTRY = {"", "none", "no", "off", "-", "无", "没有", "不用"}


@cache
def _countries() -> dict[str, tuple[str, ...]]:
    """ISO 3166 alpha-2 codes that the ``holidays`` package knows, with their subdivisions."""
    from holidays import list_supported_countries

    return {code: tuple(parts) for code, parts in list_supported_countries(include_aliases=False).items()}


@cache
def _country_names() -> dict[str, str]:
    """Codes by case-folded code, three-letter code and English or Chinese name."""
    from holidays.registry import COUNTRIES

    names = {code.casefold(): code for code in _countries()}
    for name, (_, code, *others) in COUNTRIES.items():
        names |= dict.fromkeys((name.replace("_", " "), *(o.casefold() for o in others)), code)
    return names | _CHINESE_COUNTRIES | {"uk": "GB", "england": "GB", "usa": "US", "us": "US"}


def check_country(code: str) -> str:
    """The country whose holidays have no round, as ``CN`` or ``DE-BY``; "" (none) where none is wanted."""
    plain = re.sub(r"\s+", " ", _plain(code))
    if plain in _NO_COUNTRY:
        return ""
    if country := _country_names().get(plain) or _country_names().get(plain.replace("-", " ")):
        return country
    front, dash, part = plain.partition("-")
    country = _country_names().get(front.strip())
    if country and dash:
        return f"{country}-{_subdivision(country, part.strip(), code)}"
    near = get_close_matches(plain, _country_names(), n=1, cutoff=0.75) if len(plain) > 4 else []
    hint = (
        f"did you mean {_country_names()[near[0]]}?" if near else "give an ISO code such as CN, US or DE-BY, or none."
    )
    raise ValueError(f"There is no holiday calendar for {_quoted(code)}; {hint}")


def _subdivision(country: str, part: str, typed: str) -> str:
    known = {known.casefold(): known for known in _countries()[country]}
    if part in known:
        return known[part]
    if not known:
        raise ValueError(f"{_quoted(typed)} names a part of a country that has one calendar; write {country}.")
    raise ValueError(
        f"{_quoted(typed)} names no part of {country}; write {country} or one of {', '.join(known.values())}."
    )
