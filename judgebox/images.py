"""Judge images: which one is pinned, and how to have it.

A judge runs in an image by its id, never by a tag.  The id is a function of recipe and lock
(`judgebox.imagebuild`), so whoever has these two can build the image and know that it is the one.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docker import DockerClient
from filelock import FileLock

from judgebox.errors import ImageError, UsageError
from judgebox.folders import cache_folder
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.build import build_image
from judgebox.imagebuild.engine import engine, has_image, load_image, packages_of
from judgebox.imagebuild.fetch import LostPackageError, Places, fetch
from judgebox.imagebuild.lock import Lock, changes, read_lock, write_lock
from judgebox.imagebuild.mirrors import machine_mirrors
from judgebox.imagebuild.pins import (
    ALLOW_LOCAL,
    Pin,
    changed_since,
    lock_path,
    pinned,
    read_pins,
    recipe_folder,
    recipe_names,
    record_stand_in,
    stand_in,
    tag_of,
    write_pin,
)
from judgebox.imagebuild.progress import LogProgress, Progress
from judgebox.imagebuild.recipe import Recipe, read_recipe
from judgebox.imagebuild.resolve import resolve

__all__ = [
    "ALLOW_LOCAL",
    "Outcome",
    "Pin",
    "build",
    "ensure",
    "pinned",
    "present",
    "pull",
    "read_pins",
    "recipe_folder",
    "recipe_names",
    "relock",
    "verify",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a build came to."""

    id: str
    built: bool
    """False when the image was there already."""
    pinned: bool
    """False for a local stand-in."""


def ensure(name: str, progress: Progress | None = None, folder: Path | None = None) -> str:
    """Id of image `name`, which the engine then holds: found, or built here once.

    The pinned image wins.  With JUDGEBOX_ALLOW_LOCAL_IMAGE=1 a stand-in recorded by
    `judgebox image build --relock-if-gone` will do.

    Raises:
        ImageError: it cannot be built, or what was built is not what is pinned.
        EngineError: the engine.
    """
    return _held(name, folder) or build(name, progress, folder).id


def present(name: str, folder: Path | None = None) -> str:
    """Id of image `name`, which the engine must hold already: `ensure` without building.

    Raises:
        ImageError: the engine does not hold it.
        EngineError: the engine.
    """
    if found := _held(name, folder):
        return found
    raise ImageError(
        f"the engine does not hold the judge image {name} ({pinned(name, folder).id})",
        f"judgebox image build {name}",
    )


def build(
    name: str,
    progress: Progress | None = None,
    folder: Path | None = None,
    *,
    again: bool = False,
    pin: bool = False,
    relock_if_gone: bool = False,
) -> Outcome:
    """Build image `name` from its recipe and lock, load it, and hold it against its pin.

    Of several processes that ask, one builds.  `again` builds even if the image is there; `pin`
    makes the result the pinned one; `relock_if_gone` takes today's versions when packages of the
    lock are to be had nowhere, records the result as a local stand-in and leaves recipe folder
    and pin as they are.

    Raises:
        ImageError: it cannot be built, or what was built is not what is pinned.
        EngineError: the engine.
    """
    progress, folder = progress or LogProgress(), folder or recipe_folder()
    recipe = read_recipe(folder, name)
    lock = read_lock(lock_path(name, folder))
    wanted = None if pin else pinned(name, folder)
    with engine() as client, _one_at_a_time(name):
        if wanted and not again and has_image(client, wanted.id):
            return Outcome(wanted.id, built=False, pinned=True)
        if wanted and not again and relock_if_gone:
            other = stand_in(name, wanted)
            if other and has_image(client, other):
                return Outcome(other, built=False, pinned=False)
        try:
            image = _make(client, recipe, lock, progress)
        except LostPackageError as error:
            if not (wanted and relock_if_gone):
                raise
            return _build_stand_in(client, recipe, lock, wanted, error, progress)
        if wanted and image.id != wanted.id:
            raise _not_the_pinned(name, image.id, wanted, recipe, lock)
        progress.say("load the image into the engine")
        load_image(client, image, tag_of(name, image.id))
        if pin:
            write_pin(name, image, recipe, lock, folder)
    return Outcome(image.id, built=True, pinned=True)


