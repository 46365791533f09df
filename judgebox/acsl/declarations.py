"""What the declarations of a task's file declare: enough to check names and to write stubs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    rows: int = 0
    """Dimensions that `type` does not show: those of an array parameter but the first."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a struct of the task, or of several that have one of this name."""

    depth: int
    """How many times it can be dereferenced at most."""
    dimensions: int
    """Of an array; 0 for what is none."""


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
    depths: dict[str, int] = field(default_factory=dict)
    """Of variables and types: how many times they can be dereferenced."""
    arrays: dict[str, int] = field(default_factory=dict)
    """Variables and types that are arrays, with their dimensions."""
    members: dict[str, Member] = field(default_factory=dict)


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


def depth_of_type(words: Sequence[str], depths: Mapping[str, int]) -> int:
    """How many times what has this type can be dereferenced."""
    return words.count("*") + sum(depths.get(word, 0) for word in words)


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
    rows = sum(token.text == "[" for token in tokens) - 1
    return Parameter(head[-1].text, " ".join(words), "*" in words, max(rows, 0))


def declared(
    tokens: Sequence[Token],
    types: Mapping[str, str],
    depths: Mapping[str, int],
    arrays: Mapping[str, int],
) -> Declared:
    """The names that a file-scope declaration brings; the other three are known so far."""
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
        depth, dimensions = _shape(part, parts[0], depths, arrays)
        found.depths[name] = depth
        if dimensions:
            found.arrays[name] = dimensions
        if texts and texts[0] == "typedef":
            pointer = any(token.text == "*" for token in part)
            found.types[name] = "pointer" if pointer else base
        else:
            found.variables.add(name)
    for member, shape in _members(tokens, depths, arrays):
        known = found.members.get(member, shape)
        found.members[member] = widest(known, shape)
    return found


def widest(one: Member, other: Member) -> Member:
    """What covers two members of one name."""
    return Member(max(one.depth, other.depth), max(one.dimensions, other.dimensions))


def _shape(
    part: Sequence[Token],
    first: Sequence[Token],
    depths: Mapping[str, int],
    arrays: Mapping[str, int],
) -> tuple[int, int]:
    """Depth and dimensions of a declarator; its type stands in the `first` of its declaration."""
    texts = [token.text for token in part]
    texts = texts[: texts.index("=")] if "=" in texts else texts
    base = [token.text for token in first if token.kind is Kind.NAME]
    dimensions = texts.count("[")
    depth = texts.count("*") + dimensions + sum(depths.get(word, 0) for word in base)
    if "*" not in texts:
        dimensions += sum(arrays.get(word, 0) for word in base)
    return depth, dimensions


def _members(
    body: Sequence[Token], depths: Mapping[str, int], arrays: Mapping[str, int]
) -> Iterator[tuple[str, Member]]:
    """The members of all structs that a declaration defines, inner ones too."""
    for opening, token in enumerate(body):
        before = [one.text for one in body[max(opening - 2, 0) : opening]]
        if token.text != "{" or not {"struct", "union"} & set(before):
            continue
        depth, end = 0, opening
        for end in range(opening, len(body)):
            depth += (body[end].text == "{") - (body[end].text == "}")
            if depth == 0:
                break
        for row in split(body[opening + 1 : end], ";"):
            parts = split(_flat(row), ",")
            for part in parts:
                texts = [one.text for one in part]
                part = part[: texts.index(":")] if ":" in texts else part
                name = _declarator(part, False)  # flat, `struct { … } m` looks like a tag
                names = [name] if name is not None else []
                if "(" in texts:  # of a function's pointer: any of its words
                    names = [one.text for one in part if one.kind is Kind.NAME]
                for one in names:
                    yield one, Member(*_shape(part, parts[0], depths, arrays))


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
