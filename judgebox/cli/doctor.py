"""`judgebox doctor`: can this machine judge, and if not, what would mend it?

Every check looks at a real container, from outside (what the engine says) or from inside (what
a candidate's program finds there).
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from judgebox.errors import JudgeError
from judgebox.job import Job, Limits, Step, StepReport

if TYPE_CHECKING:
    from judgebox.engines.container import Container
    from judgebox.engines.docker import DockerEngine

MIB = 1 << 20
LIMITS = Limits(
    cpu_s=5, wall_s=10, memory_bytes=128 * MIB, output_bytes=65536, file_bytes=MIB, processes=16
)

PROBE = r"""
import json, os, socket, time
def tried(action):
    try:
        action()
    except OSError as error:
        return os.strerror(error.errno)
    return ""
status = dict(line.split(":\t", 1) for line in open("/proc/self/status") if ":\t" in line)
print(json.dumps({
    "uid": os.getuid(), "groups": os.getgroups(), "time": time.time(),
    "capabilities": int(status["CapPrm"], 16) | int(status["CapEff"], 16),
    "no_new_privileges": int(status["NoNewPrivs"]), "seccomp": int(status["Seccomp"]),
    "interfaces": [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line],
    "internet": tried(lambda: socket.socket(socket.AF_INET)),
    "netlink": tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
    "written": [place for place in ("/", "/etc", "/usr/bin", "/var", "/job", "/job/tool")
                if not tried(lambda: open(place + "/judgebox-doctor", "w"))],
    "runner": tried(lambda: open("/proc/1/mem", "rb")),
}))
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    name: str
    ok: bool
    detail: str
    mend: str = ""


