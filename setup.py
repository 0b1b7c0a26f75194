"""The compiled modules, which pyproject.toml has no stable table for yet; all else stands there."""

import hashlib
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, PlatformError

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


KEPT = os.environ.get("BAKEOFF_BUILDS")
"""Folder of compiled modules, for those who set up checkouts; a release is always compiled."""


class BuildExtensions(build_ext):
    """Compiles on all cores, and says in one sentence what is missing on a machine that cannot compile."""

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
        if not hasattr(os, "fork"):
            super().build_extensions()
            return
        self.check_extensions_list(self.extensions)
        running: dict[int, str] = {}
        for extension in sorted(self.extensions, key=size, reverse=True):
            if len(running) == (os.cpu_count() or 1):
                self._await(running)
            running[self._begin(extension)] = extension.name
        while running:
            self._await(running)

    def _begin(self, extension: Extension) -> int:
        """Build an extension in a process of its own, as Cython is Python, too; return its id."""
        sys.stdout.flush()
        if process := os.fork():
            return process
        code = 1
        try:
            self.build_extension(extension)
            code = 0
        except Exception as error:  # noqa: BLE001 - the parent raises its own
            sys.stderr.write(f"{error}\n")
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _await(self, running: dict[int, str]) -> None:
        """Wait for the end of a process.

        Raises:
            CompileError: Its extension was not built; the others are waited for.
        """
        process, status = os.wait()
        name = running.pop(process)
        if status:
            while running:
                running.pop(os.wait()[0])
            raise CompileError(f"{name} was not built; the reason is above")

    def build_extension(self, ext: Extension) -> None:
        """Build an extension, or take it from the kept ones."""
        if KEPT is None:
            super().build_extension(ext)
            return
        kept, target = Path(KEPT, digest(ext)), Path(self.get_ext_fullpath(ext.name))
        if (module := taken(kept)) is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(module)
            target.chmod(0o755)
            return
        self.force = True  # what is there may be made from something else
        super().build_extension(ext)
        with suppress(OSError):  # it is compiled again the next time
            keep(target.read_bytes(), kept)


def taken(kept: Path) -> bytes | None:
    """Return a kept module; None if there is none that is whole and this user's."""
    try:
        with kept.open("rb") as file:
            owner = os.fstat(file.fileno()).st_uid
            checksum, module = file.read(hashlib.sha256().digest_size), file.read()
        if owner != os.geteuid() or hashlib.sha256(module).digest() != checksum:
            return None
        kept.touch()
    except OSError:
        return None
    return module


def keep(module: bytes, kept: Path) -> None:
    """Keep a module, after its checksum."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    new = kept.with_suffix(f".{os.getpid()}")
    new.write_bytes(hashlib.sha256(module).digest() + module)
    new.replace(kept)


def size(extension: Extension) -> int:
    """Return the bytes of an extension's source: the largest takes longest, and is begun first."""
    return sum(Path(source).stat().st_size for source in extension.sources)


def digest(extension: Extension) -> str:
    """Return a digest of all that an extension is made from, except the compiler."""
    found = hashlib.sha256()
    for text in made_from(extension):
        found.update(hashlib.sha256(text).digest())
    return found.hexdigest()


def made_from(extension: Extension) -> Iterator[bytes]:
    """Yield what an extension is made from; it may include a declaration of any other."""
    for setting in ("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "ARCHFLAGS"):
        yield os.environ.get(setting, "").encode()
    yield extension.name.encode() + sys.version.encode() + sysconfig.get_config_var("EXT_SUFFIX").encode()
    yield sysconfig.get_platform().encode()
    yield version("Cython").encode() + version("setuptools").encode()
    declared = [path for depth in ("*/*", "*/*/*") for path in PACKAGE.glob(f"{depth}/*.px[id]")]
    for path in (Path("setup.py"), *map(Path, extension.sources), *sorted(declared)):
        yield path.read_bytes()


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
