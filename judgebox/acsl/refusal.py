"""Why a submission is not judged: one reason, one line, one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from judgebox.acsl.tokens import LexError, Token
from judgebox.verdict import Reason


@dataclass(frozen=True, slots=True)
class Refusal:
    """A submission that integrity or a body rule refuses."""

    reason: Reason
    message: str
    """One line that a model can act on."""
    line: int | None = None
    """1-based, in the submitted code."""
    column: int | None = None


class RefusedError(Exception):
    """Carries a refusal out of a rule; never leaves this package."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal

    @classmethod
    def of(cls, error: LexError) -> RefusedError:
        """The refusal that a lexical error amounts to."""
        return cls(Refusal(error.reason, error.message, error.line, error.column))


def refuse(reason: Reason, message: str, at: Token | None = None) -> NoReturn:
    """Refuse, pointing at a token."""
    line, column = (at.line, at.column) if at is not None else (None, None)
    raise RefusedError(Refusal(reason, message, line, column))
