"""One warm hardened container with the runner in it.

The only module that talks to the Docker SDK, and the only place where its errors and the
operating system's become ours (`faults`).  The SDK's client is not thread safe: each container
has its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from typing import Any

import docker
import docker.errors
import requests
from docker.utils import kwargs_from_env

from judgebox import runner
from judgebox.engines import owner
from judgebox.engines.channel import Channel, ChannelClosedError, MalformedFrameError
from judgebox.engines.seccomp import seccomp
from judgebox.errors import EngineError, ImageError
from judgebox.job import Job, Report

MIB = 1 << 20
RUNNER_SHARE = 96 * MIB
"""Memory of a container beyond its class: the runner, kernel structures, /tmp and /dev/shm."""
TMP_BYTES = 16 * MIB
SHM_BYTES = 8 * MIB
INODES = 16384
"""Files of a job; each costs about a KiB of kernel memory until it is wiped."""
TASKS = 2048
CAPABILITIES = ["SETUID", "SETGID", "KILL", "CHOWN", "DAC_OVERRIDE"]
"""What the runner needs to become a job's uid, end its processes and clear its files."""
START_S = 60.0


class ContainerGoneError(Exception):
    """The container ended, or stopped answering, in the middle of a job."""


@contextlib.contextmanager
def faults(image: str = "") -> Iterator[None]:
    """Turn the SDK's and the operating system's errors into ours."""
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise ImageError(
            f"the engine has no image {image}: {error.explanation}",
            "judgebox image build (or pull)",
        ) from error
    except docker.errors.APIError as error:
        words = str(error.explanation or error)
        mend = "free disk space for the engine" if "no space" in words else "judgebox doctor"
        raise EngineError(f"the container engine refused: {words}", mend) from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        raise EngineError(
            f"the container engine does not answer: {error}",
            "start the engine, or set DOCKER_HOST; then: judgebox doctor",
        ) from error


def connect() -> docker.APIClient:
    """A client for the engine that DOCKER_HOST names, or the local one.

    Raises:
        EngineError: it does not answer.
    """
    with faults():
        host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
        if host.startswith("unix://") and os.name == "posix":
            with socket.socket(socket.AF_UNIX) as probe:  # the SDK leaks one that cannot connect
                probe.connect(host.removeprefix("unix://"))
        return docker.APIClient(version="auto", timeout=60, **kwargs_from_env())


