"""Tasks that ask for the body of one C function and are judged by proof.

A task is rebuilt from its data and `ProofRewardConfig` alone: source, oracle and references are
looked up in the pack that the data names.  What a model could ever see is in the data; references,
oracles and wrong bodies are not.

A reply is judged once per scoring.  A candidate's fault is a verdict and earns its reward; a
`JudgeError` is left to the framework, which records the rollout as errored (`TaskError`).
"""

from __future__ import annotations

import importlib.resources
import logging
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

import verifiers.v1 as vf
from pydantic import Field

from judgebox.acsl.pack import Pack, read_pack
from judgebox.acsl.prove import ProofCase
from judgebox.acsl.task import PackTask
from judgebox.environment.judging import Settings, open_judge
from judgebox.environment.record import metrics, record
from judgebox.environment.selection import Row, select
from judgebox.errors import UsageError
from judgebox.rubric import Weights, parts
from judgebox.verdict import Status, Verdict

IMAGE = "frama-c"
PUBLIC = (
    *("id", "title", "statement", "family", "tier", "split", "loops"),
    *("source", "calls", "ghost", "goto"),
)
"""Columns of a pack from which data and prompt are made."""

_INFO = "judgebox"
"""Where `trace.info` keeps what became of the reply."""
_WEIGHTS = Weights()
_log = logging.getLogger(__name__)


class ProofRewardConfig(vf.TaskConfig):
    """How replies are judged and rewarded.

    The weights of the reward parts are the framework's own setting: `rewards.gate.weight` and so
    on for `gate`, `progress`, `full_proof`, `integrity`.
    """

    profile: Literal["staged", "rows", "goals"] = "staged"
    """What `progress` means; see `judgebox.rubric`."""
    engine: Literal["docker"] = "docker"
    """Container engine; `DOCKER_HOST` says where it is."""
    slots: int | None = Field(None, ge=1)
    """Containers at once, over all processes of the host (None: two per core)."""
    cache: bool = True
    """Whether verdicts are kept."""
    cache_file: Path | None = None
    """Database of the kept verdicts (None: the user's own)."""
    pack: Path | None = None
    """A JSONL file written by `judgebox pack`, in place of the environment's own."""

    @property
    def settings(self) -> Settings:
        """The judge asked for."""
        kept = (self.cache_file or True) if self.cache else False
        return Settings(IMAGE, self.engine, self.slots, kept)


class ProofData(vf.TaskData):
    """What a trace records of a task."""

    id: str = ""
    pack: str = ""
    """`package/name` of the pack, unless the configuration names a file."""
    digest: str = ""
    """sha256 of the packaged row, so that a trace says exactly what was asked."""
    family: str = ""
    tier: int = 0
    split: str = ""


