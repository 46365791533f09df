"""The taskset: the pack that ships with this package, under this package's prompts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formally_verified_c import prompts
from judgebox.environment.proof import ProofTaskset
from judgebox.environment.reply import ReplyEnv


class FormallyVerifiedC(ProofTaskset):
    """C functions to complete under their ACSL contracts."""

    PACK = "formally_verified_c/core-v1"

    def instructions(self) -> str:
        """The system prompt."""
        return prompts.SYSTEM

    def prompt(self, row: Mapping[str, Any]) -> str:
        """The user prompt of one task."""
        return prompts.prompt(row)


class FormallyVerifiedCEnv(ReplyEnv):
    """One chat turn without tools, on this machine; the judge runs in its own containers."""
