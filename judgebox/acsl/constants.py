"""Constant integer expressions, evaluated as C does on the judge's target (LP64).

Frama-C folds constants before RTE looks, so that `2147483647 + 1` gets no overflow row: what
leaves its type here is refused (C11 6.5p5, 6.5.7).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from judgebox.acsl.tokens import Token


class UndefinedError(Exception):
    """The constant expression has no defined value; the text says why."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value and its promoted type."""

    value: int
    bits: int = 32
    signed: bool = True

    @property
    def type(self) -> str:
        """The type's C name."""
        return ("" if self.signed else "unsigned ") + ("int" if self.bits == 32 else "long")

    def fits(self) -> bool:
        """Whether the type can hold the value."""
        low = -(1 << (self.bits - 1)) if self.signed else 0
        return low <= self.value < 1 << (self.bits - self.signed)

    def converted(self, bits: int, signed: bool) -> Constant:
        """The value in another type: modulo 2**bits, as gcc defines it for signed types too."""
        value = self.value % (1 << bits)
        if signed and value >= 1 << (bits - 1):
            value -= 1 << bits
        return Constant(value, max(bits, 32), signed or bits < 32)


_LONG = 2**63 - 1
STANDARD: dict[str, Constant | None] = {
    "CHAR_BIT": Constant(8),
    "SCHAR_MIN": Constant(-128),
    "SCHAR_MAX": Constant(127),
    "UCHAR_MAX": Constant(255),
    "CHAR_MIN": Constant(-128),
    "CHAR_MAX": Constant(127),
    "SHRT_MIN": Constant(-(2**15)),
    "SHRT_MAX": Constant(2**15 - 1),
    "USHRT_MAX": Constant(2**16 - 1),
    "INT_MIN": Constant(-(2**31)),
    "INT_MAX": Constant(2**31 - 1),
    "UINT_MAX": Constant(2**32 - 1, 32, False),
    **{f"{name}_MIN": Constant(-_LONG - 1, 64) for name in ("LONG", "LLONG", "INTMAX", "PTRDIFF")},
    **{f"{name}_MAX": Constant(_LONG, 64) for name in ("LONG", "LLONG", "INTMAX", "PTRDIFF")},
    **{f"{name}_MAX": Constant(2**64 - 1, 64, False) for name in ("ULONG", "ULLONG", "UINTMAX")},
    "SIZE_MAX": Constant(2**64 - 1, 64, False),
    **{f"INT{n}_MIN": Constant(-(2 ** (n - 1)), max(n, 32)) for n in (8, 16, 32, 64)},
    **{f"INT{n}_MAX": Constant(2 ** (n - 1) - 1, max(n, 32)) for n in (8, 16, 32, 64)},
    **{f"UINT{n}_MAX": Constant(2**n - 1, max(n, 32), n < 32) for n in (8, 16, 32, 64)},
    "true": Constant(1),
    "false": Constant(0),
    "NULL": None,
}
"""Macros of the standard headers that mean the same to Frama-C's headers and to gcc's."""

_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


def literal(token: Token) -> Constant | None:
    """The value of an integer or character constant (C11 6.4.4.1); None for a floating one."""
    text = token.text
    if text.startswith("'"):
        return Constant(_character(text[1:-1]))
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :].lower()
    try:
        value = int(digits, 8 if re.fullmatch("0[0-7]+", digits) else 0)
    except ValueError:
        return None
    for bits in (32, 64) if "l" not in suffix else (64,):
        if "u" not in suffix and Constant(value, bits).fits():
            return Constant(value, bits)
        if ("u" in suffix or digits.startswith("0")) and Constant(value, bits, False).fits():
            return Constant(value, bits, False)
    raise UndefinedError(f"`{text}` fits no integer type")


def _character(text: str) -> int:
    if not text.startswith("\\"):
        return ord(text)
    body = text[1:]
    if body[0] == "x":
        value = int(body[1:], 16)
    elif body[0].isdigit():
        value = int(body, 8)
    else:
        value = _ESCAPES.get(body, ord(body[0]))
    return value - 256 if value > 127 else value  # plain char is signed on the target


def unary(operator: str, operand: Constant) -> Constant:
    """The value of `+`, `-`, `~` or `!` on a constant."""
    value = operand.value
    if operator == "!":
        return Constant(int(not value))
    made = {"+": value, "-": -value, "~": ~value}[operator]
    return _checked(made, operand.bits, operand.signed)


def binary(operator: str, left: Constant, right: Constant) -> Constant:
    """The value of a binary operator on constants.

    Raises:
        UndefinedError: overflow, division by zero, or a shift by too much.
    """
    if operator in ("<<", ">>"):
        if not 0 <= right.value < left.bits:
            raise UndefinedError(f"a shift by {right.value} of a {left.bits}-bit value")
        if left.signed and left.value < 0:
            raise UndefinedError("a shift of a negative value")
        value = left.value << right.value if operator == "<<" else left.value >> right.value
        return _checked(value, left.bits, left.signed)
    if operator in ("&&", "||"):
        one, other = bool(left.value), bool(right.value)
        return Constant(int(one and other if operator == "&&" else one or other))
    bits = max(left.bits, right.bits)
    signed = all(side.signed or side.bits < bits for side in (left, right))
    a, b = left.converted(bits, signed).value, right.converted(bits, signed).value
    compared = _COMPARE.get(operator)
    if compared is not None:
        return Constant(int(compared(a, b)))
    if operator in ("/", "%"):
        if b == 0:
            raise UndefinedError("a division by zero")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        _checked(quotient, bits, signed)  # INT_MIN % -1 is undefined as its quotient is
        return _checked(quotient if operator == "/" else a - quotient * b, bits, signed)
    value = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[operator]
    return _checked(value, bits, signed)


_COMPARE = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
}


def _checked(value: int, bits: int, signed: bool) -> Constant:
    made = Constant(value, bits, signed)
    if signed and not made.fits():
        raise UndefinedError(f"the value {value} does not fit {made.type}")
    return made if made.fits() else made.converted(bits, signed)


_WIDTHS = {
    "char": 8,
    "short": 16,
    "int": 32,
    "signed": 32,
    "unsigned": 32,
    "long": 64,
    **{f"{sign}int{n}_t": n for n in (8, 16, 32, 64) for sign in ("", "u")},
    **dict.fromkeys(("size_t", "intmax_t", "uintmax_t", "ptrdiff_t"), 64),
}


def converted(constant: Constant, words: Sequence[str]) -> Constant | None:
    """A constant cast to the type that `words` name; None if that is no integer type known here."""
    if not set(words).isdisjoint({"_Bool", "bool"}):
        return Constant(int(bool(constant.value)))
    if not words or not all(word in _WIDTHS for word in words):
        return None
    bits = 64 if "long" in words else min(_WIDTHS[word] for word in words)
    unsigned = any(word.startswith(("u", "size")) for word in words)
    return constant.converted(bits, not unsigned)
