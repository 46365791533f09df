"""Code out of a model's reply.  One rule, for every language.

1. Reasoning is dropped: everything up to the last `</think>` that stands outside a fence.
2. Fenced blocks are read line by line as CommonMark 0.31 has them (section 4.5).  Of those tagged
   with the task's language the last one with an entry point counts, else the last; without any,
   the same among untagged blocks.
3. Else the same among `<code>` elements; they are found as text, nothing is parsed as XML.
4. Else the whole reply, if its first line that is not blank looks like code.

What was chosen is recorded.  Every step takes time linear in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgebox.verdict import Reason

MAX_REPLY = 512 * 1024
"""Characters (bytes, if it comes as bytes) of a reply that are looked at."""

Entry = str | Callable[[str], bool] | None
"""What makes a block the answer: a function it defines, or a test of its text."""


@dataclass(frozen=True, slots=True)
class Language:
    """How a language shows in a reply."""

    name: str
    aliases: frozenset[str]
    """First words of an info string, lower case."""
    entry: re.Pattern[str]
    """Found in code that has an entry point."""
    first_line: re.Pattern[str]
    """Matches the beginning of a first line of code."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The code of a reply, and where it came from."""

    code: str
    """Lines end in `\\n`; exactly one at the end."""
    source: Literal["fence", "code_element", "raw"]
    tag: str | None
    """The info string's first word as written; None if there is none."""
    index: int
    """0-based, among the reply's fences (or `<code>` elements) after its reasoning."""
    unclosed: bool
    """The fence or element is never closed: the reply was probably cut off."""
    line: int
    """1-based line of the reply on which the code begins."""


@dataclass(frozen=True, slots=True)
class NoCode:
    """A reply without code that can be judged."""

    reason: Reason
    message: str
    """One line that a model can act on."""


C = Language(
    "C",
    frozenset({"c", "h", "c89", "c90", "c99", "c11", "c17", "c23", "ansic", "acsl"}),
    re.compile(r"\bmain\s*\("),
    re.compile(
        r"#\s*[a-z]|/\*|//|[{}]|(?:if|for|while|switch)\s*\(|(?:return|do)\b.*[;{]"
        r"|(?:static|extern|inline|const|struct|union|enum|typedef|unsigned|signed|void|char|short"
        r"|int|long|float|double|_Bool|bool|size_t|u?int\d+_t)\b[\w\s*]*(?:[(=;,\[{)]|$)"
        r"|[A-Za-z_*][\w.\[\]>*-]*\s*(?:[-+*/%&|^]?=|\+\+|--|\().*[;{]\s*$"
        r"|[A-Za-z_]\w*\s+\**[A-Za-z_]\w*\s*\([^)]*\)?\s*[{;]?\s*$"
    ),
)
CPP = Language(
    "C++",
    frozenset({"cpp", "c++", "cc", "cxx", "hpp", "h++", "hxx"})
    | {f"{name}{year}" for name in ("c++", "cpp") for year in ("98", "03", 11, 14, 17, 20, 23, 26)},
    C.entry,
    re.compile(
        C.first_line.pattern + r"|(?:using|namespace|template|class|auto|constexpr|std::)\b"
    ),
)


