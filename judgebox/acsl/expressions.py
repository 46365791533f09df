"""Expressions of a body, read as C11 6.5 has them and summed up as `Operand`s."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from judgebox.acsl.assignment import NONE, Branches, Unset
from judgebox.acsl.constants import converted
from judgebox.acsl.effects import (
    Operand,
    address,
    combine,
    dereferenced,
    discard,
    evaluated,
    store,
    together,
    unsequenced,
)
from judgebox.acsl.macros import OF_TASK
from judgebox.acsl.primaries import Primaries
from judgebox.acsl.refusal import refuse
from judgebox.acsl.remainders import Remainder
from judgebox.acsl.roots import NOWHERE, NULL, UNKNOWN
from judgebox.acsl.scope import Scope
from judgebox.acsl.tokens import Kind, Token, words
from judgebox.verdict import Reason

_ASSIGN = words("= *= /= %= += -= <<= >>= &= ^= |=")
_LEVELS = ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %")
_PRECEDENCE = {op: level for level, row in enumerate(_LEVELS) for op in row.split()}
MAX_ELEMENTS = 65_536


class Expressions(Primaries):
    """Reads expressions off a row of tokens.

    `remainders` are those read so far whose quotient may overflow.
    """

    def __init__(self, tokens: Sequence[Token], scope: Scope) -> None:
        super().__init__(tokens, scope)
        self.remainders: list[Remainder] = []

    def expression(self) -> Operand:
        """`a, b, …`: each is finished before the next begins."""
        at, part = self.token, self.assignment()
        done = part
        while self.accept(","):
            discard(part, at)
            at, part = self.token, self.assignment()
            both = together([done.value(), part.value()])
            done = replace(
                part.value(), reads=both.reads, writes=both.writes, calls=both.calls, constant=None
            )
            done = replace(done, fixed=both.fixed, name=part.name, within=NOWHERE)
        return done

    def discarded(self) -> None:
        """An expression whose value nobody uses."""
        at = self.token
        discard(self.expression(), at)

    def assignment(self) -> Operand:
        """An assignment, or what stands below it in the grammar."""
        self.deeper()
        first, mark = self.position, self.flow.mark()
        left = self._conditional()
        at, operator = self.position, self.token
        if operator.kind is Kind.PUNCT and operator.text in _ASSIGN:
            if left.place is None:
                self.unreadable("what stands on the left cannot be assigned to")
            self.take()
            whole = operator.text == "=" and left.name is not None
            if whole:
                self.flow.since(mark)  # nothing but the name stands there, and is not read
            right = self.assignment().value()
            if whole and left.name is not None:
                self.flow.assign(self.scope.variable(left.name))
            if operator.text == "%=":
                self._remainder(Remainder(first, at, self.position), left, right)
            if operator.text != "=" and right.pointer:
                message = f"a pointer may not stand to the right of `{operator.text}`"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)
            if left.name is not None and (right.roots or operator.text == "="):
                self.scope.pointers.assign(self.scope.variable(left.name), right.roots)
            left = store(left, right, operator, reads=operator.text != "=")
        self.shallower()
        return left

    def _conditional(self) -> Operand:
        condition = self._binary()
        if not self.accept("?"):
            return condition
        self.deeper()
        if self.token.text == ":":
            message = "`?:` without a middle part is a compiler extension"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, self.token)
        self.flow.unset, other = self.branches(condition)
        middle = self.expression().value()
        first = self.branches(middle)
        self.expect(":", "after `?`")
        self.flow.unset = other
        last = self._conditional().value()
        second = self.branches(last)
        branches = first[0] | second[0], first[1] | second[1]
        self.flow.unset = branches[0] | branches[1]
        self.shallower()
        made = together([condition.value(), middle, last])
        chosen = None
        if condition.constant and middle.constant and last.constant:
            chosen = middle.constant if condition.constant.value else last.constant
        roots, depth = middle.roots | last.roots, max(middle.depth, last.depth)
        if depth and not (middle.roots and last.roots):
            roots |= NULL
        return Operand(
            made.reads,
            made.writes,
            made.calls,
            constant=chosen,
            fixed=made.fixed,
            depth=depth,
            roots=roots,
            acts=(middle.acts and (last.acts or last.fixed)) or (last.acts and middle.fixed),
            branches=branches,
        )

    def branches(self, condition: Operand) -> Branches:
        """The locals without a value where `condition`, just read, is true, and where not."""
        if condition.branches is not None:
            return condition.branches
        unset, constant = self.flow.unset, condition.constant
        if constant is None:
            return unset, unset
        return (unset, NONE) if constant.value else (NONE, unset)

    def _binary(self) -> Operand:
        """Binary operators by precedence, without recursion."""
        starts, operands = [self.position], [self._unary()]
        operators: list[int] = []  # where they stand
        skipped: list[Unset] = []  # by those of them that are `&&` or `||`
        while True:
            token = self.token
            level = _PRECEDENCE.get(token.text, -1) if token.kind is Kind.PUNCT else -1
            while operators and _PRECEDENCE[self.tokens[operators[-1]].text] >= level:
                at, right, left = operators.pop(), operands.pop().value(), operands.pop().value()
                self.scope.pointers.compare(self.tokens[at], left, right)
                made = combine(self.tokens[at], left, right)
                if self.tokens[at].text in ("&&", "||"):
                    branches = self.flow.join(
                        self.tokens[at].text, skipped.pop(), self.branches(right)
                    )
                    made = replace(made, branches=branches)
                operands.append(made)
                starts.pop()
                if self.tokens[at].text == "%":
                    self._remainder(Remainder(starts[-1], at, self.position), left, right)
            if level < 0:
                return operands[0]
            if token.text in ("&&", "||"):
                skipped.append(self.flow.skip(token.text, self.branches(operands[-1])))
            operators.append(self.position)
            self.take()
            starts.append(self.position)
            operands.append(self._unary())

    def _remainder(self, found: Remainder, left: Operand, right: Operand) -> None:
        """Keep a remainder for `remainders.ask`, which evaluates its operands twice."""
        if right.constant is not None and right.constant.value != -1:
            return  # the quotient cannot overflow; RTE asks about 0
        names = [token.text for token in self.tokens[found.first : found.last]]
        itself = (self.scope.task.name, "(") in pairwise(names)  # twice a recursion is 2**n of it
        if left.writes | right.writes or left.calls or right.calls or itself:
            operator = self.tokens[found.operator]
            message = (
                f"an operand of `{operator.text}` has a side effect, or a call that may have one"
                " or recurse; unless the divisor is a constant, give the operand to a local first"
            )
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)
        self.remainders.append(found)

    def _unary(self) -> Operand:
        self.deeper()
        made = self._prefixed()
        self.shallower()
        return made

    def _prefixed(self) -> Operand:
        token = self.token
        text = token.text if token.kind in (Kind.PUNCT, Kind.NAME) else ""
        if text in ("++", "--"):
            self.take()
            return self.step(self._unary(), token)
        if text == "&":
            self.take()
            inner = self._unary()
            if inner.place is None and not inner.pointer:
                self.unreadable("`&` wants an object")
            if inner.name is not None and inner.place is not None:
                # what is written through the pointer, nobody sees
                self.scope.pointers.assign(self.scope.variable(inner.name), UNKNOWN)
            return address(inner, token)
        if text == "*":
            self.take()
            return dereferenced(self._unary().value())
        if text in ("+", "-", "~", "!"):
            self.take()
            inner = self._unary().value()
            true, false = self.branches(inner)
            return Operand(
                inner.reads,
                inner.writes,
                inner.calls,
                constant=evaluated(token, inner.constant),
                fixed=inner.fixed,
                branches=(false, true) if text == "!" else None,
            )
        if text == "sizeof":
            self.take()
            if self.token.text == "(" and self.scope.begins_type(self.following):
                self.take()
                self.type_name()
                self.expect(")", "after a type")
                return Operand()
            mark, unset = self.flow.mark(), self.flow.unset
            self.sized += 1
            inner = self._unary()
            self.sized -= 1
            self.flow.since(mark)  # it is not evaluated
            self.flow.unset = unset
            return Operand(inner.reads, inner.writes, inner.calls)
        if text == "(" and self.scope.begins_type(self.following):
            return self._cast()
        return self.postfix(self.primary())

    def _cast(self) -> Operand:
        opening = self.take()
        words = self.type_name()
        self.expect(")", "after a type")
        self.no_array_type(words, opening)
        pointer = self.scope.depth(words) > 0
        if self.token.text == "{":
            if pointer or "[]" in words:
                message = "compound literals of pointers and arrays are not allowed"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, opening)
            return self.postfix(self.initialiser())
        if pointer and opening.start != OF_TASK:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "casts to pointer types are not allowed", opening)
        operand = self._unary()
        inner = operand.value()
        if inner.pointer and words != ["void"]:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "casts of pointers are not allowed", opening)
        constant = converted(inner.constant, words) if inner.constant is not None else None
        return Operand(
            inner.reads,
            inner.writes,
            inner.calls,
            constant=constant,
            fixed=inner.fixed,
            depth=self.scope.depth(words),
            roots=inner.roots or (UNKNOWN if pointer and not inner.fixed else NOWHERE),
            name=operand.name,
            acts=inner.acts,
        )

    def type_name(self) -> list[str]:
        """A type name (no declarator in parentheses); `[]` stands for an array."""
        words: list[str] = []
        while self.scope.begins_type(self.token) or self.token.text == "*":
            token = self.take()
            if token.text == "struct":
                self.struct_tag()
            words.append(token.text)
        while self.accept("["):
            self.array_size()
            words.append("[]")
        return [word for word in words if word != "const"]

    def array_size(self) -> int | None:
        """An array's size and its `]`; None if it is left to the initialiser."""
        if self.accept("]"):
            return None
        at = self.token
        size = self._conditional()
        self.expect("]", "after an array's size")
        if not size.fixed:
            message = "an array's size must be an integer constant"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)
        if size.constant is not None and not 0 < size.constant.value <= MAX_ELEMENTS:
            message = f"an array of {size.constant.value} elements is not allowed in the body"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)
        return size.constant.value if size.constant is not None else None

    def initialiser(self) -> Operand:
        """An assignment expression, or a list in braces, whose parts have no defined order."""
        if self.token.text != "{":
            return self.assignment().value()
        self.deeper()
        opening = self.take()
        parts: list[Operand] = []
        while not self.accept("}"):
            if self.token.text in (".", "["):
                self._designator()
            parts.append(self.initialiser())
            if self.token.text != "}":
                self.expect(",", "in an initialiser")
        self.shallower()
        if not parts:
            message = "an empty initialiser `{}` is a compiler extension; write `{0}`"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, opening)
        return replace(
            unsequenced(parts, opening), roots=NOWHERE.union(*(part.roots for part in parts))
        )

    def _designator(self) -> None:
        while self.token.text in (".", "["):
            if self.take().text == ".":
                self.take()
            else:
                self.array_index()
        self.expect("=", "after a designator")

    def array_index(self) -> None:
        """The constant index of a designator and its `]`."""
        at = self.token
        if not self._conditional().fixed:
            refuse(Reason.FORBIDDEN_CONSTRUCT, "a designator's index must be a constant", at)
        self.expect("]", "after an index")
