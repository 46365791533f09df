"""Layers into a docker archive, and the image id, which is a function of the layers.

Format: docker image specification v1.2, `manifest.json` form; what `docker load` reads.
"""

from __future__ import annotations

import datetime
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from judgebox.canonical import canonical_json, sha256_hex
from judgebox.imagebuild.layer import EPOCH

_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Image:
    """Layers (tar files, the lowest first) and the environment its processes start with."""

    layers: tuple[bytes, ...]
    env: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def layer_digests(self) -> list[str]:
        """sha256 of each layer, hex."""
        return [sha256_hex(layer) for layer in self.layers]

    @cached_property
    def config(self) -> bytes:
        """The image's configuration, whose sha256 is the image id."""
        created = datetime.datetime.fromtimestamp(EPOCH, datetime.UTC).strftime(
            "%Y-%m-%dT%H:%M:%SZ"
        )
        env = {"PATH": _PATH, "LANG": "C.UTF-8"} | dict(self.env)
        value: dict[str, Any] = {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "Env": [f"{key}={text}" for key, text in sorted(env.items())],
                "WorkingDir": "/job",
            },
            "rootfs": {
                "type": "layers",
                "diff_ids": [f"sha256:{digest}" for digest in self.layer_digests],
            },
            "history": [{"created": created, "created_by": "judgebox"} for _ in self.layers],
        }
        return canonical_json(value)

    @cached_property
    def id(self) -> str:
        """Image id: `sha256:` and 64 hex digits."""
        return f"sha256:{sha256_hex(self.config)}"

    @property
    def size(self) -> int:
        """Bytes of all layers, unpacked."""
        return sum(len(layer) for layer in self.layers)

    def write(self, path: Path, tag: str | None) -> None:
        """Write the docker archive; `tag` (`name:tag`) does not enter the id."""
        config_name = f"{self.id.removeprefix('sha256:')}.json"
        layer_names = [f"{digest}.tar" for digest in self.layer_digests]
        tags = [tag] if tag else None
        manifest = [{"Config": config_name, "RepoTags": tags, "Layers": layer_names}]
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as tar:
            for name, data in [
                *zip(layer_names, self.layers, strict=True),
                (config_name, self.config),
                ("manifest.json", canonical_json(manifest)),
            ]:
                info = tarfile.TarInfo(name)
                info.size, info.mtime = len(data), EPOCH
                tar.addfile(info, io.BytesIO(data))