def extract(reply: object, language: Language, entry: Entry = None) -> Extraction | NoCode:
    """The code in `reply`: a string, bytes in UTF-8, or a list of message parts.

    `entry` is the name of the function that the code should define, or a test; None means the
    language's own entry point.  Never raises on any reply.
    """
    text = _text(reply)
    if isinstance(text, NoCode):
        return text
    if not text.strip():
        return NoCode(Reason.EMPTY_REPLY, "the reply is empty")
    start = _after_reasoning(text)
    answer = text[start:]
    line = text.count("\n", 0, start)
    blocks, outside, thinking = _fences(answer)
    if thinking:
        return NoCode(
            Reason.UNCLOSED_THINK, "`<think>` is never closed: give the code after `</think>`"
        )
    test = _entry_test(language, entry)
    diff = any(block.language in ("diff", "patch") for block in blocks)
    chosen = (
        _choose([block for block in blocks if block.language in language.aliases], test)
        or _choose([block for block in blocks if block.tag is None], test)
        or _choose(list(_code_elements(outside)), test)
        or (None if blocks else _raw(answer, language))
    )
    if chosen is None and not diff:
        there = sorted({block.tag for block in blocks if block.tag})
        found = f"found only {', '.join(f'`{tag[:20]}`' for tag in there[:4])}" if there else "none"
        if start:
            found += " after the reasoning"
        wanted = f"put the code in one ```{language.name.lower()} block"
        return NoCode(Reason.NO_CODE_BLOCK, f"no {language.name} code block, {found}: {wanted}")
    if chosen is None or _DIFF.search(chosen.code):
        return NoCode(Reason.DIFF_REPLY, "the reply is a diff: give the whole code instead")
    if not chosen.code.strip():
        return NoCode(Reason.EMPTY_REPLY, "the code block is empty")
    return Extraction(
        chosen.code.rstrip("\n") + "\n",
        chosen.source,
        chosen.tag,
        chosen.index,
        chosen.unclosed,
        line + chosen.line,
    )


def defines(name: str) -> Callable[[str], bool]:
    """A test for code that defines a C function of that name (near enough to pick a block)."""
    called = re.compile(rf"\b{re.escape(name)}\s*\(")
    stop = re.compile(r"[;{}]")

    def test(code: str) -> bool:
        end = closing = -1
        for match in called.finditer(code):
            if match.end() > end:  # each stretch up to a stop is looked at once
                found = stop.search(code, match.end())
                if found is None:
                    return False
                end = found.start()
                closing = code.rfind(")", match.end(), end)
            if code[end] == "{" and closing >= match.end():
                return True
        return False

    return test


@dataclass(frozen=True, slots=True)
class _Block:
    source: Literal["fence", "code_element", "raw"]
    code: str
    tag: str | None
    index: int
    line: int
    unclosed: bool = False

    @property
    def language(self) -> str:
        """The tag in lower case."""
        return (self.tag or "").lower()


_BAD = re.compile("[\x00\ud800-\udfff]")
_DIFF = re.compile(r"^(?:@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|diff --git |--- \S.*\n\+\+\+ \S)", re.M)
_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$")
_LIST_MARK = re.compile(r"( {0,3}(?:[-+*]|\d{1,9}[.)]) {1,4})(?=\S)")
_TAG = re.compile(r"\{?\s*\.?([^\s{},:=]+)")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*+\n)*+")
_LOOKED_AT = 200  # characters of a first line
_CODE_TAG = re.compile(r"<code(?:\s[^<>\n]{0,200})?>", re.IGNORECASE)


