"""Definite assignment: no local is read where it may be without a value (C11 6.7.9p10, 6.3.2.1p2).

The flow analysis that Java asks of its locals (JLS, chapter 16), over a body as it is read: all
conditions but constants may come out either way, and a local has a value where every path gave it
one.  Only `x = …` on the whole of a local and an initialiser give one; to name a local in any other
way (`x`, `x += 1`, `&x`, `x.member = 1`, `x[0] = 1`) is to read it, except under `sizeof`.
An expression may be followed in the order of its text, since `judgebox.acsl.effects` refuses those
whose order matters.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A local or a parameter: one for each declaration, whatever its name."""

    depth: int
    """How many times it can be dereferenced; each dimension of an array counts."""
    array: bool = False


Unset = frozenset[Variable]
"""The locals that may be without a value at some point; none where nothing can run."""
Branches = tuple[Unset, Unset]
"""What is unset where a condition holds, and where it does not."""
NONE: Unset = frozenset()


@dataclass(slots=True)
class _Exits:
    """What the jumps out of one loop or switch, or to its next round, leave unset."""

    entry: Unset | None
    """Of a switch: what is unset at each of its labels."""
    broken: Unset = NONE
    continued: Unset = NONE
    default: bool = False


class Assignments:
    """Follows a body; `unset` belongs to the point read so far, and is set by who reads it."""

    def __init__(self) -> None:
        self.unset: Unset = NONE
        self._bad: list[Variable] = []
        self._around: list[_Exits] = []

    @property
    def definite(self) -> bool:
        """Whether each local read so far had a value."""
        return not self._bad

    @property
    def repeated(self) -> bool:
        """Whether a loop stands around the point read so far."""
        return any(exits.entry is None for exits in self._around)

    # --- variables

    def declare(self, variable: Variable) -> None:
        """A local begins without a value."""
        self.unset |= {variable}

    def assign(self, variable: Variable | None) -> None:
        """A variable gets a value; None is one of the task's."""
        if variable in self.unset:
            self.unset -= {variable}

    def read(self, variable: Variable | None) -> None:
        """A variable is named."""
        if variable is not None and variable in self.unset:
            self._bad.append(variable)

    def mark(self) -> int:
        """A point for `since` to go back to."""
        return len(self._bad)

    def since(self, mark: int) -> list[Variable]:
        """Take back what has been read without a value since `mark`."""
        taken = self._bad[mark:]
        del self._bad[mark:]
        return taken

    # --- expressions

    def skip(self, operator: str, left: Branches) -> Unset:
        """Go on behind `&&` or `||`; what is unset where the right side is skipped."""
        true, false = left
        self.unset, skipped = (true, false) if operator == "&&" else (false, true)
        return skipped

    def join(self, operator: str, skipped: Unset, right: Branches) -> Branches:
        """The end of `&&` or `||`."""
        true, false = right
        made = (true, false | skipped) if operator == "&&" else (true | skipped, false)
        self.unset = made[0] | made[1]
        return made

    # --- statements

    @contextmanager
    def loop(self) -> Iterator[_Exits]:
        """The body of a loop, entered as `unset` says; the caller sets `unset` for its end.

        One reading is enough: a second round finds no local unset that the first one did not.
        """
        exits = _Exits(None)
        self._around.append(exits)
        yield exits
        self._around.pop()

    @contextmanager
    def switch(self) -> Iterator[None]:
        """The block of a switch: nothing runs before its first label."""
        exits = _Exits(self.unset)
        self._around.append(exits)
        self.unset = NONE
        yield
        self._around.pop()
        self.unset |= exits.broken
        if not exits.default and exits.entry is not None:
            self.unset |= exits.entry

    def label(self, word: str) -> None:
        """A `case` or `default` of the innermost switch: control falls or jumps to it."""
        exits = self._around[-1]
        exits.default |= word == "default"
        self.unset |= exits.entry or NONE

    def jump(self, word: str) -> None:
        """`break`, `continue` or `return`: nothing runs behind it."""
        for exits in reversed(self._around):
            if word == "break":
                exits.broken |= self.unset
                break
            if word == "continue" and exits.entry is None:
                exits.continued |= self.unset
                break
        self.unset = NONE
