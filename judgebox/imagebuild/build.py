"""A recipe and its lock into an image."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from docker import DockerClient

from judgebox.errors import ImageError
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.derive import derived_layer
from judgebox.imagebuild.engine import PACKAGES_FILE, load_image
from judgebox.imagebuild.layer import Layer
from judgebox.imagebuild.lock import Lock
from judgebox.imagebuild.progress import Progress
from judgebox.imagebuild.recipe import Recipe


def base_layer(recipe: Recipe, lock: Lock, packages: Mapping[str, Path]) -> bytes:
    """The layer of packages and files, from the fetched `packages` of `lock`.

    Raises:
        ImageError: the lock lacks a package that the recipe names; a hard link's end is left out.
    """
    locked = {item.name for item in lock.packages}
    if lacking := {*recipe.packages, *recipe.pick} - locked:
        raise ImageError(
            f"the lock of {recipe.name} lacks: {', '.join(sorted(lacking))}",
            f"`judgebox image relock {recipe.name}`",
        )
    layer = Layer()
    for item in lock.packages:
        layer.package(packages[item.name], recipe.exclude, recipe.pick.get(item.name))
    layer.merged_usr()
    for path, target in recipe.links.items():
        layer.link(path, target)
    for path, data in recipe.files.items():
        layer.file(path, data)
    for path, data in recipe.executables.items():
        layer.file(path, data, executable=True)
    for path, mode in recipe.dirs.items():
        layer.folder(path, mode)
    listed = [[item.name, item.version, item.sha256] for item in lock.packages]
    layer.file(PACKAGES_FILE, json.dumps(listed, indent=0).encode())
    return layer.tar()


def build_image(
    recipe: Recipe,
    lock: Lock,
    packages: Mapping[str, Path],
    client: DockerClient,
    progress: Progress,
) -> Image:
    """The whole image.  Only a recipe with a derive step uses the engine.

    Raises:
        ImageError: the recipe cannot be built.
        docker.errors.DockerException: the engine.
    """
    progress.say(f"unpack {len(lock.packages)} packages")
    base = Image((base_layer(recipe, lock, packages),), recipe.env)
    if not recipe.derive:
        return base
    for step in recipe.derive:
        progress.say(f"derive, twice: {step.command}")
    load_image(client, base, None)
    try:
        derived = derived_layer(client, base.id, recipe.derive)
    finally:
        client.images.remove(base.id)  # the finished image brings its own
    return Image((*base.layers, derived), recipe.env)
