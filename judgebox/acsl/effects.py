"""What evaluating an expression reads and changes, and whether its order is defined.

Frama-C picks one order of evaluation and gcc another (C11 6.5p2), so two unsequenced side effects
on one object, or one beside another use of it, are refused.  Objects are locals by name, and
`MEMORY` for all that a pointer may reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgebox.acsl.assignment import Branches
from judgebox.acsl.constants import Constant, UndefinedError, binary, unary
from judgebox.acsl.declarations import Member
from judgebox.acsl.refusal import refuse
from judgebox.acsl.roots import NOWHERE, UNKNOWN, Roots
from judgebox.acsl.tokens import Token
from judgebox.verdict import Reason

MEMORY = "*"
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Operand:
    """A (sub)expression, summed up."""

    reads: frozenset[str] = _NONE
    writes: frozenset[str] = _NONE
    """Objects that `++`, `--` or an assignment in it changes."""
    calls: bool = False
    """It calls a function that may change memory."""
    place: frozenset[str] | None = None
    """The object it designates, if it is an lvalue; not read yet."""
    constant: Constant | None = None
    fixed: bool = False
    """Made of constants only."""
    depth: int = 0
    """How many times it can be dereferenced, as far as is known: 0 for what is no pointer."""
    roots: Roots = NOWHERE
    """What it may point into, if it may be a pointer."""
    within: Roots = NOWHERE
    """What a pointer to it would point into."""
    member: bool = False
    """It lies inside a struct that the expression names."""
    name: str | None = None
    """It is nothing but this variable, maybe cast."""
    acts: bool = False
    """Its last operation is a call, `++`, `--` or an assignment."""
    branches: Branches | None = None
    """The locals without a value where it is true and where it is false, if they may differ."""

    @property
    def pointer(self) -> bool:
        """Whether it is known to be a pointer."""
        return self.depth > 0

    def value(self) -> Operand:
        """The operand once its lvalue has been read."""
        if self.place is None:
            return self
        return replace(self, reads=self.reads | self.place, place=None, name=None)


def together(operands: Sequence[Operand]) -> Operand:
    """Operands evaluated one after the other, or in an order that does not matter."""
    return Operand(
        reads=_NONE.union(*(operand.reads for operand in operands)),
        writes=_NONE.union(*(operand.writes for operand in operands)),
        calls=any(operand.calls for operand in operands),
        fixed=all(operand.fixed for operand in operands),
    )


def unsequenced(operands: Sequence[Operand], at: Token) -> Operand:
    """Operands evaluated in no defined order."""
    total = operands[0] if operands else Operand(fixed=True)
    for operand in operands[1:]:
        for one, other in ((total, operand), (operand, total)):
            changed = one.writes & (other.reads | other.writes)
            if changed:
                _refuse(_shown(changed), at)
            if one.calls and (other.calls or MEMORY in other.reads | other.writes):
                _refuse("what a called function may change", at)
        total = together((total, operand))
    return together((total,))


def combine(operator: Token, left: Operand, right: Operand) -> Operand:
    """`left operator right`, a constant if both are."""
    ordered = operator.text in ("&&", "||")
    made = together([left, right]) if ordered else unsequenced([left, right], operator)
    constant = None
    if left.constant is not None and right.constant is not None:
        try:
            constant = binary(operator.text, left.constant, right.constant)
        except UndefinedError as problem:
            message = f"the constant expression is undefined: {problem}"
            refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)
    both = bool(left.roots and right.roots)
    moved = operator.text == "+" or (operator.text == "-" and not both)
    depth = max(left.depth, right.depth) if moved else 0
    roots = left.roots | right.roots if moved else NOWHERE
    return Operand(
        made.reads,
        made.writes,
        made.calls,
        constant=constant,
        fixed=made.fixed,
        depth=depth,
        roots=roots or (UNKNOWN if depth else NOWHERE),  # `NULL + 1`
        acts=ordered and right.acts,
    )


def evaluated(operator: Token, constant: Constant | None) -> Constant | None:
    """A unary operator on what may be a constant."""
    if constant is None:
        return None
    try:
        return unary(operator.text, constant)
    except UndefinedError as problem:
        message = f"the constant expression is undefined: {problem}"
        refuse(Reason.FORBIDDEN_CONSTRUCT, message, operator)


def store(target: Operand, value: Operand | None, at: Token, *, reads: bool) -> Operand:
    """An assignment to `target`, of `value` (None for `++` and `--`); `reads` its old value too."""
    assert target.place is not None
    sides = unsequenced([replace(target, place=None), value or Operand()], at)
    changed = target.place & sides.writes
    if changed:
        _refuse(_shown(changed), at)
    return Operand(
        reads=sides.reads | target.place if reads else sides.reads,
        writes=sides.writes | target.place,
        calls=sides.calls,
        depth=target.depth,
        roots=target.roots,
        acts=True,
    )


def dereferenced(pointer: Operand, inside: Operand | None = None) -> Operand:
    """`*pointer`; `inside` is a pointer's operand before its value was read."""
    depth = max(pointer.depth - 1, 0)
    maybe = depth > 0 or pointer.depth == 0  # a pointer of unknown type may point to pointers
    return Operand(
        pointer.reads,
        pointer.writes,
        pointer.calls,
        frozenset({MEMORY}),
        depth=depth,
        roots=UNKNOWN if maybe else NOWHERE,
        within=pointer.roots or UNKNOWN,
        member=inside is not None and inside.member,
    )


def accessed(base: Operand, member: Member, *, arrow: bool) -> Operand:
    """`base.member` or, with `arrow`, `base->member`."""
    start = base.value() if arrow else base
    return Operand(
        start.reads,
        start.writes,
        start.calls,
        frozenset({MEMORY}) if arrow else start.place,
        depth=member.depth,
        roots=UNKNOWN if member.depth else NOWHERE,
        within=UNKNOWN,
        member=True,
    )


def address(inner: Operand, at: Token) -> Operand:
    """`&inner`: not of what lies inside a struct, whose members WP's model keeps apart."""
    if inner.member:
        message = "the address of a struct's member may not be taken: use the member itself"
        refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)
    return Operand(
        inner.reads,
        inner.writes,
        inner.calls,
        depth=inner.depth + 1,
        roots=inner.within or UNKNOWN,
    )


def discard(operand: Operand, at: Token) -> None:
    """Refuse to throw a value away that is not an effect's: Frama-C drops `x / y;` unasked."""
    if not (operand.acts or operand.fixed or operand.name is not None):
        message = "a value is computed and thrown away here: use it, or leave it out"
        refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)


def _shown(objects: frozenset[str]) -> str:
    names = sorted(objects - {MEMORY})
    return f"`{names[0]}`" if names else "one object in memory"


def _refuse(what: str, at: Token) -> None:
    message = f"{what} is changed and used in no defined order: split the expression"
    refuse(Reason.FORBIDDEN_CONSTRUCT, message, at)
