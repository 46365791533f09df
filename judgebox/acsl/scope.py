"""The names that a body may use, and the locals it declares."""

from __future__ import annotations

from collections.abc import Sequence

from judgebox.acsl.assignment import Variable
from judgebox.acsl.constants import STANDARD
from judgebox.acsl.context import TaskText
from judgebox.acsl.declarations import ARITHMETIC, STANDARD_TYPES, Member, depth_of_type
from judgebox.acsl.effects import MEMORY, Operand
from judgebox.acsl.macros import OF_TASK
from judgebox.acsl.refusal import refuse
from judgebox.acsl.roots import NOWHERE, UNKNOWN, Pointers, Root, Roots, held
from judgebox.acsl.tokens import Kind, Token
from judgebox.acsl.units import KEYWORDS
from judgebox.verdict import Reason

TYPE_WORDS = ARITHMETIC | {"void", "const", "volatile", "struct"}


class Scope:
    """Names in sight, block by block."""

    def __init__(self, task: TaskText, calls: frozenset[str], tokens: Sequence[Token]) -> None:
        self.task = task
        self.calls = calls
        parameters = {
            p.name: Variable(self.depth(p.type.split()) + p.rows) for p in task.parameters
        }
        self.pointers = Pointers()
        for given in parameters.values():
            if given.depth:
                self.pointers.assign(given, frozenset({Root("given", given)}))
        self._blocks: list[dict[str, Variable]] = [parameters, {}]
        words = [
            w for t in (task.return_type, *(p.type for p in task.parameters)) for w in t.split()
        ]
        named = {w for w in words if w.isidentifier() and w not in KEYWORDS}
        self.types = STANDARD_TYPES | set(task.names.types) | (named - task.names.tags)
        self._reached = _addressed(tokens)

    def enter(self) -> None:
        """Begin a block."""
        self._blocks.append({})

    def leave(self) -> None:
        """End a block."""
        self._blocks.pop()

    def variable(self, name: str) -> Variable | None:
        """The innermost local or parameter of that name."""
        return next((block[name] for block in reversed(self._blocks) if name in block), None)

    def begins_type(self, token: Token) -> bool:
        """Whether a declaration, a cast or a type name begins with `token`."""
        if token.kind is not Kind.NAME:
            return False
        return token.text in TYPE_WORDS or (
            token.text in self.types and self.variable(token.text) is None
        )

    def depth(self, words: Sequence[str]) -> int:
        """How many times what has the type can be dereferenced."""
        return depth_of_type(words, self.task.names.depths)

    def member(self, name: str) -> Member | None:
        """The member of that name; None for one of a struct that the task does not define."""
        return self.task.names.members.get(name)

    def declare(self, token: Token, variable: Variable) -> None:
        """Bring a local into sight; what the task's text means must stay in sight too."""
        names, text = self.task.names, token.text
        for what, taken in (
            ("the target", {self.task.name}),
            ("a function of the task", names.functions | self.calls),
            ("a type", self.types | set(names.types)),
            ("a global of the task", names.globals | names.enumerators),
            ("a macro", set(names.macros) | set(STANDARD)),
        ):
            if text in taken:
                message = f"the local `{text}` hides {what}: give it another name"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        self._blocks[-1][text] = variable

    def operand(self, token: Token) -> Operand:
        """What a name stands for where it is not called."""
        name, names = token.text, self.task.names
        variable = self.variable(name)
        if variable is not None:
            if variable.array:
                own = frozenset({Root("object", variable)})
                return Operand(
                    reads=frozenset({name}),
                    depth=variable.depth,
                    roots=own,
                    within=own,
                    name=name,
                )
            place = {name, MEMORY} if name in self._reached else {name}
            return Operand(
                place=frozenset(place),
                depth=variable.depth,
                roots=held(variable) if variable.depth else NOWHERE,
                within=frozenset({Root("object", variable)}),
                name=name,
            )
        if name == self.task.name or name in names.functions | self.calls:
            message = f"the function `{name}` may only be called, not used as a value"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        if name in names.globals:
            own, depth = frozenset({Root("object", name)}), names.depths.get(name, 0)
            read = UNKNOWN if depth else NOWHERE
            return Operand(
                place=frozenset({name, MEMORY}),
                depth=depth,
                roots=own if name in names.arrays else read,
                within=own,
                name=name,
            )
        if name in names.enumerators or name in names.macros:
            return Operand(fixed=True)
        if name in STANDARD:
            return Operand(constant=STANDARD[name], fixed=True, depth=int(name == "NULL"))
        if token.start != OF_TASK and (name not in names.vocabulary or name in KEYWORDS):
            if name in KEYWORDS:
                refuse(Reason.COMPILE_ERROR, f"`{name}` cannot stand here", token)
            message = f"`{name}` is declared neither in the body nor in the task"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        # a header's: what it is, nobody knows here
        return Operand(place=frozenset({name, MEMORY}), roots=UNKNOWN, within=UNKNOWN, name=name)

    def result(self, name: str) -> tuple[int, Roots]:
        """What a function returns: its depth, and what it may point into."""
        names = self.task.names
        depth = names.depths.get(name, 0)
        known = name == self.task.name or name in names.functions
        return depth, NOWHERE if known and not depth else UNKNOWN

    def call(self, token: Token) -> bool:
        """Check a call by name; whether the function may change memory."""
        name = token.text
        if name == self.task.name:
            if not self.task.recursive:
                message = f"`{name}` calls itself, and its contract has no `decreases`"
                refuse(Reason.RECURSION, message, token)
        elif token.start != OF_TASK and (self.variable(name) or name not in self.calls):
            listed = ", ".join(f"`{one}`" for one in sorted(self.calls)[:8]) or "none"
            message = f"`{name}` may not be called; functions that may: {listed}"
            refuse(Reason.FORBIDDEN_CALL, message, token)
        return name not in self.task.names.pure


def _addressed(tokens: Sequence[Token]) -> set[str]:
    """Names whose address is taken anywhere, so that a pointer may change them; maybe more."""
    found: set[str] = set()
    after_ampersand = False
    for token in tokens:
        if after_ampersand and token.kind is Kind.NAME:
            found.add(token.text)
        after_ampersand = token.text == "&" or (after_ampersand and token.text == "(")
    return found
