"""The compiled modules, which pyproject.toml has no stable table for yet; all else stands there."""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

PACKAGE = Path("src/bakeoff")
"""Sources are named through the links in it, so that Cython finds each .pxd by its qualified name."""

HAS_FLAGS = "CFLAGS" in os.environ
"""Whoever builds says what is wanted."""

COMPILE = ["-g0", "-O2", "-ffunction-sections"] if os.name == "posix" else []
"""No symbols, which Python's own flags bring along: they take six times the space of the code. The second
level of optimisation, as the third makes the code a tenth larger and no call quicker."""

LINK = ["-s", "-Wl,--gc-sections"]
"""Nothing that nobody calls: what Cython brings along for all that might be written."""

NAMED = ("_leakers",)
"""Whose functions the search for leaks has to name."""


def extension(source: Path) -> Extension:
    """Return the extension of a .pyx file; what it includes lies beside it."""
    return Extension(
        ".".join(("bakeoff", *source.relative_to(PACKAGE).with_suffix("").parts)),
        [source.as_posix()],
        depends=sorted(path.as_posix() for path in source.parent.glob("*.px[id]")),
        extra_compile_args=[] if HAS_FLAGS else COMPILE,
        extra_link_args=LINK if sys.platform == "linux" and not (HAS_FLAGS or source.stem in NAMED) else [],
    )


SOURCES = [
    source
    for depth in ("*/*", "*/*/*")
    for source in sorted(PACKAGE.glob(f"{depth}/*.pyx"))
    # What measures is written for POSIX.
    if sys.platform != "win32" or PACKAGE / "bench" not in source.parents
]

setup(
    ext_modules=[extension(source) for source in SOURCES],
    options={"build_ext": {"cython_c_in_temp": True}},
)
