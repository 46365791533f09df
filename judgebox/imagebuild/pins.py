"""Which image is the one: `images.lock.json`, and a local stand-in where that is allowed."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
from dataclasses import dataclass
from pathlib import Path

from judgebox.errors import ImageError
from judgebox.folders import cache_folder
from judgebox.imagebuild.archive import Image
from judgebox.imagebuild.lock import Lock, write_lock
from judgebox.imagebuild.recipe import Recipe

ALLOW_LOCAL = "JUDGEBOX_ALLOW_LOCAL_IMAGE"
"""Set to 1, a locally relocked image may stand in for the pinned one (for CI, not for results)."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One entry of `images.lock.json`."""

    id: str
    """Image id, `sha256:` and 64 hex digits."""
    size: int
    """Bytes of its layers, unpacked."""
    date: str
    """Day it was pinned, `YYYY-MM-DD`."""
    recipe: str
    """Digest of the recipe it was built from."""
    lock: str
    """Digest of the lock's packages."""


def recipe_folder() -> Path:
    """Folder of recipes and locks: in the installed package, else in the repository.

    Raises:
        ImageError: there is none.
    """
    package = Path(__file__).parent.parent
    for folder in (package / "judge-image", package.parent / "judge-image"):
        if folder.is_dir():
            return folder
    raise ImageError("no recipes in this installation", "install judgebox anew")


def recipe_names(folder: Path | None = None) -> list[str]:
    """Names of all recipes."""
    return sorted(path.stem for path in (folder or recipe_folder()).glob("*.toml"))


def read_pins(folder: Path | None = None) -> dict[str, Pin]:
    """All pinned images by name.

    Raises:
        ImageError: `images.lock.json` is there but does not read.
    """
    path = (folder or recipe_folder()) / "images.lock.json"
    if not path.exists():
        return {}
    try:
        return {name: Pin(**entry) for name, entry in json.loads(path.read_text("utf-8")).items()}
    except (TypeError, ValueError, AttributeError) as error:
        raise ImageError(f"{path}: {error!r}", "restore it from version control") from error


def pinned(name: str, folder: Path | None = None) -> Pin:
    """The pin of image `name`.

    Raises:
        ImageError: no such image is pinned.
    """
    pins = read_pins(folder)
    if name not in pins:
        raise ImageError(
            f"no image {name!r} is pinned (there are: {', '.join(sorted(pins)) or 'none'})",
            f"check the name; a new recipe is pinned by `judgebox image build --pin {name}`",
        )
    return pins[name]


def lock_path(name: str, folder: Path) -> Path:
    """Where the lock of `name` stands."""
    return folder / f"{name}.lock.json"


def tag_of(name: str, image_id: str) -> str:
    """The tag an image is loaded under, for people; nothing runs by it."""
    return f"judgebox/{name}:{image_id.removeprefix('sha256:')[:12]}"


def changed_since(pin: Pin, recipe: Recipe, lock: Lock) -> list[str]:
    """What is no longer as it was when `pin` was made, one line each."""
    name = recipe.name
    return [
        text
        for changed, text in (
            (
                recipe.digest != pin.recipe,
                f"{name}.toml or a file in {name}/ changed since the pin",
            ),
            (lock.digest != pin.lock, f"{name}.lock.json changed since the pin"),
        )
        if changed
    ]


def write_pin(name: str, image: Image, recipe: Recipe, lock: Lock, folder: Path) -> None:
    """Make `image` the pinned one; an unchanged id keeps its date."""
    pins = read_pins(folder)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    if name in pins and pins[name].id == image.id:
        today = pins[name].date
    pins[name] = Pin(image.id, image.size, today, recipe.digest, lock.digest)
    table = {key: dataclasses.asdict(pins[key]) for key in sorted(pins)}
    (folder / "images.lock.json").write_text(json.dumps(table, indent=1) + "\n", "utf-8")


def stand_in_path(name: str) -> Path:
    """Where a local stand-in for image `name` is recorded."""
    return cache_folder() / "stand-ins" / f"{name}.json"


def stand_in(name: str, pin: Pin) -> str | None:
    """Id of the recorded stand-in for exactly this pin, where such are allowed."""
    path = stand_in_path(name)
    if os.environ.get(ALLOW_LOCAL) != "1" or not path.exists():
        return None
    try:
        entry = json.loads(path.read_text("utf-8"))
        return str(entry["id"]) if entry["instead_of"] == pin.id else None
    except (KeyError, TypeError, ValueError) as error:
        raise ImageError(f"{path}: {error!r}", "remove it") from error


def record_stand_in(name: str, image_id: str, pin: Pin, lock: Lock) -> None:
    """Record that `image_id`, made from `lock`, may stand in for `pin` on this machine."""
    path = stand_in_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lock(lock, path.with_suffix(".lock.json"))
    path.write_text(json.dumps({"id": image_id, "instead_of": pin.id}) + "\n", "utf-8")
