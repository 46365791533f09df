"""What goes wrong, by who is at fault.

    JudgeError              ours: the rollout is marked as errored, nothing is cached
    ├── EngineError         the container engine is down, or a container was lost
    │   └── JobEndedContainer   this job ended two containers: the judge makes it a verdict
    ├── ImageError          a judge image is missing, differs from its pin or cannot be built
    └── CacheError          the verdict cache cannot be used (disk full, network file system, …)
    UsageError              the caller's: a bad option, or a task file that states no problem

A candidate's fault is never an exception: it is a `judgebox.verdict.Verdict`.
"""

from __future__ import annotations


class JudgeError(Exception):
    """The judge could not judge.  `mend` says what would make it work again."""

    def __init__(self, problem: str, mend: str = "") -> None:
        super().__init__(f"{problem}\n  mend: {mend}" if mend else problem)
        self.problem = problem
        self.mend = mend

    def __reduce__(self) -> tuple[type[JudgeError], tuple[str, str]]:
        return type(self), (self.problem, self.mend)  # survives a process boundary whole


class EngineError(JudgeError):
    """The engine does not answer, refused a container, or lost one in the middle of a job."""


class JobEndedContainer(EngineError):
    """The same job ended two fresh containers, with a canary passing between them.

    The one engine error that is the candidate's: `judgebox.judge.Judge` turns it into `crashed`.
    """


class ImageError(JudgeError):
    """A judge image is missing, is not the pinned one, or cannot be built here."""


class CacheError(JudgeError):
    """The verdict cache cannot be opened, read or written."""


class UsageError(ValueError):
    """Wrong input from the caller; the message says what to do about it."""
