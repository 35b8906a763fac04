"""Safe arithmetic for `check` expressions, and plain quantities (`512 MiB`) for comparing with options."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

MAX_LENGTH = 400  # characters of an expression
MAX_DEPTH = 30  # parentheses within parentheses
MAX_POWER = 100  # of ten, in a written quantity
MAX_BITS = 4096  # of a whole number on the way

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "exp": math.exp,
    "abs": abs,
    "round": round,
}


class ExpressionError(ValueError):
    """The expression cannot be computed; the text says why in a few words."""


def evaluate(expression: str, inputs: Mapping[str, float]) -> float:
    """The value of an arithmetic ``expression`` over named ``inputs``; whole numbers stay exact.

    Only numbers, names of inputs, ``+ - * / // % **``, parentheses and FUNCTIONS are read.
    Raises ExpressionError for anything else, for division by zero and for numbers out of bounds.
    """
    if len(expression) > MAX_LENGTH:
        raise ExpressionError(f"it is longer than {MAX_LENGTH} characters")
    try:
        tree = ast.parse(expression.strip(), mode="eval")
        value = _value(tree.body, inputs, MAX_DEPTH)
    except ExpressionError:
        raise
    except (SyntaxError, RecursionError, MemoryError):
        raise ExpressionError("it is not an arithmetic expression") from None
    except ZeroDivisionError:
        raise ExpressionError("it divides by zero") from None
    except (ArithmeticError, ValueError, TypeError) as error:
        raise ExpressionError(f"it cannot be computed ({error})") from None
    if not math.isfinite(value):
        raise ExpressionError("its value is not a finite number")
    return value


def _value(node: ast.AST, inputs: Mapping[str, float], depth: int) -> float:
    if depth == 0:
        raise ExpressionError("it is nested too deeply")
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return _bounded(node.value)
    if isinstance(node, ast.Name):
        if node.id not in inputs:
            known = ", ".join(inputs) or "none"
            raise ExpressionError(f"'{node.id}' is not among the inputs ({known})")
        return _bounded(inputs[node.id])
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand, inputs, depth - 1))
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, inputs, depth - 1), _value(node.right, inputs, depth - 1)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if type(node.op) in _OPERATORS:
            return _bounded(_OPERATORS[type(node.op)](left, right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise ExpressionError(f"'{node.func.id}' is not a known function ({', '.join(FUNCTIONS)})")
        return _bounded(FUNCTIONS[node.func.id](*(_value(a, inputs, depth - 1) for a in node.args)))
    raise ExpressionError(f"'{ast.unparse(node)[:40]}' is not arithmetic")


def _power(base: float, exponent: float) -> float:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and exponent > 0 and int(base).bit_length() * exponent > MAX_BITS:
        raise ExpressionError("a power in it is too large")
    value = base**exponent
    if isinstance(value, complex):
        raise ExpressionError("it takes a root of a negative number")
    return _bounded(value)


def _bounded(value: float) -> float:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise ExpressionError("a number in it is too large")
    return value


@dataclass(frozen=True, slots=True)
class Quantity:
    """A written number: ``value`` in ``unit``, and ``step``, the worth of its last written digit."""

    value: float
    unit: str
    step: float


_PREFIXES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18, "m": 1e-3, "µ": 1e-6, "μ": 1e-6}
_PREFIXES |= {"n": 1e-9, "Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}
_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "万": 1e4, "百万": 1e6, "亿": 1e8}
_QUANTITY = re.compile(
    r"(?:about|around|roughly|approximately|约|大约|≈|~)?\s*"
    r"(?P<number>[-−+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"(?:\s*(?:×|x|\*)\s*10(?P<super>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|\^[-−]?\d+)|[eE](?P<exponent>[-+]?\d+))?"
    rf"\s*(?P<word>{'|'.join(_WORDS)})?\s*(?P<unit>[^\d\s,，;；。][^,，;；。]{{0,20}})?"
)
_SUPER = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")


def read_quantity(text: str) -> Quantity | None:
    """The number with unit that is the whole of ``text`` ("512 MiB", "1.5 × 10⁹", "1.3 亿"), or None."""
    match = _QUANTITY.fullmatch(text.strip().strip("`").rstrip("。"))
    if not match:
        return None
    digits = match["number"].translate(_SUPER).replace(",", "")
    power = int((match["super"] or match["exponent"] or "0").translate(_SUPER).lstrip("^"))
    if abs(power) > MAX_POWER or len(digits) > MAX_POWER:
        return None
    scale = 10.0**power * _WORDS.get(match["word"] or "", 1.0)
    decimals = len(digits.partition(".")[2])
    return Quantity(float(digits) * scale, (match["unit"] or "").strip(), 10.0**-decimals * scale)


def convert(value: float, unit: str, to: str) -> float | None:
    """``value`` of ``unit`` in the unit ``to``, when the two differ in SI or binary prefixes alone; otherwise None."""
    if unit == to:
        return value
    for factor, base in _readings(unit):
        for other, other_base in _readings(to):
            if base == other_base:
                return value * factor / other
    return None


def _readings(unit: str) -> list[tuple[float, str]]:
    found = [(1.0, unit)]
    for prefix, factor in _PREFIXES.items():
        rest = unit.removeprefix(prefix)
        # A bare prefix (65.5k) counts, "m" and "n" alone are units; GiB is Gi and B, not G and iB.
        if rest != unit and (rest or prefix in "kKMGT") and not rest.startswith("i"):
            found.append((factor, rest))
    return found


def magnitudes(texts: Sequence[str]) -> list[float] | None:
    """The texts as numbers in one unit, where every one is a number with units that differ in prefix; else None."""
    quantities = [read_quantity(text) for text in texts]
    values: list[float] = []
    for quantity in quantities:
        if quantity is None or quantities[0] is None:
            return None
        value = convert(quantity.value, quantity.unit, quantities[0].unit)
        if value is None:
            return None
        values.append(value)
    return values


def is_monotonic(values: Sequence[float]) -> bool:
    """Strictly ascending or strictly descending."""
    pairs = list(pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)
