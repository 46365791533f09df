"""From a recipe and a lock to an image: no root, no chroot, any operating system.

    recipe.py    what belongs in an image (`judge-image/NAME.toml`)
    lock.py      exactly which packages that is (`judge-image/NAME.lock.json`)
    resolve.py   a recipe into a lock, with apt's own solver (Debian only)
    mirrors.py   where this machine gets Debian packages
    fetch.py     the packages of a lock, checked by sha256
    layer.py     packages and files into one layer
    derive.py    what has to be executed to exist, as another layer
    archive.py   layers into a docker archive and its image id
    engine.py    the container engine: load, look, and its errors in our words
    pins.py      which image is the one (`judge-image/images.lock.json`)
    build.py     all of these in order

The image id is a function of recipe and lock alone.  `judgebox.images` is the way in.
"""
