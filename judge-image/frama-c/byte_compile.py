"""Byte-compile a library of Python modules into a folder that is later laid over it.

usage: byte_compile.py LIBRARY OUT
"""

import pathlib
import py_compile
import sys

library, out = (pathlib.Path(argument) for argument in sys.argv[1:])
for source in sorted(library.rglob("*.py")):
    if {"test", "lib2to3"} & set(source.parts):
        continue  # holds files that are meant not to compile
    cache = out / source.relative_to(library).parent / "__pycache__"
    cache.mkdir(parents=True, exist_ok=True)
    py_compile.compile(
        str(source),
        cfile=str(cache / f"{source.stem}.{sys.implementation.cache_tag}.pyc"),
        dfile=str(source),
        doraise=True,
        # by hash and unchecked: no time stamp in the file, no look at the source at start
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
