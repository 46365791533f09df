"""C tokens after translation phases 1 to 3 (C11, 5.1.1.2), with ACSL annotations kept.

Trigraphs and line splices are undone first, so that none of them can hide a token; each token
remembers where it stood in the text as given.  A comment that begins with `@` is an annotation
(ACSL manual, "Lexical rules") with tokens of its own; other comments are white space.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from judgebox.verdict import Reason


class Kind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMBER = "number"
    CHAR = "char"
    STRING = "string"
    PUNCT = "punct"
    DIRECTIVE = "directive"
    ANNOTATION = "annotation"
    COMMENT = "comment"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Token:
    """One token.  Two tokens are equal when they mean the same, wherever they stand."""

    kind: Kind
    text: str
    """Normal spelling: no splice, trigraph or digraph; of a directive its whole line."""
    inner: tuple[Token, ...] = ()
    """The tokens of an annotation."""
    line: int = field(default=0, compare=False)
    """1-based, in the text as given."""
    column: int = field(default=0, compare=False)
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)
    spaced: bool = field(default=False, compare=False)
    """White space, a comment or the beginning of the text stands before it."""


def words(text: str) -> frozenset[str]:
    """The words of `text` as a set: how this package spells its word lists."""
    return frozenset(text.split())


class LexError(Exception):
    """The text has no tokens: something is never closed, or a character has no place in C."""

    def __init__(self, reason: Reason, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.line = line
        self.column = column


def lex(source: str, *, comments: bool = False) -> list[Token]:
    """Tokens of `source` in order; with `comments`, ordinary comments too.

    Raises:
        LexError: unterminated comment, string or character constant; NUL or lone surrogate.
    """
    text = _Text(source)
    found = list(_tokens(text))
    return found if comments else [token for token in found if token.kind is not Kind.COMMENT]


_TRIGRAPHS = dict(zip("=/'()!<>-", "#\\^[]|{}~", strict=True))
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}
_TRIGRAPH = re.compile(r"\?\?([=/'()!<>\-])")
# A backslash, blanks and a line end: gcc splices there too, blanks or not.
_PHASES = re.compile(r"(?:\\|\?\?/)[ \t\f\v]*(?:\r\n?|\n)|\?\?[=/'()!<>\-]|\r\n?")
_BAD = re.compile("[\x00\ud800-\udfff]")

_COMMON = r"""
    (?P<space>[ \t\f\v]+) | (?P<newline>\n)
  | (?P<line>//[^\n]*)
  | (?P<string>(?:u8|[uUL])?"(?:[^"\\\n]|\\[^\n])*+")
  | (?P<char>[uUL]?'(?:[^'\\\n]|\\[^\n])++')
