"""The env of one chat turn: the model replies once, and the reply is judged."""

from __future__ import annotations

import verifiers.v1 as vf

from judgebox.environment.judging import open_judge
from judgebox.environment.proof import ProofRewardConfig


class ReplyEnvConfig(vf.SingleAgentEnvConfig):
    """Defaults that need no account and no container beside the judge's own."""

    agent: vf.AgentConfig = vf.AgentConfig(
        harness=vf.HarnessConfig(id="null"), runtime=vf.SubprocessConfig(), max_turns=1
    )
    """One chat turn without tools, on this machine: the model's program executes no code."""


class ReplyEnv(vf.SingleAgentEnv, vf.Env[ReplyEnvConfig]):
    """A single reply per episode; a judge that does not work ends the episode before it."""

    async def setup(self, agents: vf.Agents) -> None:
        """Fail before the model is asked, not after: the episode is then errored (`EnvError`)."""
        task = self.config.taskset.task
        if isinstance(task, ProofRewardConfig):
            await (await open_judge(task.settings)).image()
