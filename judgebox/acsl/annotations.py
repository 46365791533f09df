"""Which annotations a body may hold: assertions, loop annotations, and simple ghost code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from judgebox.acsl.clauses import clauses
from judgebox.acsl.refusal import refuse
from judgebox.acsl.tokens import Kind, Token, words
from judgebox.acsl.units import KEYWORDS
from judgebox.verdict import Reason

# Hypotheses and declarations.  None may open a clause; these words may not even stand in one.
_NEVER = words(
    "admit check assume axiomatic axiom lemma predicate logic inductive ensures requires"
    " terminates decreases exits behavior pragma"
)
_CHAR = re.compile(r"'(?:[^'\"\\*/\n]|\\[0abfnrtv\\])'")


def check_annotation(token: Token, *, allow_ghost: bool) -> str:
    """What the annotation is: `assert`, `loop` or `ghost`.

    Refuses every other one (ACSL manual, "Code annotations").
    """
    inner = token.inner
    if not inner:
        refuse(Reason.FORBIDDEN_ANNOTATION, "an empty annotation has no meaning", token)
    _words(inner)
    if inner[0].text == "ghost":
        if not allow_ghost:
            refuse(Reason.FORBIDDEN_ANNOTATION, "ghost code is not allowed here", inner[0])
        _ghost(inner)
        return "ghost"
    if inner[-1].text != ";":
        refuse(Reason.FORBIDDEN_ANNOTATION, "the annotation lacks its last `;`", inner[-1])
    kinds = [_clause(clause) for clause in clauses(inner)]
    if "assert" in kinds and len(kinds) > 1:
        message = "one `assert` per annotation comment: begin another `//@` for the next"
        refuse(Reason.FORBIDDEN_ANNOTATION, message, token)
    return kinds[0]


def _clause(clause: Sequence[Token]) -> str:
    """`assert` or `loop`: what one clause is."""
    rest = list(clause)
    if rest[0].text == "for":  # `for behaviour, behaviour: …`
        colon = next((i for i, token in enumerate(rest) if token.text == ":"), len(rest))
        names = rest[1:colon]
        if not names or any(
            (token.kind is Kind.NAME) == bool(i % 2) for i, token in enumerate(names)
        ):
            refuse(Reason.FORBIDDEN_ANNOTATION, "this `for` clause cannot be read", rest[0])
        rest = rest[colon + 1 :]
    opening = [token.text for token in rest[:2]]
    if opening[:1] == ["assert"]:
        return "assert"
    restricted = len(rest) < len(clause)
    allowed = ("invariant",) if restricted else ("invariant", "assigns", "variant")
    if opening[:1] != ["loop"] or opening[-1] not in allowed:
        shown = " ".join(opening) or clause[0].text
        refuse(
            Reason.FORBIDDEN_ANNOTATION,
            f"`{shown}` is not allowed: a body may hold only assert, loop invariant, loop assigns"
            " and loop variant",
            clause[0],
        )
    if opening[1] == "variant":
        measure = next((token for token in rest if token.text == "for"), None)
        if measure is not None:
            message = "a loop variant must be an integer that falls, not a relation (`for`)"
            refuse(Reason.FORBIDDEN_ANNOTATION, message, measure)
    return "loop"


def _words(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.kind is Kind.NAME:
            plain = token.text.lstrip("\\")
            if plain in _NEVER:
                message = f"`{token.text}` may not appear in an annotation of the body"
                refuse(Reason.FORBIDDEN_ANNOTATION, message, token)
            if plain.startswith("__") or (re.match(r"_[A-Z]", plain) and plain != "_Bool"):
                message = f"the reserved name `{token.text}` may not appear in an annotation"
                refuse(Reason.FORBIDDEN_ANNOTATION, message, token)
        elif token.kind is Kind.CHAR and _CHAR.fullmatch(token.text):
            continue
        elif token.kind in (Kind.STRING, Kind.CHAR, Kind.OTHER) or (
            token.kind is Kind.PUNCT and token.text in ("#", "<:", ":>", "<%", "%>", "%:")
        ):
            message = f"`{token.text}` may not appear in an annotation of the body"
            refuse(Reason.FORBIDDEN_ANNOTATION, message, token)


GHOST_TYPES = words("char short int long signed unsigned const size_t")
_GHOST_PUNCT = words("+ - * / % ( ) < > <= >= == != && || ! & | ^ ~ << >> ? : [ ] . ->")


def ghost_names(tokens: Sequence[Token]) -> set[str]:
    """The ghost variables that a body's annotations declare."""
    return {
        token.inner[at].text
        for token in tokens
        if token.inner and token.inner[0].text == "ghost"
        for at in [_ghost_name(token.inner)]
        if at > 1
    }


def _ghost_name(inner: Sequence[Token]) -> int:
    at = 1
    while at < len(inner) and inner[at].text in GHOST_TYPES:
        at += 1
    return at


def _ghost(inner: Sequence[Token]) -> None:
    """`ghost TYPE NAME = e;`, `ghost NAME = e;`, `ghost NAME++;` and the like, without calls."""
    at = _ghost_name(inner)
    texts = [token.text for token in inner]
    good = at < len(inner) and inner[at].kind is Kind.NAME and inner[at].text not in KEYWORDS
    operator, rest = texts[at + 1 : at + 2], inner[at + 2 :]
    if operator in (["++"], ["--"]):
        good = good and at == 1 and texts[at + 2 :] == [";"]
    else:
        good = good and operator in (["="], ["+="], ["-="]) and (operator == ["="] or at == 1)
        good = good and len(rest) > 1 and texts[-1] == ";"
        for token, after in pairwise(rest):
            if token.kind is Kind.NAME:
                good = good and token.text not in KEYWORDS and after.text != "("
                good = good and not token.text.startswith("\\")
            elif token.kind is Kind.PUNCT:
                good = good and token.text in _GHOST_PUNCT
                good = good and not (token.text == ")" and after.text == "(")
    if not good:
        message = "ghost code may only declare one variable with a value or assign to one"
        refuse(Reason.FORBIDDEN_ANNOTATION, message, inner[0])
