"""Names, constants, calls, indices and members: what binds tightest (C11 6.5.1, 6.5.2)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace

from judgebox.acsl.assignment import Assignments
from judgebox.acsl.constants import UndefinedError, literal
from judgebox.acsl.effects import MEMORY, Operand, accessed, dereferenced, store, unsequenced
from judgebox.acsl.reader import Reader
from judgebox.acsl.refusal import refuse
from judgebox.acsl.roots import Root
from judgebox.acsl.scope import Scope
from judgebox.acsl.tokens import Kind, Token, words
from judgebox.verdict import Reason


class Primaries(Reader):
    """Reads what binds tighter than any unary operator.

    `flow` knows which locals have a value; `sized` counts the `sizeof`s around the next token.
    """

    def __init__(self, tokens: Sequence[Token], scope: Scope) -> None:
        super().__init__(tokens, scope)
        self.flow = Assignments()
        self.sized = 0

    @abstractmethod
    def expression(self) -> Operand:
        """An expression, commas and all."""

    @abstractmethod
    def assignment(self) -> Operand:
        """An expression without a comma outside brackets."""

    def step(self, operand: Operand, at: Token) -> Operand:
        """`++` or `--` on an operand."""
        if operand.place is None:
            self.unreadable(f"`{at.text}` wants an object")
        return store(operand, None, at, reads=True)

    def postfix(self, operand: Operand) -> Operand:
        """What follows an operand: indices, members, steps."""
        owed = 0  # indices that a member that is an array still wants
        while self.token.kind is Kind.PUNCT:
            token = self.token
            if token.text == "[":
                self.take()
                index = self.expression().value()
                self.expect("]", "after an index")
                made = unsequenced([operand.value(), index], token)
                pointer = replace(
                    made,
                    depth=max(operand.depth, index.depth),
                    roots=operand.roots | index.roots,
                )
                inside = operand if owed else None
                owed = max(owed - 1, 0)
                operand = dereferenced(pointer, inside)
            elif token.text in (".", "->"):
                self._no_row(owed, token)
                self.take()
                name = self.take()
                if name.kind is not Kind.NAME:
                    self.position -= 1
                    self.unreadable("a member's name is missing")
                member = self.scope.member(name.text)
                if member is None:
                    message = f"the task has no struct with a member `{name.text}`"
                    refuse(Reason.FORBIDDEN_CONSTRUCT, message, name)
                owed = member.dimensions
                operand = accessed(operand, member, arrow=token.text == "->")
            elif token.text == "(":
                message = "only functions may be called, and only by their name"
                refuse(Reason.FORBIDDEN_CALL, message, token)
            elif token.text in ("++", "--"):
                self.take()
                operand = self.step(operand, token)
            else:
                break
        self._no_row(owed, self.token)
        return operand

    def _no_row(self, owed: int, at: Token) -> None:
        """A member that is an array is indexed at once: a pointer could leave it, unseen by WP."""
        if owed and not self.sized:
            message = "a member that is an array may only be indexed where it is named"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)

    def primary(self) -> Operand:
        """A name, a constant, a call, or an expression in parentheses."""
        token = self.token
        if token.kind is Kind.NAME:
            if self.ahead() == "(" and token.text not in _NOT_CALLED:
                return self._call()
            operand = self.scope.operand(token)
            self.flow.read(self.scope.variable(token.text))
            self.take()
            return operand
        if token.kind in (Kind.NUMBER, Kind.CHAR):
            self.take()
            try:
                return Operand(constant=literal(token), fixed=True)
            except UndefinedError as problem:
                refuse(Reason.FORBIDDEN_CONSTRUCT, str(problem), token)
        if token.kind is Kind.STRING:
            own = frozenset({Root("text", self.position)})
            while self.token.kind is Kind.STRING:
                self.take()
            return Operand(depth=1, roots=own, within=own)
        if token.text == "&&":
            message = "the address of a label is a compiler extension"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        if not self.accept("("):
            self.unreadable("an expression is missing")
        if self.token.text == "{":
            message = "a block inside an expression is a compiler extension"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, token)
        made = self.expression()
        self.expect(")", "after an expression")
        return made

    def _call(self) -> Operand:
        name = self.take()
        changes = self.scope.call(name)
        self.take()
        arguments: list[Operand] = []
        if not self.accept(")"):
            arguments.append(self.assignment().value())
            while self.accept(","):
                arguments.append(self.assignment().value())
            self.expect(")", "after the arguments of a call")
        made = unsequenced(arguments, name)
        depth, roots = self.scope.result(name.text)
        return Operand(
            made.reads | {MEMORY},
            made.writes,
            made.calls or changes,
            acts=True,
            depth=depth,
            roots=roots,
        )


_NOT_CALLED = words("if while for switch return do else case default goto break")
