"""What has to be executed to exist: a command in the image built so far, offline, done twice."""

from __future__ import annotations

from docker import DockerClient
from docker.types import LogConfig
from docker.utils.socket import STDOUT, frames_iter

from judgebox.errors import ImageError
from judgebox.imagebuild.layer import Layer
from judgebox.imagebuild.recipe import Derive

_PACK = "import sys, tarfile; tarfile.open(fileobj=sys.stdout.buffer, mode='w|').add('out', '')"
_SHELL = 'mkdir out && ({command}) >&2 && exec python3 -I -S -c "{pack}"'


def derived_layer(client: DockerClient, image_id: str, steps: tuple[Derive, ...]) -> bytes:
    """The layer that `steps` make in the image `image_id`.

    Raises:
        ImageError: a command failed, or did not leave the same bytes twice.
        docker.errors.DockerException: the engine.
    """
    layers = []
    for _ in range(2):
        layer = Layer()
        for step in steps:
            layer.tar_stream(_run(client, image_id, step), step.to)
        layers.append(layer.tar())
    if layers[0] != layers[1]:
        raise ImageError(
            f"not the same bytes twice: {'; '.join(step.command for step in steps)}",
            "correct the command in the recipe, or do it at container start instead",
        )
    return layers[0]


def _run(client: DockerClient, image_id: str, step: Derive) -> bytes:
    container = client.containers.create(
        image_id,
        ["sh", "-ec", _SHELL.format(command=step.command, pack=_PACK)],
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        user="65534:65534",
        tmpfs={"/job": "exec,mode=1777", "/tmp": "exec,mode=1777"},
        pids_limit=256,
        mem_limit="4g",
        log_config=LogConfig(type="none"),
        labels={"judgebox.derive": "1"},
    )
    try:
        output = client.api.attach_socket(
            str(container.id), {"stdout": 1, "stderr": 1, "stream": 1}
        )
        try:
            # attached before the start, and not read from a log: every byte, as it was written
            container.start()
            made, said = bytearray(), bytearray()
            for stream, data in frames_iter(output, tty=False):  # type: ignore[no-untyped-call]
                (made if stream == STDOUT else said).extend(data)
        finally:
            getattr(output, "_response", output).close()  # the SDK leaves it to the caller
            output.close()
        status = container.wait()["StatusCode"]
    finally:
        container.remove(force=True, v=True)
    if status != 0:
        tail = said[-2000:].decode(errors="replace")
        raise ImageError(f"status {status}: {step.command}\n{tail}", "correct the recipe")
    return bytes(made)
