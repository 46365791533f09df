"""The judge image in a real engine: its id, what is in it, and that it is built the same again."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import json
import multiprocessing
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from docker import DockerClient

from judgebox import images
from judgebox.errors import EngineError, ImageError
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.engine import PACKAGES_FILE, engine, has_image, load_image, packages_of
from judgebox.imagebuild.fetch import Places
from judgebox.imagebuild.layer import Layer
from judgebox.imagebuild.lock import Lock, Package, changes, read_lock, write_lock
from judgebox.imagebuild.progress import LogProgress

pytestmark = pytest.mark.container


@pytest.fixture
def client() -> Iterator[DockerClient]:
    with engine() as opened:
        yield opened


@pytest.fixture(scope="module")
def frama_c() -> str:
    """Id of the pinned image; this builds it where it is not there."""
    image_id = images.ensure("frama-c")
    assert image_id == images.pinned("frama-c").id
    return image_id


def run(client: DockerClient, image_id: str, script: str) -> str:
    """Standard output of a Python script in the locked-down image; its status must be 0."""
    container = client.containers.create(
        image_id,
        ["python3", "-I", "-S", "-c", script],
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        user="65534:65534",
        tmpfs={"/job": "exec,mode=1777", "/tmp": "exec,mode=1777"},
    )
    try:
        container.start()
        status = container.wait()["StatusCode"]
        said = container.logs(stdout=True, stderr=status != 0).decode()
        assert status == 0, said
        return said
    finally:
        container.remove(force=True)


# What the image can do

PROVE = """
import json, subprocess
open("goal.c", "w").write('''
/*@ requires -100 <= x <= 100 && -100 <= y <= 100; assigns \\\\nothing; ensures WANTED; */
int f(int x, int y) { return 3 * x - 3 * y; }
'''.replace("WANTED", WANTED))
said = subprocess.run(
    ["frama-c", "-no-autoload-plugins", "-load-module", "wp,rtegen,report,variadic", "-wp",
     "-wp-steps", "60000", "-wp-timeout", "100", "-wp-cache", "none", "-wp-prover", PROVER,
     "-wp-report-json", "report.json", "goal.c"],
    env={"PATH": "/usr/bin", "HOME": "/tmp", "WHY3CONFIG": "/etc/judge/why3.conf"},
    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
report = json.load(open("report.json"))["wp:global"]
print(json.dumps([said.returncode, report, said.stdout]))
"""


@pytest.mark.parametrize(
    ("prover", "shown"), [("cvc4", "CVC4:1.8"), ("z3", "Z3:4.8.12"), ("cvc5", "CVC5:1.0.3")]
)
def test_each_prover_proves_a_right_goal_and_no_wrong_one(
    client: DockerClient, frama_c: str, prover: str, shown: str
) -> None:
    for wanted, proved in ((r"-600 <= \\result", 1), (r"-599 <= \\result", 0)):
        script = f"WANTED, PROVER = '{wanted}', '{prover}'\n{PROVE}"
        status, report, said = json.loads(run(client, frama_c, script))
        assert status == 0, said
        assert report.get(shown, {}).get("valid", 0) == proved, said
        if proved:
            assert report[shown]["rank"] > 0, "the steps it took"
            assert report["wp:main"]["total"] == report["wp:main"]["valid"], said
        assert "failed" not in said.lower(), said


SANITIZE = """
import json, os, subprocess
open("x.c", "w").write(
    "#include <limits.h>\\n#include <stdio.h>\\n#include <stdlib.h>\\n"
    "int main(int n, char **v) { int *a = malloc(4 * sizeof *a); a[3] = INT_MAX - 1;\\n"
    "if (n == 2) a[3 + n - 1] = 1; if (n == 3) a[3] += n;\\n"
    'printf("%d\\\\n", a[3]); free(a); return 0; }')
subprocess.run(["gcc", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                "-fno-sanitize=object-size", "x.c", "-o", "x"], check=True)
ran = [subprocess.run(["./x", *more], capture_output=True, text=True)
       for more in ([], ["1"], ["1", "2"])]
print(json.dumps([[r.returncode, r.stdout, r.stderr] for r in ran]))
"""


def test_the_sanitizers_catch_overflows_and_pass_a_right_program(
    client: DockerClient, frama_c: str
) -> None:
    right, heap, signed = json.loads(run(client, frama_c, SANITIZE))
    assert right == [0, "2147483646\n", ""]
    assert heap[0] != 0
    assert "heap-buffer-overflow" in heap[2]
    assert signed[0] != 0
    assert "signed integer overflow" in signed[2]


INSPECT = """
import bz2, ctypes, hashlib, importlib.util, json, lzma, os, resource, select, socket, struct
import subprocess, zlib
found = {"dangling": [], "libraries": [], "not compiled": []}
for module in (json, subprocess, ctypes):
    if not os.path.exists(importlib.util.cache_from_source(module.__file__)):
        found["not compiled"].append(module.__file__)
for folder, _, names in os.walk("/usr"):
    for path in (os.path.join(folder, name) for name in names):
        if os.path.islink(path):
            if not os.path.exists(path):
                found["dangling"].append(path)
        elif open(path, "rb").read(4) == b"\\x7fELF" and not path.endswith((".o", ".a")):
            linker = ["/lib64/ld-linux-x86-64.so.2", "--list", path]
            said = subprocess.run(linker, capture_output=True, text=True).stdout
            if "not found" in said:
                found["libraries"].append([path, said])
packages = [name for name, *_ in json.load(open("/usr/share/judge/packages.json"))]
found["copyright"] = [
    name for name in packages if not os.path.isfile(f"/usr/share/doc/{name}/copyright")]
found["tools"] = [
    t for t in ("as", "ld", "gcc", "python3", "frama-c") if not os.access("/usr/bin/" + t, os.X_OK)]
found["writable"] = [
    d for d in ("/", "/etc", "/usr", "/usr/lib/judge", "/opt") if os.access(d, os.W_OK)]
print(json.dumps(found))
"""


def test_nothing_is_missing_in_the_image(client: DockerClient, frama_c: str) -> None:
    found: dict[str, list[Any]] = json.loads(run(client, frama_c, INSPECT))
    assert {what: which for what, which in found.items() if which} == {}


def test_verify_finds_nothing_to_say(frama_c: str) -> None:
    assert images.verify("frama-c") == []


# The same again


@pytest.mark.slow
def test_two_more_builds_give_the_pinned_id(client: DockerClient, frama_c: str) -> None:
    for _ in range(2):
        done = images.build("frama-c", again=True)
        assert done == images.Outcome(frama_c, built=True, pinned=True)
    assert has_image(client, frama_c)


@pytest.mark.slow
def test_a_lost_package_is_relocked_into_the_cache_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("apt-get"):
        pytest.skip("needs a Debian machine")
    folder = tmp_path / "judge-image"
    shutil.copytree(images.recipe_folder(), folder)
    path = folder / "frama-c.lock.json"
    lock = read_lock(path)
    lost = dataclasses.replace(
        lock.packages[0], path="pool/main/g/gone/gone.deb", sha256="0" * 64, version="0-lost"
    )
    write_lock(dataclasses.replace(lock, packages=(lost, *lock.packages[1:])), path)
    before = {item: item.read_bytes() for item in folder.rglob("*") if item.is_file()}
    nowhere = functools.partial(Places, snapshots="http://127.0.0.1:1")
    monkeypatch.setattr(images, "Places", nowhere)
    monkeypatch.setattr("judgebox.imagebuild.pins.cache_folder", lambda: tmp_path / "cache")
    progress = Told()
    with pytest.raises(ImageError, match="0-lost"):
        images.build("frama-c", progress, folder, again=True)
    done = images.build("frama-c", progress, folder, again=True, relock_if_gone=True)
    assert (done.built, done.pinned) == (True, False)
    (warning,) = progress.warnings
    assert "RELOCKED LOCALLY" in warning
    assert f"{lost.name}: 0-lost → " in warning
    assert {item: item.read_bytes() for item in before} == before
    record = json.loads((tmp_path / "cache" / "stand-ins" / "frama-c.json").read_text())
    assert record == {"id": done.id, "instead_of": images.pinned("frama-c").id}


class Told(LogProgress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.steps: list[str] = []
        self.warnings: list[str] = []

    def say(self, text: str) -> None:
        self.steps.append(text)

    def warn(self, text: str) -> None:
        self.warnings.append(text)


# Pins, with an image of one file


@pytest.fixture
def tiny(tmp_path: Path, client: DockerClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the recipe of an image without packages, pinned but not in the engine."""
    monkeypatch.setenv("JUDGEBOX_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "recipes"
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny" / "x").write_text(f"of this test only: {tmp_path}")
    (folder / "tiny.toml").write_text(
        'suite = "bookworm"\npackages = []\n[files]\n"etc/x" = "x"\n[dirs]\n"job" = "1777"\n'
    )
    write_lock(Lock("bookworm", "20260101T000000Z", ()), folder / "tiny.lock.json")
    image_id = images.build("tiny", folder=folder, pin=True).id
    client.images.remove(image_id)
    yield folder
    for image in client.images.list("judgebox/tiny"):
        client.images.remove(str(image.id), force=True)


def steps_of_ensure(folder: Path) -> tuple[str, list[str]]:
    progress = Told()
    return images.ensure("tiny", progress, folder), progress.steps


def test_many_processes_build_once(tiny: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(4, spawn) as pool:
        results = list(pool.map(steps_of_ensure, [tiny] * 4))
    assert {image_id for image_id, _ in results} == {images.pinned("tiny", tiny).id}
    assert sum(bool(steps) for _, steps in results) == 1


def test_another_image_than_the_pinned_is_not_loaded(tiny: Path, client: DockerClient) -> None:
    pin = images.pinned("tiny", tiny)
    assert images.verify("tiny", tiny) == [f"the engine does not hold {pin.id}"]
    (tiny / "tiny" / "x").write_text("changed")
    with pytest.raises(ImageError, match=r"a file in tiny/ changed since the pin") as raised:
        images.ensure("tiny", folder=tiny)
    assert "judgebox image build --pin tiny" in raised.value.mend
    assert client.images.list("judgebox/tiny") == []
    done = images.build("tiny", folder=tiny, pin=True)
    assert done.id != pin.id
    assert images.verify("tiny", tiny) == []


def other_image() -> tuple[Image, Package]:
    """An image that says it is made of one package."""
    package = Package("thing", "2.0", "debian", "pool/thing.deb", 1, "a" * 64)
    layer = Layer()
    layer.file(PACKAGES_FILE, json.dumps([["thing", "2.0", "a" * 64]]).encode())
    return Image((layer.tar(),)), package


def test_verify_lists_the_packages_in_which_another_image_differs(
    tiny: Path, client: DockerClient
) -> None:
    image, package = other_image()
    load_image(client, image, "judgebox/tiny:other")
    assert changes([package], packages_of(client, image.id)) == []
    assert images.verify("tiny", tiny) == [
        f"the engine does not hold {images.pinned('tiny', tiny).id}",
        f"it holds {image.id}; packages that differ: 1",
        "  thing: (none) → 2.0",
    ]


# A registry


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """A registry on loopback (Debian's docker-registry)."""
    program = shutil.which("docker-registry")
    if not program:
        pytest.skip("docker-registry is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    config = tmp_path / "registry.yml"
    config.write_text(
        f"version: 0.1\nlog: {{level: error}}\nhttp: {{addr: '{address}'}}\n"
        f"storage: {{filesystem: {{rootdir: '{tmp_path / 'registry'}'}}}}\n"
    )
    with subprocess.Popen([program, "serve", str(config)], stderr=sys.stderr) as process:
        try:
            for _ in range(100):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", int(address.split(":")[1]))) == 0:
                        break
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()


def pushed(client: DockerClient, image_id: str, address: str) -> str:
    """Push an image and remove it here; its reference by digest."""
    repository = f"{address}/tiny"
    client.images.get(image_id).tag(repository, "1")
    digest = ""
    for line in client.images.push(repository, "1", stream=True, decode=True):
        assert "error" not in line, line
        digest = line.get("aux", {}).get("Digest", digest)
    client.images.remove(image_id, force=True)
    return f"{repository}@{digest}"


def test_a_pull_takes_the_pinned_image_and_no_other(
    tiny: Path, client: DockerClient, registry: str
) -> None:
    pin = images.pinned("tiny", tiny)
    images.ensure("tiny", folder=tiny)
    reference = pushed(client, pin.id, registry)
    assert not has_image(client, pin.id)
    assert images.pull("tiny", reference, tiny) == pin.id
    assert images.verify("tiny", tiny) == []

    image, _ = other_image()
    load_image(client, image, None)
    reference = pushed(client, image.id, registry)
    with pytest.raises(ImageError, match=r"thing: \(none\) → 2\.0"):
        images.pull("tiny", reference, tiny)
    assert not has_image(client, image.id)
    with pytest.raises((ImageError, EngineError)):
        images.pull("tiny", f"{registry}/none@sha256:{'0' * 64}", tiny)
