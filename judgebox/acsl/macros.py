"""The task's own macros, expanded before a body is read (C11 6.10.3, without `#` and `##`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from judgebox.acsl.refusal import refuse
from judgebox.acsl.tokens import Kind, LexError, Token, lex
from judgebox.acsl.units import CLOSING, OPENING
from judgebox.verdict import Reason

MAX_EXPANDED = 20_000
OF_TASK = -1
"""`start` of a token that comes out of a macro: the task's author answers for it."""


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro of the task; `parameters` is None unless it takes arguments."""

    text: str
    parameters: tuple[str, ...] | None = None


def expand(tokens: Sequence[Token], macros: Mapping[str, Macro]) -> list[Token]:
    """`tokens` with macros replaced; each new token stands where the macro's name stood."""
    made: list[Token] = []
    # A stack of (token, names that may not expand again), last first.
    todo: list[tuple[Token, frozenset[str]]] = [(t, frozenset()) for t in reversed(tokens)]
    while todo:
        token, used = todo.pop()
        macro = macros.get(token.text) if token.kind is Kind.NAME else None
        if macro is None or token.text in used:
            made.append(token)
        else:
            body = _replacement(macro)
            arguments = _arguments(macro, todo) if macro.parameters is not None else {}
            if body is None or arguments is None:
                made.append(token)
                continue
            inside = used | {token.text}
            for part in reversed(body):
                argument = arguments.get(part.text) if part.kind is Kind.NAME else None
                if argument is not None:
                    todo.extend(reversed(argument))
                else:
                    place = replace(
                        part, line=token.line, column=token.column, start=OF_TASK, spaced=True
                    )
                    todo.append((place, inside))
        if len(made) + len(todo) > MAX_EXPANDED:
            refuse(Reason.BODY_TOO_LARGE, "the task's macros expand to too much code", token)
    return made


def _replacement(macro: Macro) -> list[Token] | None:
    try:
        body = lex(" " + macro.text)
    except LexError:
        return None
    plain = all(
        token.text not in ("#", "##") and token.kind is not Kind.DIRECTIVE for token in body
    )
    return body if plain else None


def _arguments(
    macro: Macro, todo: list[tuple[Token, frozenset[str]]]
) -> dict[str, list[tuple[Token, frozenset[str]]]] | None:
    """Take the arguments off the stack; None if no call stands there, or not of that shape."""
    assert macro.parameters is not None
    if not todo or todo[-1][0].text != "(":
        return None
    parts: list[list[tuple[Token, frozenset[str]]]] = [[]]
    depth = 0
    for index in range(len(todo) - 1, -1, -1):
        text = todo[index][0].text
        depth += (text in OPENING) - (text in CLOSING)
        if depth == 0:
            break
        if depth == 1 and text == ",":
            parts.append([])
        elif index < len(todo) - 1:
            parts[-1].append(todo[index])
    else:
        return None
    if parts == [[]] and not macro.parameters:
        parts = []
    if len(parts) != len(macro.parameters):
        return None
    del todo[index:]
    return dict(zip(macro.parameters, parts, strict=True))