def add_parser(subparsers: Any) -> None:
    """Add `doctor` to the command line."""
    parser = subparsers.add_parser(
        "doctor",
        help="check that this machine can judge",
        description="Check engine, image, isolation, clock and limits; exit 0 if all is well, "
        "3 if not. Each failed check says how to mend it.",
    )
    parser.add_argument(
        "--image",
        default="frama-c",
        metavar="NAME|ID",
        help="judge image to check with, by name or by id (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Check, print, and return the exit status."""
    checks = []
    for check in examine(args.image):
        checks.append(check)
        if not args.json:
            print(f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.detail}", flush=True)
            if not check.ok:
                print(f"        mend: {check.mend}", flush=True)
    well = all(check.ok for check in checks)
    if args.json:
        print(json.dumps({"ok": well, "checks": [dataclasses.asdict(c) for c in checks]}, indent=2))
    return 0 if well else 3


def examine(image: str) -> Iterator[Check]:
    """All checks; stops early where the rest would only repeat the first failure."""
    from judgebox.engines.container import Container, connect
    from judgebox.engines.docker import DockerEngine

    try:
        api = connect()
        about = api.info()
        api.close()
    except JudgeError as error:
        yield Check("engine", False, error.problem, error.mend)
        return
    version = about.get("CgroupVersion", "?")
    yield Check(
        "engine",
        about.get("OSType") == "linux",
        f"{about.get('ServerVersion')} on {about.get('OperatingSystem')}, "
        f"{about.get('NCPU')} cores, {about.get('MemTotal', 0) // MIB} MiB",
        "judge images are Linux images: let DOCKER_HOST name an engine on Linux",
    )
    options = " ".join(about.get("SecurityOptions") or [])
    yield Check(
        "engine seccomp", "seccomp" in options, options or "none", "use a kernel with seccomp"
    )
    lacking = [name for name in ("MemoryLimit", "PidsLimit", "CpuCfsQuota") if not about.get(name)]
    yield Check(
        "cgroup",
        not lacking,
        f"version {version}" + (f", without {', '.join(lacking)}" if lacking else ""),
        "boot with these controllers on (cgroup_enable=memory; delegate them if rootless)",
    )
    try:
        image_id = _image_id(image)
        container = Container(image_id, 256 * MIB, 1.0)
    except JudgeError as error:
        yield Check("image", False, error.problem, error.mend)
        return
    try:
        yield Check("image", True, f"{image_id}; runner: {container.about}")
        yield from _from_outside(container)
    finally:
        container.discard()
    engine = DockerEngine()
    try:
        yield from _from_inside(engine, image_id)
        yield from _limits(engine, image_id)
    except JudgeError as error:
        yield Check("jobs", False, error.problem, error.mend)
    finally:
        engine.shut_down()


def _image_id(image: str) -> str:
    """Id of the image that a judge would use here; nothing is built."""
    if re.fullmatch(r"sha256:[0-9a-f]{64}", image):
        return image
    from judgebox.imagebuild.engine import engine, has_image
    from judgebox.imagebuild.pins import pinned, stand_in

    pin = pinned(image)
    with engine() as client:
        other = None if has_image(client, pin.id) else stand_in(image, pin)
    return other or pin.id


def _from_outside(container: Container) -> Iterator[Check]:
    facts = container.inspect()
    host = facts["HostConfig"]
    mounts = [mount.get("Source", "?") for mount in facts.get("Mounts", [])]
    paths = mounts + list(host.get("Binds") or []) + list(host.get("Devices") or [])
    yield Check(
        "no host path",
        not paths,
        f"mounted: {paths}" if paths else "nothing of the host is mounted",
        "the image declares a volume, or the engine adds mounts: use the pinned image",
    )
    yield Check(
        "network none",
        host.get("NetworkMode") == "none",
        f"network mode {host.get('NetworkMode')}",
        "the engine replaced the network mode: check its configuration",
    )


def _from_inside(engine: DockerEngine, image: str) -> Iterator[Check]:
    _run(engine, image, ("true",), LIMITS)  # start the container: it shall not count as clock skew
    before = time.time()
    step = _run(engine, image, ("python3", "-I", "-S", "-c", PROBE), LIMITS)
    after = time.time()
    if not step.ok:
        yield Check(
            "probe", False, f"{step.outcome}: {step.stderr[-500:]!r}", "see the words above"
        )
        return
    seen = json.loads(step.stdout)
    same = "the engine changed the container's settings: check its configuration"
    yield Check(
        "jobs are not root",
        seen["uid"] >= 1000 and not seen["groups"] and not seen["capabilities"],
        f"uid {seen['uid']}, capabilities {seen['capabilities']:#x}",
        same,
    )
    yield Check(
        "no egress",
        seen["interfaces"] == ["lo"] and bool(seen["internet"]) and bool(seen["netlink"]),
        f"interfaces {seen['interfaces']}; a socket: {seen['internet'] or 'allowed'}",
        same,
    )
    yield Check(
        "read-only root",
        not seen["written"],
        f"could write to {seen['written']}" if seen["written"] else "nothing could be written",
        same,
    )
    yield Check(
        "seccomp, no new privileges",
        seen["seccomp"] == 2 and seen["no_new_privileges"] == 1,
        f"seccomp mode {seen['seccomp']}, no_new_privs {seen['no_new_privileges']}",
        same,
    )
    yield Check("runner out of reach", bool(seen["runner"]), seen["runner"] or "readable", same)
    yield Check(
        "clock",
        before - 2 <= seen["time"] <= after + 2,
        f"{seen['time'] - (before + after) / 2:+.2f} s from this host's",
        "set both clocks by NTP",
    )


def _limits(engine: DockerEngine, image: str) -> Iterator[Check]:
    python = ("python3", "-I", "-S", "-c")
    tries: tuple[tuple[str, str, Limits, Callable[[StepReport], bool]], ...] = (
        (
            "memory limit",
            "held = []\nwhile True: held.append(b'x' * 1048576)",
            LIMITS,
            lambda step: step.outcome == "memory",
        ),
        (
            "memory limit of the container",
            "held = []\nwhile True: held.append(b'x' * 16777216)",
            dataclasses.replace(LIMITS, memory_bytes=256 * MIB),
            lambda step: step.outcome == "memory",
        ),
        (
            "cpu limit",
            "while True: pass",
            dataclasses.replace(LIMITS, cpu_s=0.5, wall_s=60),
            lambda step: step.limit == "cpu",
        ),
        (
            "wall limit",
            "import time; time.sleep(100)",
            dataclasses.replace(LIMITS, wall_s=0.5),
            lambda step: step.limit == "wall",
        ),
        (
            "process limit",
            "import os, time\nfor _ in range(40):\n if not os.fork(): time.sleep(9); os._exit(0)",
            LIMITS,
            lambda step: step.exit_status == 1 and b"BlockingIOError" in step.stderr,
        ),
        (
            "output limit",
            "while True: print('again')",
            LIMITS,
            lambda step: step.outcome == "output_limit",
        ),
    )
    for name, code, limits, good in tries:
        step = _run(engine, image, (*python, code), limits)
        ended = f"ended by {step.outcome}" + (f" ({step.limit})" if step.limit else "")
        yield Check(
            name,
            good(step),
            f"{ended} after {step.wall_s:.2f} s, {step.cpu_s:.2f} s of CPU",
            "the engine's cgroup does not hold this limit: see `cgroup` above",
        )


def _run(engine: DockerEngine, image: str, argv: tuple[str, ...], limits: Limits) -> StepReport:
    report = asyncio.run(engine.run(Job(image, (Step("probe", argv, limits, "candidate"),))))
    return report["probe"]