class ProofRewardTask(vf.Task[ProofData, vf.State, ProofRewardConfig]):
    """Complete one C function under its contract."""

    @property
    def key(self) -> str:
        """The task's id: the hash of the data would change with its position."""
        return self.data.id

    @property
    def packed(self) -> PackTask:
        """The task in its pack.

        Raises:
            UsageError: the pack of this process does not hold it, or holds another version.
        """
        pack = pack_at(self.config.pack, self.data.pack)
        task = pack[self.data.id]
        if pack.digests[self.data.id] != self.data.digest:
            raise UsageError(
                f"task {self.data.id} is not the one in pack {pack.name} here: install the same "
                "version of the environment everywhere, or name the same pack"
            )
        return task

    async def judge(self, reply: str) -> Verdict:
        """The verdict on a model's reply.

        Raises:
            JudgeError: the judge could not judge.
        """
        bench = await open_judge(self.config.settings)
        return await bench.judge.judge(
            ProofCase(self.packed.task, reply, image=await bench.image())
        )

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether every reference of the task is proved; needs no model."""
        for number, reference in enumerate(self.packed.references, 1):
            verdict = await self.judge(reference)
            if verdict.status is not Status.PROVED:
                _log.warning(
                    "%s: reference %d: %s: %s",
                    *(self.data.id, number, verdict.status.value, verdict.message),
                )
                return False
        return True

    async def score(
        self, trace: vf.Trace[Any, Any, Any], runtime: vf.Runtime | None = None
    ) -> None:
        """Judge the reply once, then let the framework record rewards and metrics from it."""
        if not getattr(self, "scoring_deferred", False):
            verdict = await self.judge(trace.last_reply)
            trace.info[_INFO] = record(verdict, parts(verdict, self.config.profile))
        await super().score(trace, runtime)

    @vf.metric
    async def judged(self, trace: vf.Trace[Any, Any, Any]) -> dict[str, float]:
        """What the verdict counts; recorded under the names of its entries."""
        return metrics(trace.info[_INFO])

    @vf.reward(weight=_WEIGHTS.gate)
    async def gate(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """The rules are kept, and compiler and Frama-C accept the code."""
        return _part(trace, "gate")

    @vf.reward(weight=_WEIGHTS.progress)
    async def progress(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """How far the body is from a full proof."""
        return _part(trace, "progress")

    @vf.reward(weight=_WEIGHTS.full_proof)
    async def full_proof(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """Everything is proved."""
        return _part(trace, "full_proof")

    @vf.reward(weight=_WEIGHTS.integrity)
    async def integrity(self, trace: vf.Trace[Any, Any, Any]) -> float:
        """The contract is untouched; counted together with a full proof only."""
        return _part(trace, "integrity")


class ProofTasksetConfig(vf.TasksetConfig):
    """Which tasks load, and what their prompts say."""

    task: ProofRewardConfig = ProofRewardConfig()
    split: Literal["train", "dev", "test", "all"] = "train"
    """Which split."""
    tiers: list[int] | None = None
    """Only these tiers, 1 (easiest) to 5."""
    families: list[str] | None = None
    """Only these families."""
    ids: list[str] | None = None
    """Only these tasks, `family/task`."""
    limit: int | None = Field(None, ge=1)
    """At most so many, the first in the order that `seed` gives."""
    seed: int = 0
    """Order of the tasks; the same on every machine."""
    instructions: str | None = None
    """System prompt in place of the environment's own."""


class ProofTaskset(vf.Taskset[ProofRewardTask, ProofTasksetConfig]):
    """A pack of proof tasks.  Environments set `PACK` and write the prompts."""

    PACK: ClassVar[str]
    """`package/name`: the package's `data/name.jsonl`."""

    def instructions(self) -> str:
        """The system prompt."""
        raise NotImplementedError

    def prompt(self, row: Row) -> str:
        """The user prompt of one task, from its public columns."""
        raise NotImplementedError

    def load(self) -> Iterator[ProofRewardTask]:
        """Select tasks and build them.

        Raises:
            UsageError: the pack cannot be read, or the selection names what is not there.
        """
        config = self.config
        pack = pack_at(config.task.pack, self.PACK)
        rows = select(
            public_rows(_file(config.task.pack, self.PACK)),
            split=config.split,
            tiers=config.tiers,
            families=config.families,
            ids=config.ids,
            limit=config.limit,
            seed=config.seed,
        )
        system_prompt = config.instructions or self.instructions()
        for number, row in enumerate(rows):
            data = ProofData(
                idx=number,
                id=row["id"],
                name=row["id"],
                description=row["title"],
                prompt=self.prompt(row),
                system_prompt=system_prompt,
                pack=self.PACK,
                digest=pack.digests[row["id"]],
                family=row["family"],
                tier=row["tier"],
                split=row["split"],
            )
            yield ProofRewardTask(data, config.task)


def public_rows(jsonl: Path) -> Iterable[dict[str, Any]]:
    """The public columns of a pack, read by `datasets` (imported here: it takes seconds)."""
    import datasets

    rows: Iterable[dict[str, Any]] = datasets.load_dataset(
        "json", data_files=str(jsonl), split="train", streaming=True
    ).select_columns(list(PUBLIC))
    return rows


def pack_at(file: Path | None, name: str) -> Pack:
    """The pack in `file`, else the one that `package/name` ships; read once per process.

    Raises:
        UsageError: it cannot be read.
    """
    return _read_once(_file(file, name))


def _file(file: Path | None, name: str) -> Path:
    if file is not None:
        return file.absolute()
    package, _, stem = name.partition("/")
    return Path(str(importlib.resources.files(package).joinpath("data", f"{stem}.jsonl")))


@cache
def _read_once(file: Path) -> Pack:
    return read_pack(file)


def _part(trace: vf.Trace[Any, Any, Any], name: str) -> float:
    value: float = trace.info[_INFO]["parts"][name]
    return value
