"""The compiled modules, which pyproject.toml has no stable table for yet; all else stands there."""

import os
import shutil
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import PlatformError

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


class BuildExtensions(build_ext):
    """Says in one sentence what is missing on a machine that cannot compile."""

    def build_extensions(self) -> None:
        """Build all extensions.

        Raises:
            PlatformError: There is no C compiler, or Python has no headers.
        """
        compiler = getattr(self.compiler, "compiler_so", [""])[0]
        headers = any(Path(folder, "Python.h").exists() for folder in self.compiler.include_dirs)
        lacking = [] if headers else ["the headers of Python (Debian: apt-get install python3-dev)"]
        if compiler and not shutil.which(compiler):
            lacking.insert(0, f"a C compiler: {compiler} was not found (Debian: apt-get install gcc)")
        if lacking:
            raise PlatformError(f"building bakeoff from source needs {' and '.join(lacking)}")
        super().build_extensions()


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
    # It attaches to running programs, and is written for POSIX.
    if sys.platform != "win32" or PACKAGE / "bench/watch" not in source.parents
]

setup(
    ext_modules=[extension(source) for source in SOURCES],
    cmdclass={"build_ext": BuildExtensions},
    options={"build_ext": {"cython_c_in_temp": True}},
)
