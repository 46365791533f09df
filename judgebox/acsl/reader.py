"""A row of tokens that is read from left to right, with the refusals that reading may end in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from judgebox.acsl.refusal import refuse
from judgebox.acsl.scope import Scope
from judgebox.acsl.tokens import Kind, Token
from judgebox.verdict import Reason

MAX_NESTING = 100
"""Operators and statements inside one another; far above what brackets allow."""

END = Token(Kind.OTHER, "the end of the body")


class Reader:
    """`position` is the next token; past the last one stands `END`."""

    def __init__(self, tokens: Sequence[Token], scope: Scope) -> None:
        self.tokens = tokens
        self.scope = scope
        self.position = 0
        self._depth = 0

    @property
    def token(self) -> Token:
        """The next token."""
        return self.tokens[self.position] if self.position < len(self.tokens) else self._end()

    @property
    def following(self) -> Token:
        """The token after the next."""
        index = self.position + 1
        return self.tokens[index] if index < len(self.tokens) else self._end()

    def _end(self) -> Token:
        last = self.tokens[-1] if self.tokens else END
        return Token(Kind.OTHER, END.text, (), last.line, last.column)

    def ahead(self, offset: int = 1) -> str:
        """The text of a token further on."""
        index = self.position + offset
        return self.tokens[index].text if index < len(self.tokens) else END.text

    def take(self) -> Token:
        """The next token, and go past it."""
        token = self.token
        self.position += 1
        return token

    def accept(self, text: str) -> bool:
        """Go past the next token if it is `text`."""
        found = self.token.text == text and self.token.kind in (Kind.PUNCT, Kind.NAME)
        self.position += found
        return found

    def expect(self, text: str, where: str) -> Token:
        """Go past `text`, which must stand here."""
        if self.token.text != text:
            self.unreadable(f"`{text}` is missing {where}")
        return self.take()

    def struct_tag(self) -> None:
        """Go past the tag after `struct`; a definition is refused."""
        tag = self.take()
        if tag.text not in self.scope.task.names.tags or self.token.text == "{":
            message = "only structs of the task may be named, and none defined, in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, tag)

    def no_array_type(self, words: Sequence[str], at: Token) -> None:
        """Refuse a typedef name that hides an array: its declarations do not show what they are."""
        hidden = self.scope.task.names.arrays.keys() & set(words)
        if hidden:
            message = f"the array type `{min(hidden)}` may not be used in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)

    def unreadable(self, message: str) -> NoReturn:
        """Refuse what no reading of C fits, at the next token."""
        if self.token.kind is Kind.ANNOTATION:
            message = "an annotation stands in the middle of a statement"
            refuse(Reason.FORBIDDEN_ANNOTATION, message, self.token)
        refuse(Reason.COMPILE_ERROR, f"{message}: found `{self.token.text}`", self.token)

    def deeper(self) -> None:
        """Count one more level of nesting."""
        self._depth += 1
        if self._depth > MAX_NESTING:
            refuse(Reason.BODY_TOO_LARGE, f"nesting deeper than {MAX_NESTING}", self.token)

    def shallower(self) -> None:
        """One level less."""
        self._depth -= 1
