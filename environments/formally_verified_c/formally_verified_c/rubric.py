"""The reward as settings: which profile, and how much each part weighs.

The parts themselves are `judgebox.rubric`; a weight is the framework's own setting of a reward, so
`[env.taskset.task.rewards.gate] weight = 0.2` in a TOML says the same as `weights={"gate": 0.2}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgebox.rubric import PARTS, Weights, profile_named


def reward_settings(reward: str, weights: Mapping[str, float] | None) -> dict[str, Any]:
    """The fields of the task's configuration that say what is rewarded.

    Raises:
        UsageError: there is no such profile or part, or a weight is negative or no number.
    """
    chosen = Weights.of(weights)
    return {
        "profile": profile_named(reward),
        "rewards": {name: {"weight": chosen.of_part(name)} for name in PARTS},
    }
