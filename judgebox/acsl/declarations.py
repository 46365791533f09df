"""What the declarations of a task's file declare: enough to check names and to write stubs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from judgebox.acsl.tokens import Kind, Token, words
from judgebox.acsl.units import CLOSING, KEYWORDS, OPENING, Unit

ARITHMETIC = words("char short int long signed unsigned float double _Bool enum")
STANDARD_TYPES = words(
    "size_t ssize_t ptrdiff_t bool int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t"
    " uint64_t intmax_t uintmax_t intptr_t uintptr_t wchar_t"
)
_QUALIFIERS = words("const volatile restrict static inline extern register")


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the target."""

    name: str
    type: str
    """As written, without the name; an array parameter reads as a pointer."""
    is_pointer: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's name, return type and parameters."""

    name: str
    return_type: str
    parameters: tuple[Parameter, ...]


@dataclass(slots=True)
class Declared:
    """The names that one declaration brings."""

    variables: set[str] = field(default_factory=set)
    enumerators: set[str] = field(default_factory=set)
    types: dict[str, str] = field(default_factory=dict)
    tags: set[str] = field(default_factory=set)


def kind_of_type(words: Sequence[str], types: Mapping[str, str]) -> str:
    """`void`, `pointer`, `struct` or `arithmetic`."""
    if "*" in words:
        return "pointer"
    if "struct" in words or "union" in words:
        return "struct"
    if "void" in words:
        return "void"
    for word in words:
        if word in types:
            return types[word]
    return "arithmetic"


def split(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """Parts of `tokens` between separators that stand outside all brackets."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind is Kind.PUNCT:
            depth += (token.text in OPENING) - (token.text in CLOSING)
            if token.text == separator and depth == 0:
                parts.append([])
                continue
        parts[-1].append(token)
    return parts


def signature(tokens: Sequence[Token], pairs: Mapping[int, int], unit: Unit) -> Signature | None:
    """The signature of a function definition; None for shapes that no task here needs."""
    index = next(
        i
        for i in range(unit.first, unit.opening)
        if tokens[i].text == "(" and tokens[i - 1].text == unit.name
    )
    assert unit.name is not None
    words = [
        t.text for t in tokens[unit.first : index - 1] if t.text not in _QUALIFIERS - {"const"}
    ]
    parameters: list[Parameter] = []
    inside = list(tokens[index + 1 : pairs[index]])
    if [token.text for token in inside] not in ([], ["void"]):
        for part in split(inside, ","):
            parameter = _parameter(part)
            if parameter is None:
                return None
            parameters.append(parameter)
    return Signature(unit.name, " ".join(words), tuple(parameters))


def _parameter(tokens: Sequence[Token]) -> Parameter | None:
    bracket = next((i for i, token in enumerate(tokens) if token.text == "["), len(tokens))
    head = list(tokens[:bracket])
    if not head or head[-1].kind is not Kind.NAME or head[-1].text in KEYWORDS or len(head) < 2:
        return None
    if any(token.text in ("(", "...") for token in head):
        return None
    words = [token.text for token in head[:-1]] + (["*"] if bracket < len(tokens) else [])
    return Parameter(head[-1].text, " ".join(words), "*" in words)


def declared(tokens: Sequence[Token], types: Mapping[str, str]) -> Declared:
    """The names that a file-scope declaration brings; `types` are those known so far."""
    found = Declared()
    body = [token for token in tokens if token.text != ";" or token.kind is not Kind.PUNCT]
    parts = split(_flat(tokens[:-1] if tokens and tokens[-1].text == ";" else tokens), ",")
    texts = [token.text for token in body]
    first = [token.text for token in parts[0]]
    base = kind_of_type(first, types)
    for position, token in enumerate(body):
        if token.text in ("struct", "union", "enum") and position + 1 < len(body):
            after = body[position + 1]
            if after.kind is Kind.NAME and token.text != "enum":
                found.tags.add(after.text)
            if token.text == "enum":
                found.enumerators |= _enumerators(body[position + 1 :])
    for number, part in enumerate(parts):
        name = _declarator(part, number == 0)
        if name is None:
            continue
        if texts and texts[0] == "typedef":
            pointer = any(token.text == "*" for token in part)
            found.types[name] = "pointer" if pointer else base
        else:
            found.variables.add(name)
    return found


def _flat(tokens: Sequence[Token]) -> list[Token]:
    """`tokens` without what stands in braces."""
    depth = 0
    kept: list[Token] = []
    for token in tokens:
        braces = token.kind is Kind.PUNCT and token.text in "{}"
        if braces and token.text == "}":
            depth -= 1
        elif depth == 0 and not braces:
            kept.append(token)
        if braces and token.text == "{":
            depth += 1
    return kept


def _declarator(tokens: Sequence[Token], first: bool) -> str | None:
    """The last name before `[`, `=` or the end, if a type stands before it."""
    names: list[str] = []
    for token in tokens:
        if token.kind is Kind.PUNCT and token.text in ("[", "="):
            break
        if token.kind is Kind.NAME and token.text not in KEYWORDS:
            names.append(token.text)
    texts = [token.text for token in tokens]
    if not names:
        return None
    if first and len(texts) >= 2 and texts[-2] in ("struct", "union", "enum"):
        return None  # `struct s;` and `struct s { … };` declare a tag only
    return names[-1]


def _enumerators(tokens: Sequence[Token]) -> set[str]:
    opening = next((i for i, token in enumerate(tokens[:2]) if token.text == "{"), None)
    if opening is None:
        return set()
    inside: list[Token] = []
    for token in tokens[opening + 1 :]:
        if token.text == "}":
            break
        inside.append(token)
    return {part[0].text for part in split(inside, ",") if part}
