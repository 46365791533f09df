"""Which object a pointer of a body may point into, so that only pointers into one are compared.

C11 defines `<` and `-` for pointers into one array only (6.5.6p9, 6.5.8p5), and WP's memory model
compares offsets there, and in `==` too, as if the objects were one.  The analysis looks at no
order of statements: a local may hold whatever the body assigns to it anywhere.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judgebox.acsl.refusal import refuse
from judgebox.acsl.tokens import Token, words
from judgebox.verdict import Reason

if TYPE_CHECKING:
    from judgebox.acsl.assignment import Variable
    from judgebox.acsl.effects import Operand


@dataclass(frozen=True, slots=True)
class Root:
    """Where a pointer may point into."""

    kind: str
    """`object`, `given` (what a parameter points into at first), `held` (what a variable may
    hold), `text` (a string literal), `begun` (the one
    unknown pointer that a local begins with), `null` or `unknown`."""
    of: Hashable = None


Roots = frozenset[Root]
"""Never empty for what may be a pointer, unless it is null."""
NOWHERE: Roots = frozenset()
UNKNOWN: Roots = frozenset({Root("unknown")})
"""Read from memory, or made by a call."""
NULL: Roots = frozenset({Root("null")})
"""A null pointer that was given to a variable, or stands beside another pointer in `?:`."""

_COMPARES = words("- < > <= >= == !=")


def held(variable: Variable) -> Roots:
    """What a variable may hold at some point."""
    return frozenset({Root("held", variable)})


class Pointers:
    """What a body assigns to its pointers, and which it compares."""

    def __init__(self) -> None:
        self._holds: dict[Hashable, Roots] = {}
        self._asked: list[tuple[Token, Roots, Roots]] = []

    def assign(self, variable: Variable | None, roots: Roots) -> None:
        """A variable (None is one of the task's) may hold `roots`."""
        if variable is not None:
            self._holds[variable] = self._holds.get(variable, NOWHERE) | (roots or NULL)

    def begin(self, variable: Variable, roots: Roots, *, once: bool) -> None:
        """A variable is declared with a value; `once` if its declaration is reached once at most.

        What is unknown is then one pointer all the same, to whatever object.
        """
        one = once and roots & UNKNOWN
        self.assign(variable, frozenset({Root("begun", variable)}) if one else roots)

    def compare(self, operator: Token, left: Operand, right: Operand) -> None:
        """Keep a comparison or subtraction for `check`."""
        if operator.text not in _COMPARES:
            return
        equality = operator.text in ("==", "!=")
        if (left.roots and right.roots) or (left.pointer and right.pointer and not equality):
            self._asked.append((operator, left.roots, right.roots))
            return
        # One pointer: gcc only warns of `p == 5` and `p < 0`.
        for one, other in ((left, right), (right, left)):
            null = equality and other.constant is not None and other.constant.value == 0
            if one.pointer and not (other.pointer or null or operator.text == "-"):
                message = "a pointer may be compared with `0`, `NULL` or a pointer only"
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)

    def check(self) -> None:
        """Hold what was compared against all that was assigned.

        Raises:
            RefusedError: two pointers are compared that may point into different objects.
        """
        for operator, left, right in self._asked:
            one, other = self._resolved(left), self._resolved(right)
            if operator.text in ("==", "!="):  # null has no offset that `-` and `<` could use
                one, other = one - NULL, other - NULL
            if one != other or len(one) != 1 or one & UNKNOWN:
                message = (
                    f"`{operator.text}`: compare or subtract pointers into one array only, and"
                    " pointers that the body takes from it by name; use an index instead"
                )
                refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)

    def _resolved(self, roots: Roots) -> Roots:
        seen: set[Root] = set()
        todo = list(roots)
        while todo:
            root = todo.pop()
            if root not in seen:
                seen.add(root)
                todo += self._holds.get(root.of, NOWHERE) if root.kind == "held" else ()
        return frozenset(root for root in seen if root.kind != "held")