def verify(name: str, folder: Path | None = None) -> list[str]:
    """What is wrong with image `name`, one line each; nothing if all is well.

    Raises:
        ImageError: it is not pinned, or recipe or lock do not read.
        EngineError: the engine.
    """
    folder = folder or recipe_folder()
    pin = pinned(name, folder)
    lock = read_lock(lock_path(name, folder))
    problems = changed_since(pin, read_recipe(folder, name), lock)
    with engine() as client:
        if has_image(client, pin.id):
            return problems + changes(lock.packages, packages_of(client, pin.id))
        problems.append(f"the engine does not hold {pin.id}")
        for other in client.images.list(f"judgebox/{name}"):
            differ = changes(lock.packages, packages_of(client, str(other.id)))
            problems.append(f"it holds {other.id}; packages that differ: {len(differ)}")
            problems += [f"  {line}" for line in differ]
    return problems


def pull(name: str, reference: str, folder: Path | None = None) -> str:
    """Fetch image `name` from a registry; `reference` is `REPOSITORY@sha256:…`.  Returns its id.

    Raises:
        UsageError: `reference` has no digest.
        ImageError: it is not there, or is not the pinned image (and is removed again).
        EngineError: the engine.
    """
    if not re.fullmatch(r"[^@\s]+@sha256:[0-9a-f]{64}", reference):
        raise UsageError(f"{reference!r}: give REPOSITORY@sha256:… (a tag can be moved)")
    folder = folder or recipe_folder()
    pin = pinned(name, folder)
    with engine() as client:
        image_id = str(client.images.pull(reference).id)
        if image_id != pin.id:
            lock = read_lock(lock_path(name, folder))
            differ = changes(lock.packages, packages_of(client, image_id))
            client.images.remove(reference)
            raise ImageError(
                f"{reference} is {image_id}, but {name} is pinned as {pin.id}; packages that "
                f"differ (lock → image):\n    " + ("\n    ".join(differ) or "none"),
                f"pull the image of this version of judgebox, or `judgebox image build {name}`",
            )
        client.images.get(image_id).tag(tag_of(name, image_id))
    return image_id


def relock(name: str, folder: Path | None = None) -> list[str]:
    """Resolve recipe `name` anew and write its lock if a package changed; what changed, by line.

    Raises:
        ImageError: not a Debian machine, or apt finds no solution.
    """
    folder = folder or recipe_folder()
    recipe, path = read_recipe(folder, name), lock_path(name, folder)
    old = read_lock(path).packages if path.exists() else ()
    lock = _resolve(recipe)
    changed = changes(old, lock.packages)
    if changed:
        write_lock(lock, path)
    return changed


def _held(name: str, folder: Path | None) -> str | None:
    pin = pinned(name, folder)
    with engine() as client:
        if has_image(client, pin.id):
            return pin.id
        other = stand_in(name, pin)
        return other if other and has_image(client, other) else None


def _make(client: DockerClient, recipe: Recipe, lock: Lock, progress: Progress) -> Image:
    places = Places(machine_mirrors())
    packages = fetch(recipe.name, lock, places, cache_folder() / "packages", progress)
    return build_image(recipe, lock, packages, client, progress)


def _resolve(recipe: Recipe) -> Lock:
    return resolve(recipe, machine_mirrors(), cache_folder() / "apt" / recipe.suite)


@contextlib.contextmanager
def _one_at_a_time(name: str) -> Iterator[None]:
    folder = cache_folder() / "locks"
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / f"image-{name}.lock"):
        yield


def _not_the_pinned(name: str, built: str, pin: Pin, recipe: Recipe, lock: Lock) -> ImageError:
    why = "; ".join(changed_since(pin, recipe, lock)) or (
        "recipe and packages are those of the pin, so the builder itself is another"
    )
    return ImageError(
        f"built {built}, but {name} is pinned as {pin.id}: {why}",
        f"undo the change, or pin the new image: `judgebox image build --pin {name}`",
    )


def _build_stand_in(
    client: DockerClient,
    recipe: Recipe,
    old: Lock,
    pin: Pin,
    lost: LostPackageError,
    progress: Progress,
) -> Outcome:
    lock = _resolve(recipe)
    changed = "\n    ".join(changes(old.packages, lock.packages))
    progress.warn(
        f"{lost.problem}\nRELOCKED LOCALLY: this is NOT the pinned image, and its verdicts are not "
        f"results.  It is used only with {ALLOW_LOCAL}=1.  What changed:\n    {changed}"
    )
    image = _make(client, recipe, lock, progress)
    load_image(client, image, tag_of(recipe.name, image.id))
    record_stand_in(recipe.name, image.id, pin, lock)
    return Outcome(image.id, built=True, pinned=False)