class Container:
    """A running container; `run` gives it one job at a time.

    Raises:
        ImageError: no such image.
        EngineError: the engine is down, refused, or the runner does not start.
    """

    def __init__(self, image: str, memory_bytes: int, cpus: float) -> None:
        if not re.fullmatch(r"sha256:[0-9a-f]{64}", image):
            raise ImageError(f"not an image id: {image!r}", "name the image by its sha256 id")
        self.image = image
        self.memory_bytes = memory_bytes
        self.jobs = 0
        self.idle_since = time.monotonic()
        self.about = ""
        """What the runner said when it started: its Python and the cgroup version."""
        self._id = ""
        self._channel: Channel | None = None
        self._raw: Any = None
        self._api = connect()
        try:
            with faults(image):
                self._start(cpus)
        except BaseException:
            self.discard()
            raise

    def _start(self, cpus: float) -> None:
        api = self._api
        name = f"judgebox-{secrets.token_hex(6)}"
        self._id = name  # known before the engine answers, so that `discard` can find it
        api.create_container(
            self.image,
            ["-I", "-S", "-c", runner.BOOT],
            entrypoint=["python3"],
            name=name,
            hostname="judge",
            user="0:0",
            working_dir="/",
            stdin_open=True,  # and closed for good when we hang up: the runner then ends
            labels={owner.LABEL: owner.label()},
            host_config=api.create_host_config(**self._hardening(cpus)),
            use_config_proxy=False,
        )
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        self._raw = api.attach_socket(name, params=streams)
        self._channel = Channel(getattr(self._raw, "_sock", self._raw))
        api.start(name)
        try:
            self._channel.send(runner.source())
            hello = self._channel.receive(1 << 16, START_S)
        except (ChannelClosedError, MalformedFrameError) as error:
            raise EngineError(
                f"the runner did not start: {error}",
                "judgebox doctor; does the image hold python3?",
            ) from error
        if "ready" not in hello:
            raise EngineError(
                f"the runner cannot work here: {hello.get('error')}", "judgebox doctor"
            )
        self.about = str(hello["ready"])

    def _hardening(self, cpus: float) -> dict[str, Any]:
        limit = self.memory_bytes + RUNNER_SHARE
        return {
            "network_mode": "none",
            "dns": ["127.0.0.1"],  # or the engine copies the host's resolver file
            "dns_search": ["."],
            "ipc_mode": "private",
            "read_only": True,
            "cap_drop": ["ALL"],
            "cap_add": CAPABILITIES,
            "security_opt": ["no-new-privileges", f"seccomp={seccomp()}"],
            "mem_limit": limit,
            "memswap_limit": limit,  # equal: no swap
            "pids_limit": TASKS,
            "nano_cpus": int(cpus * 1e9),
            "shm_size": SHM_BYTES,
            "tmpfs": {
                "/job": _tmpfs(self.memory_bytes),
                "/tmp": _tmpfs(TMP_BYTES),
            },
            "log_config": {"Type": "none", "Config": {}},
            "auto_remove": True,
        }

    def run(self, job: Job) -> Report:
        """Run one job.

        Raises:
            ContainerGoneError: the container did not live to answer.
            EngineError: the runner answered nonsense, or failed in itself.
        """
        assert self._channel is not None
        self.jobs += 1
        nonce = secrets.token_hex(16)
        try:
            self._channel.send(json.dumps({**job.to_wire(), "nonce": nonce}).encode())
            answer = self._channel.receive(_most(job), _deadline(job))
            if answer.get("nonce") != nonce:
                raise MalformedFrameError("an answer to another job")
            if "error" in answer:
                raise EngineError(f"the runner failed:\n{answer['error']}", "report this")
            return Report.from_wire(answer, job)
        except ChannelClosedError as error:
            raise ContainerGoneError(str(error)) from error
        except (MalformedFrameError, ValueError) as error:
            raise EngineError(
                f"the runner's answer is malformed: {error}", "report this"
            ) from error

    def inspect(self) -> dict[str, Any]:
        """What the engine says about the container, for `judgebox doctor`."""
        with faults(self.image):
            return dict(self._api.inspect_container(self._id))

    def hang_up(self) -> None:
        """From any thread: make the thread in `run` return at once with `ContainerGoneError`."""
        if self._channel is not None:
            self._channel.close()

    def discard(self) -> None:
        """Kill and remove the container; never raises, for there is nothing left to do."""
        quiet = contextlib.suppress(
            docker.errors.DockerException, requests.RequestException, OSError
        )
        with quiet:
            self._remove()
        self.hang_up()
        with quiet:
            if self._raw is not None:
                response = getattr(self._raw, "_response", None)
                if response is not None:
                    response.close()
                self._raw.close()
        self._api.close()

    def _remove(self) -> None:
        try:
            self._api.remove_container(self._id, force=True)
        except docker.errors.NotFound:
            return
        except docker.errors.APIError as error:
            if error.status_code != 409:
                raise
            # It has ended by itself, and the engine is already removing it.
            self._api.wait(self._id, timeout=10, condition="removed")


def _tmpfs(size: int) -> str:
    return f"rw,exec,nosuid,nodev,size={size},nr_inodes={INODES},mode=1777"


def _most(job: Job) -> int:
    """Bytes of the longest right answer: all output and files in base64, names, and some air."""
    sizes = (
        2 * step.limits.output_bytes + len(step.returns) * step.limits.file_bytes
        for step in job.steps
    )
    return sum(sizes) * 4 // 3 + 65536 * (1 + len(job.steps))


def _deadline(job: Job) -> float:
    """Seconds after which the runner is taken for dead; its own limits end any job long before.

    Wide, because a step's wall limit does not count the time it waited for a core.
    """
    return 300 + 20 * sum(step.limits.wall_s + step.limits.cpu_s for step in job.steps)


def reap_orphans(api: docker.APIClient) -> list[str]:
    """Remove the containers of owners that are dead; their ids."""
    gone = []
    for item in api.containers(all=True, filters={"label": owner.LABEL}):
        if owner.is_dead(item["Labels"].get(owner.LABEL, "")):
            with contextlib.suppress(docker.errors.APIError):  # another process was faster
                api.remove_container(item["Id"], force=True)
                gone.append(item["Id"])
    return gone