def _text(reply: object) -> str | NoCode:
    """The reply as one string with `\\n` line ends and no byte order mark."""
    pieces: list[str | bytes] = []
    if isinstance(reply, str | bytes):
        pieces = [reply]
    elif isinstance(reply, Sequence):
        pieces = [piece for part in reply for piece in _piece(part)]
    if sum(map(len, pieces)) > MAX_REPLY:
        return NoCode(Reason.REPLY_TOO_LARGE, f"the reply is longer than {MAX_REPLY} characters")
    try:
        text = "".join(
            piece.decode() if isinstance(piece, bytes) else piece for piece in pieces
        ).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return NoCode(Reason.BAD_CHARACTER, "the reply is not valid UTF-8")
    bad = _BAD.search(text)
    if bad is not None:
        what = "a NUL character" if bad[0] == "\0" else "a lone surrogate"
        return NoCode(Reason.BAD_CHARACTER, f"the reply holds {what}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _piece(part: Any) -> Iterator[str | bytes]:
    """The text of one message part: a string, or `{"type": "text", "text": …}` in any clothes."""
    found = part.get("text") if isinstance(part, Mapping) else getattr(part, "text", part)
    if isinstance(found, str | bytes):
        yield found


def _after_reasoning(text: str) -> int:
    """Where the answer begins: after the last `</think>` outside a fence."""
    start = position = 0
    fence = _Fences()
    for line in text.split("\n"):
        if not fence.feed(line) and not fence.open:
            found = line.rfind("</think>")
            if found >= 0:
                start = position + found + len("</think>")
        position += len(line) + 1
    return start


class _Fences:
    """Follows fences line by line; a fence may stand in a list item."""

    def __init__(self) -> None:
        self.open = ""
        """The opening fence's characters, or nothing."""
        self.indent = 0
        self.info = ""
        self._items: list[int] = []  # columns at which the contents of open list items begin

    def feed(self, line: str) -> bool:
        """Whether the line opens or closes a fence."""
        if self.open:
            inside = len(line) - len(line.lstrip(" "))
            mark = line[inside:].rstrip(" \t")
            closes = (
                inside <= self.indent + 3
                and len(mark) >= len(self.open)
                and mark == self.open[0] * len(mark)
            )
            self.open = "" if closes else self.open
            return closes
        column = self._container(line)
        match = _FENCE.match(line[column:])
        if match is None:
            return False
        self.open, self.info = match[2], match[3]
        self.indent = column + len(match[1])
        return True

    def _container(self, line: str) -> int:
        """The column at which the contents of the innermost list item begin."""
        if line.strip():
            inside = len(line) - len(line.lstrip(" "))
            while self._items and self._items[-1] > inside:
                self._items.pop()
        column = self._items[-1] if self._items else 0
        while len(self._items) < 16 and (mark := _LIST_MARK.match(line, column)):
            column = mark.end()
            self._items.append(column)
        return column


def _fences(text: str) -> tuple[list[_Block], str, bool]:
    """The fenced blocks, the text outside them, and whether a line there begins with `<think>`."""
    blocks: list[_Block] = []
    outside: list[str] = []
    thinking = False
    fence = _Fences()
    lines: list[str] = []
    tag: str | None = None
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        was_open = bool(fence.open)
        changed = fence.feed(line)
        outside.append("" if changed or was_open else line)
        if changed and was_open:
            blocks.append(_Block("fence", "\n".join(lines), tag, len(blocks), first))
        elif changed:
            word = _TAG.match(fence.info)
            lines, tag, first = [], word[1] if word else None, number + 1
        elif was_open:
            blank = len(line) - len(line.lstrip(" "))
            lines.append(line[min(blank, fence.indent) :])
        elif line.lstrip().startswith("<think>"):
            thinking = True
    if fence.open:
        blocks.append(_Block("fence", "\n".join(lines), tag, len(blocks), first, unclosed=True))
    return blocks, "\n".join(outside), thinking


def _code_elements(text: str) -> Iterator[_Block]:
    position = index = line = counted = 0
    while (match := _CODE_TAG.search(text, position)) is not None:
        end = text.find("</code>", match.end())
        stop = len(text) if end < 0 else end
        begin = match.end() + (text[match.end() : match.end() + 1] == "\n")
        line += text.count("\n", counted, begin)
        counted = begin
        yield _Block("code_element", text[begin:stop], None, index, line + 1, unclosed=end < 0)
        position, index = stop, index + 1


def _raw(text: str, language: Language) -> _Block | None:
    blank = _BLANK_LINES.match(text)
    code = text[blank.end() :] if blank is not None else text
    if not language.first_line.match(code.partition("\n")[0].strip()[:_LOOKED_AT]):
        return None
    return _Block("raw", code, None, 0, text.count("\n", 0, len(text) - len(code)) + 1)


def _choose(blocks: Sequence[_Block], test: Callable[[str], bool]) -> _Block | None:
    """The last block with an entry point, else the last with text, else the last."""
    for wanted in (test, str.strip):
        for block in reversed(blocks):
            if wanted(block.code):
                return block
    return blocks[-1] if blocks else None


def _entry_test(language: Language, entry: Entry) -> Callable[[str], bool]:
    if entry is None:
        return lambda code: language.entry.search(code) is not None
    return defines(entry) if isinstance(entry, str) else entry