"""
_C = re.compile(
    _COMMON
    + r"""
  | (?P<block>/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/) | (?P<open>/\*|["'])
  | (?P<number>\.?[0-9](?:[eEpP][+\-]|[A-Za-z0-9_.])*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<punct>%:%:|\.\.\.|<<=|>>=|<:|:>|<%|%>|%:|\#\#|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\|
      |[*/%+\-&^|]=|[\[\](){}.&*+\-~!/%<>^|?:;=,\#])
  | (?P<other>.)
""",
    re.VERBOSE,
)
# In annotations `0..n` is three tokens, and words may begin with a backslash.
_ACSL = re.compile(
    _COMMON
    + r"""
  | (?P<nested>/\*|\*/|["'])
  | (?P<number>\.?[0-9](?:[eEpP][+\-]|[A-Za-z0-9_]|\.(?!\.))*)
  | (?P<name>\\?[A-Za-z_][A-Za-z0-9_]*)
  | (?P<punct><==>|<-->|==>|-->|\.\.\.|\.\.|::|<<|>>|<=|>=|==|!=|&&|\|\||\^\^|->|\+\+|--|\+=|-=
      |\*=|<:|:>|<%|%>|%:|[\[\](){}.&*+\-~!/%<>^|?:;=,\#]|[∀∃≤≥≢≡¬∧∨⊻⇒⇔ℤℝ𝔹∈∅π])
  | (?P<other>.)
""",
    re.VERBOSE,
)
_KINDS = {kind.value: kind for kind in (Kind.NAME, Kind.NUMBER, Kind.CHAR, Kind.STRING)}


class _Text:
    """A text after phases 1 and 2, and where each of its characters came from."""

    def __init__(self, source: str) -> None:
        self._lines = [0, *(match.end() for match in re.finditer(r"\r\n?|\n", source))]
        bad = _BAD.search(source)
        if bad is not None:
            what = "a NUL character" if bad[0] == "\0" else "a lone surrogate"
            line, column = self._spot(bad.start())
            raise LexError(Reason.BAD_CHARACTER, f"the code holds {what}", line, column)
        parts: list[str] = []
        self._cuts = [0]
        self._shifts = [0]
        length = last = 0
        for match in _PHASES.finditer(source):
            found = match[0]
            trigraph = _TRIGRAPH.fullmatch(found)
            new = "\n" if found[0] == "\r" else _TRIGRAPHS[trigraph[1]] if trigraph else ""
            parts += source[last : match.start()], new
            length += match.start() - last + len(new)
            last = match.end()
            self._cuts.append(length)
            self._shifts.append(last - length)
        parts.append(source[last:])
        self.text = "".join(parts)

    def origin(self, position: int) -> int:
        """Offset in the source of the character at `position`."""
        return position + self._shifts[bisect_right(self._cuts, position) - 1]

    def place(self, position: int) -> tuple[int, int]:
        """1-based line and column in the source."""
        return self._spot(self.origin(position))

    def _spot(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def make(
        self, kind: Kind, text: str, start: int, end: int, spaced: bool, inner: list[Token]
    ) -> Token:
        line, column = self.place(start)
        origin = self.origin(start), self.origin(end - 1) + 1
        return Token(kind, text, tuple(inner), line, column, *origin, spaced)

    def error(self, message: str, position: int, reason: Reason = Reason.UNTERMINATED) -> LexError:
        return LexError(reason, message, *self.place(position))


def _tokens(text: _Text) -> Iterator[Token]:
    position, spaced, fresh = 0, True, True  # fresh: nothing but white space on this line yet
    while position < len(text.text):
        match = _C.match(text.text, position)
        assert match is not None  # `.` and the newline leave nothing out
        group, found, start = match.lastgroup or "other", match[0], position
        position = match.end()
        if group in ("space", "newline"):
            fresh = fresh or group == "newline"
            spaced = True
        elif group in ("line", "block"):
            if found[2:3] == "@":
                stop = position - (2 if group == "block" else 0)
                inner = _inner(text, start + 3, stop)
                yield text.make(Kind.ANNOTATION, "@", start, position, spaced, inner)
            else:
                yield text.make(Kind.COMMENT, found, start, position, spaced, [])
            spaced = True
        elif group == "open":
            what = {"/*": "comment", '"': "string", "'": "character constant"}[found]
            raise text.error(f"a {what} is never closed", start)
        elif group == "punct" and fresh and found in ("#", "%:"):
            position, line = _directive(text, position)
            yield text.make(Kind.DIRECTIVE, line, start, position, spaced, [])
            spaced = True
        else:
            kind = _KINDS.get(group, Kind.PUNCT if group == "punct" else Kind.OTHER)
            spelled = _DIGRAPHS.get(found, found) if group == "punct" else found
            yield text.make(kind, spelled, start, position, spaced, [])
            spaced = fresh = False


def _inner(text: _Text, position: int, stop: int) -> list[Token]:
    """Tokens of an annotation.  `@` is white space where a line begins and at the end."""
    found: list[Token] = []
    spaced = fresh = True
    while stop > position and text.text[stop - 1] == "@":
        stop -= 1
    while position < stop:
        match = _ACSL.match(text.text, position, stop)
        assert match is not None
        group, start = match.lastgroup or "other", position
        position = match.end()
        if group in ("space", "newline", "line"):
            spaced, fresh = True, fresh or group == "newline"
        elif group == "other" and match[0] == "@" and fresh:
            spaced = True
        elif group == "nested":
            message = f"`{match[0]}` has no place in an annotation"
            raise text.error(message, start, Reason.FORBIDDEN_ANNOTATION)
        else:
            kind = _KINDS.get(group, Kind.PUNCT if group == "punct" else Kind.OTHER)
            found.append(text.make(kind, match[0], start, position, spaced, []))
            spaced = fresh = False
    return found


def _directive(text: _Text, position: int) -> tuple[int, str]:
    """The end of a directive that begins before `position`, and its text in normal spelling."""
    words = ["#"]
    blank = False
    while position < len(text.text) and text.text[position] != "\n":
        match = _C.match(text.text, position)
        assert match is not None
        if match.lastgroup == "open" and match[0] == "/*":
            raise text.error("a comment is never closed", position)
        position = match.end()
        if match.lastgroup in ("space", "line", "block"):
            blank = len(words) > 1
            continue
        words.append(" " + match[0] if blank else match[0])
        blank = False
    return position, "".join(words)
