"""Which file system a path lies on, as far as it matters: this machine's own, or a network's."""

from __future__ import annotations

import os
import re
from pathlib import Path

# fmt: off
NETWORK_TYPES = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda",
    "fuse.ceph", "fuse.cifs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys",
    "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
    "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2",
    "orangefs", "panfs", "smb3", "smbfs", "vboxsf", "wekafs",
})
# fmt: on
"""Types, as the kernel names them, whose files several machines may map or lock at once."""

_MOUNTS = Path("/proc/self/mounts")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def mount_of(path: str, mounts: str) -> tuple[str, str] | None:
    """Mount point and type of the file system that holds the absolute `path`.

    `mounts` is the text of /proc/mounts: see fstab(5) for its columns and octal escapes.  None if
    no line covers the path.
    """
    found: tuple[str, str] | None = None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[1])
        covers = point == "/" or path == point or path.startswith(point + "/")
        # a later line of the same point lies over the earlier one
        if covers and (found is None or len(point) >= len(found[0])):
            found = point, fields[2]
    return found


def network_type(path: Path) -> str | None:
    """Type of the network file system that `path` (existing or not) lies on; None if local.

    Also None where the kernel lists no mounts (no /proc: not Linux).
    """
    try:
        mounts = _MOUNTS.read_text("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    mount = mount_of(os.path.realpath(path), mounts)
    return mount[1] if mount and mount[1] in NETWORK_TYPES else None
