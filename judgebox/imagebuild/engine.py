"""The container engine as image work needs it, and its errors in our words."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
import docker.errors
import requests
from docker import DockerClient

from judgebox.errors import EngineError, ImageError
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.lock import Package

PACKAGES_FILE = "usr/share/judge/packages.json"
"""In every image: [name, version, sha256] of the packages it is made of."""

_TIMEOUT_S = 900  # an engine takes minutes to load an image on a slow disk


@contextlib.contextmanager
def engine() -> Iterator[DockerClient]:
    """A client of the engine that `DOCKER_HOST` names, or of the local one.

    Raises:
        EngineError: the engine does not answer, or refuses.
        ImageError: an image is not where it was looked for; a file cannot be read or written.
    """
    try:
        with contextlib.closing(docker.from_env(timeout=_TIMEOUT_S)) as client:
            yield client
    except docker.errors.NotFound as error:
        raise ImageError(f"not found: {error.explanation}", "check the image's name") from error
    except (docker.errors.DockerException, requests.RequestException) as error:
        raise EngineError(
            f"container engine: {error}",
            "start it, or set DOCKER_HOST; `judgebox doctor` says more",
        ) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise ImageError(
            f"{error.filename or 'disk'}: {error.strerror or error}",
            "free some space" if full else "check its permissions, or set JUDGEBOX_CACHE",
        ) from error


def has_image(client: DockerClient, image_id: str) -> bool:
    """Whether the engine holds an image of this id."""
    try:
        return bool(client.images.get(image_id).id == image_id)
    except docker.errors.ImageNotFound:
        return False


def load_image(client: DockerClient, image: Image, tag: str | None) -> None:
    """Load `image` into the engine under its id and, if given, `tag` (`name:tag`).

    Raises:
        EngineError: the engine gives it another id.
        docker.errors.DockerException: the engine.
    """
    with tempfile.TemporaryDirectory(prefix="judgebox-") as folder:
        path = Path(folder) / "image.tar"
        image.write(path, tag)
        with path.open("rb") as file:
            (loaded,) = client.images.load(file)
    if loaded.id != image.id:
        raise EngineError(
            f"the engine calls image {image.id} {loaded.id}",
            "judges run by the id of the image's configuration: on a Docker engine set "
            '"features": {"containerd-snapshotter": false} in daemon.json',
        )


def packages_of(client: DockerClient, image_id: str) -> list[Package]:
    """The packages an image says it is made of (none if it does not say).

    Only their name, version and sha256 are real.

    Raises:
        docker.errors.DockerException: the engine.
    """
    container = client.containers.create(image_id, ["true"], network_mode="none")
    try:
        chunks, _ = container.get_archive(f"/{PACKAGES_FILE}")
        data = b"".join(chunks)
    except docker.errors.NotFound:
        return []  # not an image of ours
    finally:
        container.remove(force=True, v=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        content = tar.extractfile(tar.getmembers()[0])
        assert content is not None  # asked for by name: a regular file
        listed = json.loads(content.read())
    return [Package(name, version, "", "pool/", 0, sha256) for name, version, sha256 in listed]
