"""The rules of a body: what C and which annotations a candidate may write (DESIGN, "Integrity").

Token rules stand here; `judgebox.acsl.statements` reads statements and expressions for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from judgebox.acsl.annotations import GHOST_TYPES, check_annotation, ghost_names
from judgebox.acsl.context import TaskText
from judgebox.acsl.macros import expand
from judgebox.acsl.refusal import refuse
from judgebox.acsl.remainders import Remainder, in_body
from judgebox.acsl.scope import Scope
from judgebox.acsl.statements import Body
from judgebox.acsl.tokens import Kind, Token
from judgebox.acsl.units import CLOSING, OPENING
from judgebox.verdict import Reason

MAX_TOKENS = 4_000
MAX_ANNOTATIONS = 64
MAX_DEPTH = 24
"""Nested brackets: WP enumerates paths, and its time grows exponentially with them."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What one task lets a body do beyond the fixed rules."""

    task: TaskText
    calls: frozenset[str]
    ghost: bool = False
    goto: bool = False


_WHY = {
    "asm": "inline assembly is outside the memory model",
    "goto": "goto is not allowed; use a loop",
    "union": "the memory model does not see type punning",
    "enum": "an enumeration may not be used in the body",
    "volatile": "volatile objects cannot be proved about",
    "register": "storage classes are not allowed in the body",
    "static": "storage classes are not allowed in the body",
    "extern": "nothing may be declared at file scope from the body",
    "auto": "storage classes are not allowed in the body",
    "inline": "no function may be declared in the body",
    "typedef": "no type may be defined in the body",
    "typeof": "compiler extensions are not allowed",
    "restrict": "restrict is a promise that the proof does not check",
}
_INTEGER = re.compile(
    r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)"
    r"(?:[uU](?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU]?)?"
)
_FLOAT = re.compile(r"(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+\-]?[0-9]+)?[fFlL]?")
_ESCAPE = r"\\(?:[abfnrtv\\'\"?]|[0-3]?[0-7]{1,2}|x[0-9a-fA-F]{1,2}(?![0-9a-fA-F]))"
_CHARACTER = re.compile(rf"'(?:[ -&(-\[\]-~]|{_ESCAPE})'")
_STRING = re.compile(rf'"(?:[ !#-\[\]-~]|{_ESCAPE})*"')


def check_tokens(tokens: Sequence[Token], rules: Rules) -> None:
    """The rules that single tokens decide, and the size limits."""
    _sizes(tokens)
    floats = bool(rules.task.names.vocabulary & {"float", "double"})
    for token in tokens:
        if token.kind is Kind.ANNOTATION:
            check_annotation(token, allow_ghost=rules.ghost)  # wherever it stands
        elif token.kind is Kind.DIRECTIVE or token.text in ("#", "##"):
            message = "preprocessing directives are not allowed in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        elif token.kind is Kind.NAME:
            _name(token, rules, floats)
        elif token.kind in (Kind.CHAR, Kind.STRING):
            if not (_CHARACTER if token.kind is Kind.CHAR else _STRING).fullmatch(token.text):
                message = f"`{token.text}`: only plain characters and plain escapes are allowed"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        elif token.kind is Kind.NUMBER:
            if _INTEGER.fullmatch(token.text):
                continue
            if not (floats and _FLOAT.fullmatch(token.text)):
                message = f"`{token.text}` is not an integer constant"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        elif token.kind is Kind.OTHER or token.text == "...":
            message = f"`{token.text}` has no place in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)


def _name(token: Token, rules: Rules, floats: bool) -> None:
    text = token.text
    if text in _WHY and not (text == "goto" and rules.goto):
        refuse(Reason.FORBIDDEN_CONSTRUCT, f"`{text}`: {_WHY[text]}", token)
    if (text.startswith("__") or re.match(r"_[A-Z]", text)) and text != "_Bool":
        message = f"the reserved name `{text}` is not allowed in the body"
        refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
    if text in ("float", "double") and not floats:
        message = f"`{text}`: the task uses no floating-point types"
        refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)


def _sizes(tokens: Sequence[Token]) -> None:
    annotations = [token for token in tokens if token.kind is Kind.ANNOTATION]
    if len(annotations) > MAX_ANNOTATIONS:
        message = f"{len(annotations)} annotations; at most {MAX_ANNOTATIONS} are allowed"
        refuse(Reason.BODY_TOO_LARGE, message, annotations[MAX_ANNOTATIONS])
    total = len(tokens) + sum(len(token.inner) for token in annotations)
    if total > MAX_TOKENS:
        message = f"{total} tokens in the body; at most {MAX_TOKENS} are allowed"
        refuse(Reason.BODY_TOO_LARGE, message, tokens[0])
    for row in (tokens, *(token.inner for token in annotations)):
        depth = 0
        for token in row:
            if token.kind is Kind.PUNCT:
                depth += (token.text in OPENING) - (token.text in CLOSING)
                if depth > MAX_DEPTH:
                    message = f"brackets nest more than {MAX_DEPTH} deep"
                    refuse(Reason.BODY_TOO_LARGE, message, token)


def _ghost_targets(tokens: Sequence[Token], rules: Rules) -> None:
    """Ghost code may change ghost variables only: those of the body, or words of the task."""
    own = ghost_names(tokens)
    task = rules.task
    real = {parameter.name for parameter in task.parameters} | task.names.globals
    for token in tokens:
        if token.inner and token.inner[0].text == "ghost" and len(token.inner) > 1:
            name = token.inner[1]
            declares = name.text in GHOST_TYPES
            if not declares and (name.text not in own | task.names.vocabulary or name.text in real):
                message = f"ghost code may not change `{name.text}`: it is no ghost variable"
                refuse(Reason.FORBIDDEN_ANNOTATION, message, name)


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """What reading a body that keeps the rules has shown."""

    initialised: bool
    """No local is read before it is definitely assigned (`judgebox.acsl.assignment`)."""
    remainders: tuple[Remainder, ...]
    """The remainders whose quotient may overflow."""


def check_body(tokens: Sequence[Token], rules: Rules) -> BodyFacts:
    """Hold a body against all rules.

    Raises:
        RefusedError: a rule is broken.
    """
    check_tokens(tokens, rules)
    _ghost_targets(tokens, rules)
    macros = rules.task.names.macros
    expanded = expand(tokens, macros)
    scope = Scope(rules.task, rules.calls, expanded)
    body = Body(expanded, scope, ghost=rules.ghost, goto=rules.goto)
    body.read()
    return BodyFacts(body.initialised, in_body(body.remainders, expanded, tokens, macros))
