"""A C file as a row of top-level units: directives, annotations, functions, declarations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgebox.acsl.tokens import Kind, LexError, Token, words
from judgebox.verdict import Reason

KEYWORDS = words(
    "auto break case char const continue default do double else enum extern float for goto if"
    " inline int long register restrict return short signed sizeof static struct switch typedef"
    " union unsigned void volatile while asm typeof"
)
"""C11's keywords without those that begin with an underscore, and two of gcc's."""

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = {closing: opening for opening, closing in OPENING.items()}


@dataclass(frozen=True, slots=True)
class Unit:
    """One top-level unit: tokens `first` to `last` (exclusive)."""

    kind: str
    """`directive`, `annotation`, `function` (defined), `prototype` or `declaration`."""
    first: int
    last: int
    name: str | None = None
    """A function's name."""
    opening: int = -1
    """Where a function's body begins: the index of its `{`."""


def partners(tokens: Sequence[Token]) -> dict[int, int]:
    """Index of the other bracket for each bracket.

    Raises:
        LexError: a bracket has no partner.
    """
    found: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind is not Kind.PUNCT:
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in CLOSING:
            if not stack or tokens[stack[-1]].text != CLOSING[token.text]:
                raise _unpaired(token, "closes nothing")
            found[index] = stack.pop()
            found[found[index]] = index
    if stack:
        raise _unpaired(tokens[stack[-1]], "is never closed")
    return found


def _unpaired(token: Token, what: str) -> LexError:
    message = f"the bracket `{token.text}` {what}"
    return LexError(Reason.UNTERMINATED, message, token.line, token.column)


def units(tokens: Sequence[Token], pairs: dict[int, int]) -> list[Unit]:
    """The units of a file.  A statement reads as a `declaration` or a nameless `function`."""
    found: list[Unit] = []
    index = first = 0
    while index < len(tokens):
        token = tokens[index]
        if first == index and token.kind in (Kind.DIRECTIVE, Kind.ANNOTATION):
            found.append(Unit(token.kind.value, index, index + 1))
            first = index + 1
        elif token.kind is not Kind.PUNCT:
            pass
        elif token.text == ";":
            found.append(_declaration(tokens, pairs, first, index + 1))
            first = index + 1
        elif token.text == "{" and index > first and tokens[index - 1].text == ")":
            name = _declared_function(tokens, pairs, first, index)
            index = pairs[index]
            found.append(Unit("function", first, index + 1, name, pairs[index]))
            first = index + 1
        elif token.text in OPENING:
            index = pairs[index]
        index += 1
    if first < len(tokens):
        found.append(Unit("declaration", first, len(tokens)))
    return found


def _declaration(tokens: Sequence[Token], pairs: dict[int, int], first: int, last: int) -> Unit:
    name = _declared_function(tokens, pairs, first, last)
    return Unit("prototype" if name else "declaration", first, last, name)


def _declared_function(
    tokens: Sequence[Token], pairs: dict[int, int], first: int, last: int
) -> str | None:
    """The NAME of `type NAME (…)`, if that is what the unit declares."""
    index = first
    while index < last:
        token = tokens[index]
        if token.kind is Kind.PUNCT and token.text == "(":
            before = tokens[index - 1] if index > first else None
            if before is None or before.kind is not Kind.NAME or index - first < 2:
                return None
            if before.text.startswith("__attribute"):
                index = pairs[index] + 1
                continue
            begins = tokens[first].text
            if before.text in KEYWORDS or begins in ("typedef", "return", "else", "case", "goto"):
                return None
            return before.text
        if token.kind is Kind.PUNCT and token.text not in ("*", "{", "["):
            return None
        if token.text in OPENING and token.kind is Kind.PUNCT:
            index = pairs[index]
        index += 1
    return None
