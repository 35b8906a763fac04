"""Points: integer hundredths, so that sums do not depend on the order of adding."""

from __future__ import annotations

import math
from fractions import Fraction

_HALF = Fraction(1, 2)


def points(credit: Fraction, difficulty: int) -> int:
    """Hundredths of ``credit × (5 + 5 × difficulty)``, rounded half up.

    ``credit`` is 0..1 and exact (two of three right options are worth 2/3, not 0.6667); ``difficulty`` is 1..5.
    Raises ``ValueError`` outside these ranges.
    """
    if not 0 <= credit <= 1:
        raise ValueError(f"A credit of {credit} is impossible; it lies between 0 and 1.")
    if not 1 <= difficulty <= 5:
        raise ValueError(f"A difficulty of {difficulty} is impossible; it lies between 1 and 5.")
    return math.floor(Fraction(credit) * 100 * (5 + 5 * difficulty) + _HALF)


def format_points(hundredths: int, language: str = "en") -> str:
    """The number alone, without needless zeros: 1250 → ``12.5``, 120000 → ``1,200``.

    English and Chinese write it alike (CLDR: a point, and a comma between thousands).
    """
    sign = "−" if hundredths < 0 else ""
    whole, rest = divmod(abs(hundredths), 100)
    decimals = f".{rest:02d}".rstrip("0") if rest else ""
    return f"{sign}{whole:,}{decimals}"
