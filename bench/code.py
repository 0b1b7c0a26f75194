"""What a codec's figures depend on besides the version of its library: code that may change without one.

A check calls `imported` after it has used the codec. Modules outside installation folders count by their
content: codecs of the user's own, what they import from their folder, editable installs. An installed package
counts if it is the codec's library or if such a module imports it: others are in a process or not by chance.
It counts by its version, and also by its list of files if it was installed from a folder, an archive or a
repository (PyPA specifications, "Recording the Direct URL Origin of installed distributions").
"""

from __future__ import annotations

import ast
import hashlib
import os
import pickletools
import re
import sys
import sysconfig
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

_STARTED = frozenset(sys.modules)
"""Modules of every worker."""
_OURS = __name__.partition(".")[0]
_STANDARD = f"{Path(os.__file__).parent}{os.sep}"
_DIGITS = 10


class _Package(NamedTuple):
    """An installed package.

    Attributes:
        version: Its version.
        modules: The names at the top of what it installed; only known if `digest` is.
        digest: Digest of its list of files; empty if an index has given it, so that the version suffices.
    """

    version: str
    modules: Collection[str] = ()
    digest: str = ""


def read_packages() -> None:
    """Read what is installed, for this process and its forks; that takes longer than all the rest."""
    for folder in filter(None, sys.path):
        _packages(folder)


def imported(library: str, known: str) -> dict[str, str]:
    """Return the version or the digest of each module that this process has imported for a codec.

    Modules of the standard library are left out, as they have the version of Python; so are ours.

    Args:
        library: The distribution of the codec's library.
        known: Its version; packages of this version are left out, unless they may have changed without
            another one.
    """
    installed = {
        f"{folder}{os.sep}": there for folder in filter(None, sys.path) if (there := _packages(folder))
    }
    found: dict[str, str] = {}
    versions: dict[str, str] = {}
    wanted: set[str] = set()
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None)
        top = name.partition(".")[0]
        if name in _STARTED or top in (_OURS, "__main__") or not isinstance(file, str):
            continue
        if folder := max(filter(file.startswith, installed), key=len, default=""):
            # A library may name a module of its own, whose package is not imported.
            stated = vars(sys.modules.get(top, module)).get("__version__")
            package, version = _version(top, stated, installed[folder])
            if version not in ("", known):
                versions[top] = version
            if package == _normal(library):
                wanted.add(top)
        elif not file.startswith(_STANDARD):
            found[name] = _of_file(file)
            wanted |= _imports(file)
    return found | {top: version for top, version in versions.items() if top in wanted}


def of_pickle(data: bytes) -> str:
    """Return a digest of a pickle that does not depend on the order of sets, which differs by process."""
    parts = (f"{code.name} {arg!r}" for code, arg, _ in pickletools.genops(data) if not _is_memo(code.name))
    return _digest("\n".join(sorted(parts)).encode())


def of_package(folder: Path) -> str:
    """Return a digest of the code of a package in a folder, compiled code included."""
    endings = (".py", str(sysconfig.get_config_var("EXT_SUFFIX")))
    files = (Path(top, name) for top, _, names in os.walk(folder, followlinks=True) for name in names)
    chosen = sorted(file for file in files if file.name.endswith(endings))
    return _of_lines(f"{file.relative_to(folder)} {_of_file(str(file))}" for file in chosen)


def _version(top: str, stated: object, packages: dict[str, _Package]) -> tuple[str, str]:
    """Return the package of a module and its version, with a digest if it may have changed without one."""
    for name, each in packages.items():
        if each.digest and top in each.modules:
            return name, f"{each.version} ({each.digest})"
    package = packages.get(_normal(top))
    return _normal(top), package.version if package else stated if isinstance(stated, str) else ""


@cache
def _imports(file: str) -> frozenset[str]:
    """Return the names at the top of what a module imports, also within functions; none of compiled code."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level
    }
    return frozenset(name.partition(".")[0] for name in names)


@cache
def _packages(folder: str) -> dict[str, _Package]:
    """Return the packages that are installed in a folder, by normalized name; none in other folders."""
    try:
        entries = [Path(entry.path) for entry in os.scandir(folder) if entry.name.endswith(".dist-info")]
    except OSError:
        return {}
    found = {}
    for entry in entries:
        name, _, version = entry.name.removesuffix(".dist-info").rpartition("-")
        files = entry / "RECORD"
        if (entry / "direct_url.json").exists() and files.exists():
            lines = files.read_text(encoding="utf-8").splitlines()
            tops = {re.split(r"[/.,]", line, maxsplit=1)[0] for line in lines}
            found[_normal(name)] = _Package(version, tops, _of_lines(sorted(lines)))
        else:
            found[_normal(name)] = _Package(version)
    return found


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_memo(opcode: str) -> bool:
    return opcode == "FRAME" or "MEMO" in opcode or "PUT" in opcode or "GET" in opcode


def _of_file(file: str) -> str:
    try:
        return _digest(Path(file).read_bytes())
    except OSError:
        return "unreadable"


def _of_lines(lines: Iterable[str]) -> str:
    return _digest("\n".join(lines).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
