"""A process in which bakeoff lacks what macOS or Windows lack, on Linux.

Only bakeoff's modules lack it: the standard library and other packages adapt to the platform by themselves.
Which names a platform lacks is in the types of the standard library that mypy has (typeshed).

What a function does stays the same, unless Windows refuses an argument. Extensions stay those of Linux.
"""

from __future__ import annotations

import ast
import builtins
import ctypes
import multiprocessing
import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

Lacking = Mapping[str, Sequence[str] | None]
"""Names that a platform lacks, by module; None if it lacks the module."""

PLATFORMS = ("win32", "darwin")
_MODULES = ("fcntl", "grp", "mmap", "os", "pwd", "resource", "select", "signal", "socket", "termios", "time")
_OF_LINUX = ("mallinfo", "mallinfo2", "malloc_trim", "prctl")
"""Functions of its C library that others lack."""
_SHOWN_BY_LINUX = ("/proc/", "/sys/")
_OPENING = {"glob", "io", "os", "pathlib"}
"""Modules between the one that opens a file and the system."""


def lacking(platform: str) -> Lacking:
    """Return what a platform lacks of these modules."""
    found = {}
    for module in _MODULES:
        there = set(_defined(module, platform))
        found[module] = sorted({*_defined(module, "linux")} - there) if there else None
    return found


def _defined(module: str, platform: str) -> Iterator[str]:
    import mypy

    types = Path(mypy.__file__).parent / "typeshed" / "stdlib"
    file = types / f"{module}.pyi"
    text = (file if file.exists() else types / module / "__init__.pyi").read_text()
    system = {"sys": SimpleNamespace(platform=platform, version_info=sys.version_info)}

    def names(body: Sequence[ast.stmt]) -> Iterator[str]:
        for node in body:
            match node:
                case ast.If(test, met, otherwise):
                    yield from names(met if eval(ast.unparse(test), system) else otherwise)
                case ast.ClassDef(name) | ast.FunctionDef(name) | ast.AnnAssign(ast.Name(name)):
                    yield from [name] * (not name.startswith("_"))
                case ast.ImportFrom(inner, aliases) if inner == f"_{module}":
                    yield from (alias.asname or alias.name for alias in aliases)

    return names(ast.parse(text).body)


def become(platform: str, lost: Lacking) -> None:
    """Make the modules of bakeoff that this process imports from now on lack what a platform lacks.

    Args:
        platform: Their ``sys.platform``.
        lost: The result of `lacking`; where mypy is not installed, it is passed on.
    """
    gone = {name for name, names in lost.items() if names is None}
    changed: dict[str, dict[str, Any]] = {
        "sys": {"platform": platform},
        "ctypes": {"CDLL": _library(platform)},
        "importlib.util": {"find_spec": lambda name: None if name in gone else find_spec(name)},
    }
    if platform == "win32":
        changed["subprocess"] = {"Popen": _Popen}
        changed["multiprocessing"] = {"get_context": _context}
    else:
        changed["resource"] = {"RLIMIT_AS": resource.RLIMIT_RSS, "getrusage": _usage}
    known = {
        name: _Part(name, lost.get(name) or (), changed.get(name, {})) for name in {*lost, *changed} - gone
    }
    load = builtins.__import__

    def imported(name: str, *rest: Any, **named: Any) -> ModuleType:
        # A statement passes the names of its module, two more arguments, and its level: 0 if it is absolute.
        asked = len(rest) == 4 and rest[3] == 0 and _is_ours(rest[0])
        if asked and name in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        found = load(name, *rest, **named)
        return known.get(found.__name__, found) if asked else found

    builtins.__import__ = imported
    sys.addaudithook(_hide)


class _Part(ModuleType):
    """A module without some of its names, or with others in their place."""

    def __init__(self, name: str, lost: Sequence[str], instead: Mapping[str, Any]) -> None:
        super().__init__(name)
        vars(self).update(instead, _whole=import_module(name), _lost=lost)

    def __getattr__(self, name: str) -> Any:
        if name in self._lost:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._whole, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._whole, name, value)


class _Popen(subprocess.Popen[Any]):
    """With what Windows refuses."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        for name in ("preexec_fn", "pass_fds"):
            if options.get(name):
                raise ValueError(f"{name} is not supported on Windows platforms")
        super().__init__(*arguments, **options)


def _context(method: str | None = None) -> Any:
    if method == "fork":
        raise ValueError("cannot find context for 'fork'")
    return multiprocessing.get_context(method)


def _usage(who: int) -> SimpleNamespace:
    """Return the usage of a process as on macOS, with its peak in bytes."""
    return SimpleNamespace(ru_maxrss=1024 * resource.getrusage(who).ru_maxrss)


def _library(platform: str) -> Any:
    class Other(ctypes.CDLL):
        def __init__(self, name: str | None, *arguments: Any, **options: Any) -> None:
            if name is None and platform == "win32":
                raise TypeError("bad argument type for built-in operation")
            super().__init__(name, *arguments, **options)

        def __getattr__(self, name: str) -> Any:
            if name in _OF_LINUX:
                raise AttributeError(f"symbol not found: {name}")
            return super().__getattr__(name)

    return Other


def _is_ours(names: Mapping[str, Any] | None) -> bool:
    return names is not None and str(names.get("__name__", "")).partition(".")[0] == "bakeoff"


def _hide(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse to open for bakeoff what only Linux shows as files."""
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(_SHOWN_BY_LINUX):
        asking = sys._getframe(1)
        while asking.f_globals.get("__name__") in _OPENING and asking.f_back is not None:
            asking = asking.f_back
        if _is_ours(asking.f_globals):
            raise FileNotFoundError(2, "No such file or directory", arguments[0])
