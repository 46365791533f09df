"""formally-verified-c: complete C functions that Frama-C then proves, as a Verifiers environment.

    import formally_verified_c
    env = formally_verified_c.load_environment(split="train", tiers=[1, 2])

`vf-eval formally-verified-c` and prime-rl load the taskset and the env themselves.
"""

from __future__ import annotations

from formally_verified_c.loading import load_environment
from formally_verified_c.taskset import FormallyVerifiedC, FormallyVerifiedCEnv

__version__ = "0.1.0"
__all__ = ["FormallyVerifiedC", "FormallyVerifiedCEnv", "load_environment"]
