"""The overflow that RTE does not ask about: `INT_MIN % -1` (C11 6.5.5p6).

The remainder is undefined where the quotient overflows, and traps on x86, but RTE asks only for a
divisor other than zero.  For `/` it does ask, so a body's `L % R` is judged as
`(L % R + 0 * (L / R))` and its `L %= R` as `L = L % (R) + 0 * (L / (R))`: the same value, and WP
drops the product before a prover sees it.  The copies are of the operands as given, for what
stands inside them is asked about where it stands; so operands may change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judgebox.acsl.macros import OF_TASK, Macro, expand
from judgebox.acsl.refusal import refuse
from judgebox.acsl.tokens import Kind, Token
from judgebox.acsl.units import CLOSING, OPENING
from judgebox.verdict import Reason

MAX_COPIED = 4_000
"""Tokens that the copies may hold: a chain of remainders copies its beginning each time."""


@dataclass(frozen=True, slots=True)
class Remainder:
    """`L % R` or `L %= R` in a row of tokens: `first` to `last` (exclusive)."""

    first: int
    operator: int
    last: int


def in_body(
    found: Sequence[Remainder],
    expanded: Sequence[Token],
    body: Sequence[Token],
    macros: Mapping[str, Macro],
) -> tuple[Remainder, ...]:
    """Where remainders of an `expanded` body stand in the body as given, each once.

    Whoever reads macro arguments twice finds their remainders twice.

    Raises:
        RefusedError: a macro brings `%` or cuts through an operand; too much to copy.
    """
    index = {(token.line, token.column): at for at, token in enumerate(body)}
    places: dict[int, Remainder] = {}
    copied = 0
    for remainder in found:
        operator = expanded[remainder.operator]
        at, first, end = (
            index[expanded[position].line, expanded[position].column]
            for position in (remainder.operator, remainder.first, remainder.last - 1)
        )
        if operator.start == OF_TASK:
            _refuse(f"the task's macro `{body[at].text}` takes a remainder", operator)
        last = _after(body, end, expanded[remainder.last - 1])
        copied += last - first
        if copied > MAX_COPIED:
            message = f"the operands of `{operator.text}` are too long: give them to locals first"
            refuse(Reason.BODY_TOO_LARGE, message, operator)
        whole = (
            first < at < last
            and expand(body[first:at], macros) == expanded[remainder.first : remainder.operator]
            and expand(body[at + 1 : last], macros)
            == expanded[remainder.operator + 1 : remainder.last]
        )
        place = Remainder(first, at, last)
        if not whole or places.setdefault(at, place) != place:
            _refuse(f"a macro cuts through an operand of `{operator.text}`", operator)
    return tuple(places.values())


def _refuse(what: str, at: Token) -> None:
    message = f"{what}, and the divisor is no constant: write it without the macro"
    refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)


def _after(body: Sequence[Token], end: int, token: Token) -> int:
    """The index after a token or, if it came out of one, after the use of a macro."""
    if token.start != OF_TASK or body[end + 1 : end + 2] != [Token(Kind.PUNCT, "(")]:
        return end + 1
    depth = 0
    for index in range(end + 1, len(body)):
        if body[index].kind is Kind.PUNCT:
            depth += (body[index].text in OPENING) - (body[index].text in CLOSING)
        if depth == 0:
            return index + 1
    return len(body)


def ask(tokens: Sequence[Token], remainders: Sequence[Remainder]) -> list[Token]:
    """`tokens` with each remainder's quotient beside it, so that RTE asks about its overflow.

    Every new token has the line and column of one that it stands for.
    """
    openings: dict[int, int] = {}
    inserted: dict[int, list[Token]] = {}
    replaced: dict[int, list[Token]] = {}
    # What is inside comes first: where both end at one token, the inner one ends before the outer.
    for remainder in sorted(remainders, key=lambda one: one.last - one.first):
        left = tokens[remainder.first : remainder.operator]
        right = tokens[remainder.operator + 1 : remainder.last]
        end = tokens[remainder.last - 1]
        tail = inserted.setdefault(remainder.last, [])
        if tokens[remainder.operator].text == "%":
            openings[remainder.first] = openings.get(remainder.first, 0) + 1
            tail += [*_made("+ 0 * (", end), *_copy(left), *_made("/", end)]
            tail += [*_copy(right, spaced=True), *_made("))", end)]
        else:
            at = tokens[remainder.operator]
            again = _copy(left, spaced=True)
            replaced[remainder.operator] = [*_made("=", at), *again, *_made("% (", at)]
            tail += [*_made(") + 0 * (", end), *_copy(left), *_made("/ (", end)]
            tail += [*_copy(right), *_made("))", end)]
    made: list[Token] = []
    for index, token in enumerate(tokens):
        made += inserted.get(index, ())
        count = openings.get(index, 0)
        made += [replace(token, kind=Kind.PUNCT, text="(", start=0, end=0)] * count
        made += replaced.get(index, (replace(token, spaced=False) if count else token,))
    return made + inserted.get(len(tokens), [])


def _copy(tokens: Sequence[Token], *, spaced: bool = False) -> list[Token]:
    """The same tokens, `spaced` where glued ones might read as another (`/` and `*`)."""
    return [replace(tokens[0], spaced=spaced), *tokens[1:]]


def _made(text: str, at: Token) -> list[Token]:
    """New tokens where `at` stands: `text` is brackets, operators and `0`."""
    return [
        replace(
            at,
            kind=Kind.NUMBER if mark == "0" else Kind.PUNCT,
            text=mark,
            start=0,
            end=0,
            spaced=mark != ")",
        )
        for mark in text
        if mark != " "
    ]
