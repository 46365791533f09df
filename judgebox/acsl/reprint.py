"""A body printed anew from its tokens: normal spelling, annotations on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgebox.acsl.tokens import Kind, Token

_INDENT = 40  # columns kept of a line's own indentation


@dataclass(frozen=True, slots=True)
class Printed:
    """Lines, and for each the 1-based line of the original that it came from."""

    lines: tuple[str, ...]
    origins: tuple[int, ...]

    @property
    def text(self) -> str:
        """The lines with their line ends."""
        return "".join(line + "\n" for line in self.lines)


def reprint(tokens: Sequence[Token]) -> Printed:
    """Print tokens so that reading the result gives the same tokens.

    Lines begin where they did; ordinary comments and blank lines are gone.
    """
    page = _Page()
    for token in tokens:
        if token.kind is Kind.ANNOTATION:
            page.begin(token)
            page.put("/*@", glued=False)
            for inner in token.inner:
                page.add(inner)
            page.put(" */", glued=True)
            page.ended = True
        else:
            if token.kind is Kind.DIRECTIVE:
                page.begin(token)
            page.add(token)
            page.ended = token.kind is Kind.DIRECTIVE
    return Printed(tuple(page.lines), tuple(page.origins))


class _Page:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.origins: list[int] = []
        self.ended = True

    def begin(self, token: Token) -> None:
        """Start a line where `token` stood."""
        self.lines.append(" " * min(token.column - 1, _INDENT))
        self.origins.append(token.line)
        self.ended = False

    def add(self, token: Token) -> None:
        """Print a token, on a new line if it stood on one."""
        if self.ended or token.line > self.origins[-1]:
            self.begin(token)
            self.put(token.text, glued=True)
        else:
            self.put(token.text, glued=not token.spaced)

    def put(self, text: str, *, glued: bool) -> None:
        fresh = not self.lines[-1].strip()
        self.lines[-1] += text if glued or fresh else " " + text
