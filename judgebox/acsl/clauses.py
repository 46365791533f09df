"""Clauses of an annotation, and the two that make a contract one of total correctness."""

from __future__ import annotations

from collections.abc import Sequence

from judgebox.acsl.tokens import Token, words

CONTRACT_WORDS = words(
    "requires terminates decreases assigns ensures exits allocates frees behavior assumes"
    " complete disjoint"
)


def clauses(tokens: Sequence[Token]) -> list[tuple[Token, ...]]:
    """Split at the `;` that end clauses; those of quantifiers and `\\let` do not.

    The last clause lacks its `;` when the annotation does.
    """
    found: list[tuple[Token, ...]] = []
    first = bound = 0
    for index, token in enumerate(tokens):
        if token.text in ("\\forall", "\\exists", "\\let", "∀", "∃"):
            bound += 1
        elif token.text == ";":
            if bound:
                bound -= 1
            else:
                found.append(tuple(tokens[first : index + 1]))
                first = index + 1
    if first < len(tokens):
        found.append(tuple(tokens[first:]))
    return found


def head(clause: Sequence[Token]) -> str:
    """The word that says what a contract clause is, `check` and `admit` aside."""
    words = [token.text for token in clause[:2]]
    return words[-1] if words[0] in ("check", "admit") else words[0]


def is_contract(tokens: Sequence[Token]) -> bool:
    """Whether an annotation is a function contract."""
    return bool(tokens) and head(tokens) in CONTRACT_WORDS


def heads(tokens: Sequence[Token]) -> set[str]:
    """The contract words among the clauses' heads, those inside behaviours included."""
    found: set[str] = set()
    for clause in clauses(tokens):
        found.add(head(clause))
        if clause[0].text == "behavior":  # `behavior NAME: assumes …;` is one clause to us
            rest = clause[3:]
            if rest:
                found.add(head(rest))
    return found


def total(contract: Token) -> list[tuple[int, str]]:
    """What to insert, and at which offset, so that the contract demands termination.

    Frama-C 25 wants `requires`, `terminates`, `decreases` in this order before all other clauses;
    `exits` may stand right after them.  Clauses that are there stay as they are.
    """
    have = heads(contract.inner)
    parts = clauses(contract.inner)
    index = 0
    while index < len(parts) and head(parts[index]) == "requires":
        index += 1
    inserts: list[tuple[int, str]] = []
    if "terminates" not in have:
        inserts.append((_offset(contract, parts, index), "terminates \\true;"))
    while index < len(parts) and head(parts[index]) in ("terminates", "decreases"):
        index += 1
    if "exits" not in have:
        inserts.append((_offset(contract, parts, index), "exits \\false;"))
    return inserts


def _offset(contract: Token, parts: list[tuple[Token, ...]], index: int) -> int:
    """Where clause `index` begins, or where the last one ends."""
    return parts[index][0].start if index < len(parts) else contract.inner[-1].end
