"""Units of typed answers: what a unit is worth, what it measures, and which readings an unclear one has.

A unit is a factor to the base unit of its dimension (byte, second, joule, metre, gram, hertz = 1/second) and the
things it counts (token, parameter, FLOP). What it measures must agree with the key; what it counts may be left out
(``50 /s`` for tokens/s) but not be something else. KB is 1000 bytes, KiB is 1024; b is a bit, B a byte.
Some spellings have several readings (B: byte or billion; flops: count or rate; gb: how people type GB and Gb);
all are kept, and the key decides.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Powers = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """``factor`` to the base units; ``own`` is the factor without its prefix (1/8 for Gb), for a lone 80G or 512K."""

    symbol: str
    factor: Fraction = Fraction(1)
    own: Fraction = Fraction(1)
    measures: Powers = ()
    counts: Powers = ()
    is_scale: bool = False  # thousand, k, M: a number's ending, no unit of its own

    def fits(self, key: Unit) -> bool:
        """An answer in this unit can be right for a key in that one."""
        mine, theirs = set(self.counts), set(key.counts)
        return self.measures == key.measures and (mine <= theirs or theirs <= mine)

    def times(self, other: Unit, sign: str = "·") -> Unit:
        """The product of two units; with the sign ``/`` the quotient."""
        power = -1 if sign == "/" else 1
        name = other.symbol.removesuffix("s") if sign == "/" and other.counts and not other.measures else other.symbol
        return Unit(
            f"{self.symbol or '1'}{sign}{name}",
            self.factor * other.factor**power,
            self.own * other.own**power,
            _join(self.measures, other.measures, power),
            _join(self.counts, other.counts, power),
        )


def _join(left: Powers, right: Powers, power: int) -> Powers:
    powers = Counter(dict(left))
    for name, exponent in right:
        powers[name] += power * exponent
    return tuple(sorted((name, exponent) for name, exponent in powers.items() if exponent))


ONE = Unit("")

Readings = tuple[Unit, ...]
"""What a spelling may mean, the likeliest first."""

_SI = {"k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
_SI_SMALL = {"m": -3, "μ": -6, "u": -6, "n": -9, "p": -12}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_SI_WORDS = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E"}
_SMALL_WORDS = {"milli": "m", "micro": "μ", "nano": "n", "pico": "p"}
_BINARY_WORDS = {"kibi": "Ki", "mebi": "Mi", "gibi": "Gi", "tebi": "Ti", "pebi": "Pi", "exbi": "Ei"}
SI_CHINESE = {"千": "k", "兆": "M", "吉": "G", "太": "T", "拍": "P", "艾": "E"}
SMALL_CHINESE = {"毫": "m", "微": "μ", "纳": "n", "皮": "p"}

_TIME, _PER_TIME, _DATA = (("s", 1),), (("s", -1),), (("B", 1),)


def _size(prefix: str) -> Fraction:
    if prefix in _BINARY:
        return Fraction(2 ** _BINARY[prefix])
    return Fraction(10) ** {**_SI, **_SI_SMALL}[prefix]


def _prefixed(prefix: str, base: Unit) -> Unit:
    shown = "k" if prefix == "K" and base.symbol not in ("B", "b") else {"u": "μ"}.get(prefix, prefix)
    return Unit(shown + base.symbol, _size(prefix) * base.factor, base.own, base.measures, base.counts, base.is_scale)


_BYTE = Unit("B", measures=_DATA)
_BIT = Unit("bit", Fraction(1, 8), Fraction(1, 8), _DATA)
_BIT_SHORT = Unit("b", Fraction(1, 8), Fraction(1, 8), _DATA)
_SECOND = Unit("s", measures=_TIME)
_HERTZ = Unit("Hz", measures=_PER_TIME)
_WATT = Unit("W", measures=(("J", 1), ("s", -1)))
_JOULE = Unit("J", measures=(("J", 1),))
_WATT_HOUR = Unit("Wh", Fraction(3600), Fraction(3600), (("J", 1),))
_METRE = Unit("m", measures=(("m", 1),))
_GRAM = Unit("g", measures=(("g", 1),))
_FLOP = Unit("FLOP", counts=(("flop", 1),))
_FLOPS = Unit("FLOP/s", measures=_PER_TIME, counts=(("flop", 1),))
_OP = Unit("op", counts=(("op", 1),))
_OPS = Unit("op/s", measures=_PER_TIME, counts=(("op", 1),))


def _span(symbol: str, seconds: int) -> Unit:
    return Unit(symbol, Fraction(seconds), Fraction(seconds), _TIME)


MINUTE, _HOUR, _DAY, _WEEK = _span("min", 60), _span("h", 3600), _span("d", 86400), _span("week", 604800)
_BIT_RATE = Unit("bit/s", Fraction(1, 8), Fraction(1, 8), (("B", 1), ("s", -1)))
_BYTE_RATE = Unit("B/s", measures=(("B", 1), ("s", -1)))


def _scale(symbol: str, size: int) -> Unit:
    return Unit(symbol, Fraction(size), Fraction(size), is_scale=True)


_THOUSAND, _MILLION, _BILLION, _TRILLION = (_scale(f"e{n}", 10**n) for n in (3, 6, 9, 12))


def _ratio(symbol: str, part: int) -> Unit:
    return Unit(symbol, Fraction(1, part), Fraction(1, part))


_PERCENT, _TIMES = _ratio("%", 100), Unit("×")


def _thing(name: str, symbol: str = "") -> Unit:
    return Unit(symbol or name, counts=((name, 1),))


def _money(name: str) -> Unit:
    return Unit(name, measures=((name, 1),))


# Spellings where the case matters, with their readings, the likeliest first.
_EXACT: dict[str, tuple[Unit, ...]] = {
    "B": (_BYTE, _BILLION),
    "b": (_BIT, _BILLION),
    "K": (_THOUSAND,),
    "k": (_THOUSAND,),
    "M": (_MILLION,),
    "G": (_BILLION,),
    "T": (_TRILLION,),
    "P": (_scale("e15", 10**15),),
    "s": (_SECOND,),
    "h": (_HOUR,),
    "d": (_DAY,),
    "m": (_METRE, MINUTE, _MILLION),
    "g": (_GRAM, _BILLION),
    "t": (Unit("t", Fraction(10**6), Fraction(10**6), (("g", 1),)), _TRILLION),
    "W": (_WATT,),
    "w": (_WATT, _scale("e4", 10**4)),  # 400w is 400 W, and 400万 where a bare number is asked
    "GF": (_prefixed("G", _FLOPS), _prefixed("G", _FLOP)),
    "TF": (_prefixed("T", _FLOPS), _prefixed("T", _FLOP)),
    "PF": (_prefixed("P", _FLOPS), _prefixed("P", _FLOP)),
    "J": (_JOULE,),
    "Hz": (_HERTZ,),
    "Wh": (_WATT_HOUR,),
    "bps": (_BIT_RATE,),
    "Bps": (_BYTE_RATE,),
    "FLOP": (_FLOP,),
    "FLOPs": (_FLOP, _FLOPS),
    "FLOPS": (_FLOPS, _FLOP),
    "flops": (_FLOP, _FLOPS),
    "OP": (_OP,),
    "OPs": (_OP, _OPS),
    "OPS": (_OPS, _OP),
    "x": (_TIMES,),
    "X": (_TIMES,),
    "×": (_TIMES,),
    "%": (_PERCENT,),
    "‰": (_ratio("‰", 1000),),
    "‱": (_ratio("‱", 10000),),
    "°C": (Unit("°C", measures=(("°C", 1),)),),
    "C": (Unit("°C", measures=(("°C", 1),)),),
    "$": (_money("$"),),
    "¥": (_money("¥"),),
    "€": (_money("€"),),
    "£": (_money("£"),),
    **{prefix: (_prefixed(prefix, _BYTE),) for prefix in _BINARY},
    "kb": (_prefixed("K", _BYTE), _prefixed("k", _BIT_SHORT)),
}
_EXACT |= {(p + "b").lower(): (_prefixed(p, _BYTE), _prefixed(p, _BIT_SHORT)) for p in ("M", "G", "T", "P", *_BINARY)}

# Spellings where the case does not matter.
WORDS: dict[str, tuple[Unit, ...]] = {}


def _also(spellings: str, *units: Unit) -> None:
    for spelling in spellings.split(","):
        WORDS[spelling.strip()] = units


_also("byte, bytes, 字节, 位元组", _BYTE)
_also("bit, bits, 比特, 位元", _BIT)
_also("位", _BIT, Unit("位"))
_also("sec, secs, second, seconds, 秒, 秒钟", _SECOND)
_also("msec, msecs", _prefixed("m", _SECOND))
_also("usec, usecs, μsec", _prefixed("μ", _SECOND))
_also("min, mins, minute, minutes, 分钟", MINUTE)
_also("分", MINUTE, Unit("分"))
_also("hr, hrs, hour, hours, 小时, 钟头, 个小时, 时", _HOUR)
_also("day, days, 天, 日", _DAY)
_also("week, weeks, wk, wks, 周, 星期, 礼拜, 个星期", _WEEK)
_also("hertz, 赫兹, 赫", _HERTZ)
_also("watt, watts, 瓦, 瓦特", _WATT)
_also("joule, joules, 焦耳, 焦", _JOULE)
_also("watt-hour, watt-hours, 瓦时", _WATT_HOUR)
_also("度电", _prefixed("k", _WATT_HOUR))
_also("度", _prefixed("k", _WATT_HOUR), Unit("°"))
_also("metre, metres, meter, meters, 米", _METRE)
_also("cm, 厘米", Unit("cm", Fraction(1, 100), Fraction(1), (("m", 1),)))
_also("gram, grams, 克", _GRAM)
_also("公斤, kilogram, kilograms, kgs", _prefixed("k", _GRAM))
_also("吨, tonne, tonnes", *_EXACT["t"][:1])
_also("flop, 浮点运算, 次浮点运算, 次浮点", _FLOP)
_also("flops", _FLOP, _FLOPS)
_also("op, operation, operations, 运算, 次运算", _OP)
_also("ops", _OP, _OPS)
_also("percent, percents, pct, per cent, percentage points, percentage point, pp, 百分点, 个百分点", _PERCENT)
_also("permille, per mille", _ratio("‰", 1000))
_also("ppm", _ratio("ppm", 10**6))
_also("成", _ratio("成", 10))
_also("times, time, fold, 倍", _TIMES)
_also("打", Unit("打", Fraction(12), Fraction(12)))
_also("thousand, thousands", _THOUSAND)
_also("million, millions, mn, mio", _MILLION)
_also("billion, billions, bn", _BILLION)
_also("trillion, trillions, tn", _TRILLION)
_also("百万", _MILLION)
_also("千", _THOUSAND)
_also("万", _scale("e4", 10**4))
_also("千万", _scale("e7", 10**7))
_also("亿", _scale("e8", 10**8))
_also("十亿", _BILLION)
_also("万亿", _TRILLION)
_also("gig, gigs, gigabytes, gigabyte", _prefixed("G", _BYTE))
_also("meg, megs", _prefixed("M", _BYTE))
_also("token, tokens, tok, toks, 词元, 令牌, 标记", _thing("token", "tokens"))
_also("param, params, parameter, parameters, 参数, 参数量", _thing("param", "params"))
_also("layer, layers, 层", _thing("layer", "layers"))
_also("head, heads, 头, 注意力头", _thing("head", "heads"))
_also("step, steps, 步", _thing("step", "steps"))
_also("epoch, epochs, 轮", _thing("epoch", "epochs"))
_also("卡时", Unit("GPU·h", Fraction(3600), Fraction(3600), _TIME, (("gpu", 1),)))
_also("gpu, gpus, 卡", _thing("gpu", "GPUs"))
_also("sample, samples, 样本", _thing("sample", "samples"))
_also("request, requests, req, reqs, 请求", _thing("request", "requests"))
_also("character, characters, char, chars, 字符", _thing("character", "characters"))
_also("frame, frames, 帧", _thing("frame", "frames"))
_also("dimension, dimensions, dim, dims, 维", _thing("dimension", "dimensions"))
_also("expert, experts, 专家", _thing("expert", "experts"))
_also("摄氏度, celsius", *_EXACT["°C"])
_also("year, years, yr, yrs, 年", Unit("years", measures=(("year", 1),)))
_also("month, months, 个月, 月", Unit("months", measures=(("month", 1),)))
_also("qps, rps", Unit("requests/s", measures=_PER_TIME, counts=(("request", 1),)))
_also("tps", Unit("tokens/s", measures=_PER_TIME, counts=(("token", 1),)))
_also("fps", Unit("frames/s", measures=_PER_TIME, counts=(("frame", 1),)))
_also("usd, us$, dollar, dollars, 美元, 美金", _money("$"))
_also("rmb, cny, yuan, 元, 块钱, 人民币", _money("¥"))
_also("eur, euro, euros, 欧元", _money("€"))
_also("gbp, 英镑", _money("£"))
_also("cent, cents, 美分", Unit("cents", Fraction(1, 100), Fraction(1, 100), (("$", 1),)))
_also("兆", _prefixed("M", _BYTE), _prefixed("M", _BIT_SHORT))  # a million or 10^12 as a bare number: unclear

# Words that say "pieces" and nothing more.
COUNTERS = "个|张|块|条|台|次|项|种|名|人|份|组|套|只|批|道|枚|路|行|列|颗"

# Which prefixes go with which symbols.
_LARGE_SYMBOLS = {
    "B": _BYTE,
    "b": _BIT_SHORT,
    "Hz": _HERTZ,
    "W": _WATT,
    "J": _JOULE,
    "Wh": _WATT_HOUR,
    "Bps": _BYTE_RATE,
    "bps": _BIT_RATE,
}
_COUNT_SYMBOLS = {
    "FLOP": (_FLOP,),
    "FLOPs": (_FLOP, _FLOPS),
    "FLOPS": (_FLOPS, _FLOP),
    "OP": (_OP,),
    "OPs": (_OP, _OPS),
    "OPS": (_OPS, _OP),
    "byte": (_BYTE,),
    "bytes": (_BYTE,),
    "Byte": (_BYTE,),
    "Bytes": (_BYTE,),
    "bit": (_BIT,),
    "bits": (_BIT,),
    "tok": (_thing("token", "tokens"),),
    "tokens": (_thing("token", "tokens"),),
    "params": (_thing("param", "params"),),
}


def _with_prefix(word: str) -> tuple[Unit, ...]:
    """MiB, kHz, TFLOPS, GBps, μs; the case as it must be."""
    for prefix in (*_BINARY, "ki"):
        rest = word.removeprefix(prefix)
        if rest != word and rest in ("B", "b", "byte", "bytes", "Byte", "Bytes", "bit", "bits", "Bps", "bps"):
            units = (_LARGE_SYMBOLS[rest],) if rest in _LARGE_SYMBOLS else _COUNT_SYMBOLS[rest]
            return tuple(_prefixed(prefix.replace("k", "K"), unit) for unit in units)
    prefix, rest = word[:1], word[1:]
    if prefix in _SI:
        if rest in _LARGE_SYMBOLS:
            return (_prefixed(prefix, _LARGE_SYMBOLS[rest]),)
        if rest in _COUNT_SYMBOLS:
            return tuple(_prefixed(prefix, unit) for unit in _COUNT_SYMBOLS[rest])
    small = {"s": _SECOND, "m": _METRE, "W": _WATT, "J": _JOULE, "g": _GRAM}
    if prefix in _SI_SMALL and rest in small:
        return (_prefixed(prefix, small[rest]),)
    if prefix in "kK" and rest in ("m", "g"):
        return (_prefixed("k", small[rest]),)
    return ()


def _any_case(word: str) -> tuple[Unit, ...]:
    """GHZ, tflops, MIB, gbps, MS: written without care for the case, but only one thing can be meant."""
    low = word.lower()
    for prefix in ("k", "m", "g", "t", "p", "e", "z"):
        rest = low.removeprefix(prefix)
        if rest == low:
            continue
        for name in (
            "flops",
            "flop",
            "ops",
            "hz",
            "wh",
            "tok",
            "toks",
            "tokens",
            "token",
            "byte",
            "bytes",
            "bit",
            "bits",
        ):
            if rest == name:
                return tuple(_prefixed("k" if prefix == "k" else prefix.upper(), u) for u in look_up(_PROPER[name]))
    if low in ("kbps", "mbps", "gbps", "tbps"):
        return (_prefixed(low[0].upper().replace("K", "k"), _BIT_RATE),)
    if re.fullmatch(r"[kmgtp]i?b", low):  # KB, MB, MIB, mB: a capital B is a byte
        prefix = low[0].upper() + low[1:-1]
        return (_prefixed(prefix, _BYTE if word[-1] == "B" else _BIT_SHORT),)
    if low in ("kw", "gw", "tw"):
        return (_prefixed({"k": "k"}.get(low[0], low[0].upper()), _WATT),)
    if low in ("ms", "us", "μs", "ns", "ps", "mw", "mj", "kj", "kg", "km", "nm", "mm"):
        return _with_prefix(low[:-1] + {"w": "W", "j": "J"}.get(low[-1], low[-1]))
    return _EXACT.get(low, ()) if len(low) == 1 else ()


_PROPER = {"flops": "flops", "flop": "FLOP", "ops": "ops", "hz": "Hz", "wh": "Wh", "tok": "tok", "toks": "tok"}
_PROPER |= {name: name for name in ("tokens", "token", "byte", "bytes", "bit", "bits")}


def _long_prefix(word: str) -> tuple[Unit, ...]:
    """mebibytes, gigabit, milliseconds, 兆字节, 毫秒."""
    low = word.lower()
    for table in (_BINARY_WORDS, _SI_WORDS, _SMALL_WORDS, SI_CHINESE, SMALL_CHINESE):
        for name, prefix in table.items():
            rest = low.removeprefix(name)
            if rest != low and rest in WORDS and not WORDS[rest][0].is_scale:
                return tuple(_prefixed(prefix, unit) for unit in WORDS[rest])
    return ()


@cache
def look_up(word: str) -> tuple[Unit, ...]:
    """All readings of one unit name, the likeliest first; empty where the name is unknown."""
    if re.fullmatch(r"[kKMGTP]?i?[Bb]s", word):
        word = word[:-1]  # GBs
    return _EXACT.get(word) or _with_prefix(word) or WORDS.get(word.lower()) or _long_prefix(word) or _any_case(word)
