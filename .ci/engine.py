"""Make sure that a container engine answers: install Debian's and start it when root, else say how.

Speaks to the socket, not to a `docker` command: on some machines that is only a client.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

LOG = Path("/var/log/judgebox-dockerd.log")


class _Unix(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(5)
        self.sock.connect("/var/run/docker.sock")


def answers() -> bool:
    """Whether the engine's socket answers a ping."""
    try:
        connection = _Unix("localhost")
        connection.request("GET", "/_ping")
        return connection.getresponse().status == 200
    except OSError:
        return False


def main() -> int:
    """0 when an engine answers, in the end."""
    if os.environ.get("DOCKER_HOST"):
        print(f"container engine: DOCKER_HOST={os.environ['DOCKER_HOST']} (not touched)")
        return 0
    if answers():
        return 0
    dockerd = shutil.which("dockerd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if os.geteuid() != 0:
        print(
            "No container engine answers at /var/run/docker.sock. Install Docker Engine (Debian and"
            " Ubuntu: `sudo apt-get install docker.io`), start it, and add yourself to the group"
            " `docker`; or point DOCKER_HOST at an engine.",
            file=sys.stderr,
        )
        return 1
    if dockerd is None:
        if shutil.which("apt-get") is None:
            print("No container engine, and no apt-get: install Docker Engine.", file=sys.stderr)
            return 1
        print("installing a container engine (apt-get install docker.io)", flush=True)
        quiet = {
            "stdout": subprocess.DEVNULL,
            "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"},
        }
        subprocess.run(["apt-get", "update", "-qq"], check=True, **quiet)
        install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
        subprocess.run([*install, "docker.io", "iptables"], check=True, **quiet)
        dockerd = "/usr/sbin/dockerd"
        if answers():  # the package has started it
            return 0
    print(f"starting the container engine in the background (log: {LOG})", flush=True)
    with LOG.open("ab") as log:
        subprocess.Popen(
            [dockerd], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    for _ in range(120):
        if answers():
            return 0
        time.sleep(0.5)
    print(f"the engine does not answer after a minute; see {LOG}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
