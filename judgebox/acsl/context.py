"""A task's C file: one target function whose body is a TODO, and all that stands around it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NoReturn

from judgebox.acsl.clauses import clauses, head, is_contract, total
from judgebox.acsl.constants import STANDARD
from judgebox.acsl.declarations import (
    Member,
    Parameter,
    declared,
    depth_of_type,
    kind_of_type,
    signature,
    widest,
)
from judgebox.acsl.macros import Macro, expand
from judgebox.acsl.tokens import Kind, LexError, Token, lex, words
from judgebox.acsl.units import Unit, partners, units
from judgebox.errors import UsageError


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a task's file brings, the target's own aside."""

    functions: frozenset[str]
    """Every other function that the file declares or defines."""
    pure: frozenset[str]
    """Functions whose contract has `assigns \\nothing`, maybe the target among them."""
    globals: frozenset[str]
    types: Mapping[str, str]
    """Typedef names, each with `arithmetic`, `pointer` or `struct`."""
    tags: frozenset[str]
    """Struct tags."""
    enumerators: frozenset[str]
    macros: Mapping[str, Macro]
    vocabulary: frozenset[str]
    """Every word of the file."""
    depths: Mapping[str, int]
    """Of globals, types and functions' results: how many times they can be dereferenced."""
    arrays: Mapping[str, int]
    """Globals and typedef names that are arrays, with their dimensions."""
    members: Mapping[str, Member]
    """Members of the structs of the file."""
    void_pointers: bool
    """The file itself uses `void *`."""


@dataclass(frozen=True, slots=True)
class TaskText:
    """What a task's C file says.  Made by `parse`, never changed.

    `text` is `source` with `terminates \\true;` and `exits \\false;` inserted where the contract
    lacks them (on existing lines: line numbers are the same in both).
    """

    source: str
    text: str
    name: str
    """The target function."""
    signature: tuple[Token, ...]
    contract: Token
    contracts: tuple[Token, ...]
    """The contract of `source`, and that of `text`."""
    inserted: tuple[str, ...]
    """The clauses that `text` has and `source` lacks."""
    line: int
    """1-based line of the target's definition."""
    contract_line: int
    return_type: str
    parameters: tuple[Parameter, ...]
    names: Names
    before: tuple[tuple[Token, ...], ...] = field(repr=False)
    """The tokens up to and with the body's `{`: of `source`, and of `text`."""
    after: tuple[Token, ...] = field(repr=False)
    """The tokens from the body's `}` on."""
    _opening: int = 0
    _closing: int = 0

    @property
    def recursive(self) -> bool:
        """The contract carries `decreases`, so the target may call itself."""
        return any(head(clause) == "decreases" for clause in clauses(self.contract.inner))

    @property
    def body_line(self) -> int:
        """1-based line of `text` on which the body's `{` stands."""
        return self.text.count("\n", 0, self._opening) + 1

    def with_body(self, text: str) -> str:
        """The judged text with a trusted body (a stub, a reference) between the braces."""
        return self.text[: self._opening] + text + self.text[self._closing :]

    def stubs(self) -> tuple[str, ...]:
        """The trivial bodies: nothing, constants, each parameter that fits the return type."""
        kind = self._kind(self.return_type)
        if kind == "void":
            return ("",)
        if kind == "struct":
            return (f" {self.return_type} stub = {{0}}; return stub; ",)
        if kind == "pointer":
            wanted = self.return_type.replace("const", "").split()
            fitting = [
                p.name for p in self.parameters if p.type.replace("const", "").split() == wanted
            ]
            values = ["0", *fitting]
        else:
            arithmetic = [p.name for p in self.parameters if self._kind(p.type) == "arithmetic"]
            values = list(dict.fromkeys(["0", "1", "-1", *arithmetic, *self._constants()]))
        return tuple(f" return {value}; " for value in values)

    def _constants(self) -> list[str]:
        """Constants that the contract names, so that none of them beats the stubs."""
        found: dict[str, None] = {}
        row = self.contract.inner
        for index, token in enumerate(row):
            if not self._is_constant(token):
                continue
            before = [one.text for one in row[max(index - 2, 0) : index]]
            unary = before[-1:] == ["-"] and (len(before) < 2 or before[0] in _BEFORE_UNARY)
            found["-" + token.text if unary else token.text] = None
        return [value for value in found if value not in ("0", "1", "-1")][:MAX_CONSTANTS]

    def _is_constant(self, token: Token) -> bool:
        """Whether C reads a token as an integer constant, here and in each function's body."""
        if token.kind is Kind.NUMBER:
            return _INTEGER.fullmatch(token.text) is not None
        if token.kind is not Kind.NAME:
            return False
        macro = self.names.macros.get(token.text)
        if macro is not None and macro.parameters is None:
            parts = expand([token], self.names.macros)
            return bool(parts) and all(
                (part.kind is Kind.PUNCT and part.text in _ARITHMETIC)
                or (part.kind is Kind.NUMBER and _INTEGER.fullmatch(part.text) is not None)
                or (part.kind is Kind.NAME and self._is_named(part.text))
                for part in parts
            )
        return self._is_named(token.text)

    def _is_named(self, name: str) -> bool:
        return name in self.names.enumerators or (
            name.endswith(("_MAX", "_MIN")) and name in STANDARD
        )

    def _kind(self, type_text: str) -> str:
        return kind_of_type(type_text.split(), self.names.types)

    @classmethod
    def parse(cls, source: str) -> TaskText:
        """Read a task's file.

        Raises:
            UsageError: it does not lex, or has no function with a TODO body, more than one, or one
                without a contract; the message names the line.
        """
        source = source.removeprefix("\ufeff")
        try:
            everything = lex(source, comments=True)
            tokens = [token for token in everything if token.kind is not Kind.COMMENT]
            pairs = partners(tokens)
        except LexError as error:
            _refuse(error.line, error.message)
        found = units(tokens, pairs)
        target = _target(tokens, found, everything)
        assert target.name is not None
        contract = _contract(tokens, found, target)
        made = signature(tokens, pairs, target)
        if made is None:
            _refuse(tokens[target.first].line, f"the parameters of `{target.name}` cannot be read")
        opening = tokens[target.opening]
        closing = tokens[target.last - 1]
        text, inserted, shift = source, [], 0
        for offset, clause in total(contract):
            at_end = offset == contract.inner[-1].end
            clause = " " + clause if at_end else clause + " "
            text = text[: offset + shift] + clause + text[offset + shift :]
            inserted.append(clause.strip())
            shift += len(clause)
        completed = lex(text)
        return cls(
            source=source,
            text=text,
            name=target.name,
            signature=tuple(tokens[target.first : target.opening]),
            contract=contract,
            contracts=(contract, completed[next(i for i, t in enumerate(tokens) if t is contract)]),
            inserted=tuple(inserted),
            line=tokens[target.first].line,
            contract_line=contract.line,
            before=(tuple(tokens[: target.opening + 1]), tuple(completed[: target.opening + 1])),
            after=tuple(tokens[target.last - 1 :]),
            _opening=opening.end + shift,
            _closing=closing.start + shift,
            return_type=made.return_type,
            parameters=made.parameters,
            names=_names(tokens, found, made.name),
        )


MAX_CONSTANTS = 8
_BEFORE_UNARY = words("( [ { , ; : ? == != < <= > >= && || ==> <==> + * / %")
_ARITHMETIC = words("( ) + - * / % << >> & | ^ ~")
_INTEGER = re.compile(
    r"(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(?:[uU](?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU]?)?"
)
_DEFINE = re.compile(r"# ?define ([A-Za-z_]\w*)(\([^)]*\))?(.*)", re.DOTALL)


def _refuse(line: int, message: str) -> NoReturn:
    raise UsageError(f"line {line}: {message}")


def _target(tokens: Sequence[Token], found: Sequence[Unit], all_: Sequence[Token]) -> Unit:
    """The function whose body holds nothing, or a comment with the word TODO and nothing else."""
    empty = [
        unit
        for unit in found
        if unit.kind == "function" and unit.name and unit.last - unit.opening == 2
    ]
    marked = [
        unit
        for unit in empty
        if any(
            token.kind is Kind.COMMENT
            and tokens[unit.opening].start < token.start < tokens[unit.last - 1].start
            and re.search(r"\bTODO\b", token.text)
            for token in all_
        )
    ]
    choice = marked or empty
    if not choice:
        last = all_[-1].line if all_ else 1
        _refuse(last, "no function whose body is only a `/* TODO */` comment up to here")
    if len(choice) > 1:
        names = f"`{choice[0].name}` and `{choice[1].name}`"
        _refuse(tokens[choice[1].first].line, f"more than one TODO body: {names}")
    return choice[0]


def _contract(tokens: Sequence[Token], found: Sequence[Unit], target: Unit) -> Token:
    """The contract right before the definition, else before a prototype of the target."""
    last = found.index(target)
    for unit, previous in zip(found[last:0:-1], found[last - 1 :: -1], strict=False):
        if (unit is target or (unit.kind == "prototype" and unit.name == target.name)) and (
            previous.kind == "annotation" and is_contract(tokens[previous.first].inner)
        ):
            return tokens[previous.first]
    line = tokens[target.first].line
    _refuse(line, f"`{target.name}` has no contract: put `/*@ … */` right before it")


def _names(
    tokens: Sequence[Token],
    found: Sequence[Unit],
    target: str,
) -> Names:
    functions: set[str] = set()
    pure: set[str] = set()
    variables: set[str] = set()
    enumerators: set[str] = set()
    tags: set[str] = set()
    types: dict[str, str] = {}
    macros: dict[str, Macro] = {}
    depths: dict[str, int] = {}
    arrays: dict[str, int] = {}
    members: dict[str, Member] = {}
    for number, unit in enumerate(found):
        part = tokens[unit.first : unit.last]
        if unit.kind == "directive":
            match = _DEFINE.match(part[0].text)
            if match is not None:
                arguments = None if match[2] is None else tuple(re.findall(r"\w+|\.\.\.", match[2]))
                macros[match[1]] = Macro(match[3].strip(), arguments)
        elif unit.name is not None:
            functions.add(unit.name)
            start = next(i for i, one in enumerate(part) if one.text == unit.name)
            depths[unit.name] = depth_of_type([one.text for one in part[:start]], depths)
            previous = tokens[found[number - 1].first] if number else None
            if previous is not None and _assigns_nothing(previous):
                pure.add(unit.name)
        elif unit.kind == "declaration":
            names = declared(part, types, depths, arrays)
            depths |= names.depths
            arrays |= names.arrays
            for name, member in names.members.items():
                members[name] = widest(members.get(name, member), member)
            variables |= names.variables
            enumerators |= names.enumerators
            types |= names.types
            tags |= names.tags
    texts = [token.text for token in tokens if token.text != "const"]
    return Names(
        functions=frozenset(functions - {target}),
        pure=frozenset(pure),
        globals=frozenset(variables),
        types=types,
        tags=frozenset(tags),
        enumerators=frozenset(enumerators),
        macros=macros,
        vocabulary=frozenset(_vocabulary(tokens)),
        depths=depths,
        arrays=arrays,
        members=members,
        void_pointers=("void", "*") in pairwise(texts),
    )


def _assigns_nothing(token: Token) -> bool:
    texts = [
        [part.text for part in clause]
        for clause in clauses(token.inner)
        if clause[0].text == "assigns"
    ]
    return texts == [["assigns", "\\nothing", ";"]]


def _vocabulary(tokens: Sequence[Token]) -> set[str]:
    found: set[str] = set()
    for token in tokens:
        if token.kind is Kind.NAME:
            found.add(token.text)
        elif token.kind is Kind.DIRECTIVE:
            found |= set(re.findall(r"[A-Za-z_]\w*", token.text))
    return found
