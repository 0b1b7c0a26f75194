"""Imports of Python modules that the user names, ``pkg.module`` or ``FILE.py``, here and in workers."""

from __future__ import annotations

import ast
import re
import site
import sys
import sysconfig
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from zlib import crc32

from .errors import UsageError, hint, near
from .nearby import NoSuchFile

_imported: dict[str, str] = {}


def search_path() -> tuple[str, ...]:
    """Return the entries of `sys.path` that are not the interpreter's own, as absolute paths.

    Other processes need them for the user's modules. Another interpreter has libraries of its own, and must
    not find those of this one.
    """
    standard, *installed = (
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )
    zipped = f"{standard}/../python{sys.version_info.major}{sys.version_info.minor}.zip"
    folders = (standard, zipped, *installed, *site.getsitepackages(), site.getusersitepackages())
    own = {Path(folder).resolve() for folder in folders}
    entries = dict.fromkeys(Path(entry).resolve() for entry in sys.path)
    return tuple(str(entry) for entry in entries if not any(map(entry.is_relative_to, own)))


def is_named(text: str) -> bool:
    """Whether a text has the form ``pkg.module:name`` or ``FILE.py:name``, and is not a file itself."""
    where, _, name = text.rpartition(":")
    form = bool(re.fullmatch(r"[^\W\d][\w.]*", name) and re.fullmatch(r"[^\W\d][\w.]*|.+\.py", where))
    return form and not Path(text).exists()


def named(text: str) -> Any:
    """Return the object named by ``pkg.module:name`` or ``FILE.py:name``.

    Raises:
        UsageError: There is no such module or file, importing it fails, or it lacks the name.
    """
    where, _, name = text.rpartition(":")
    if not where or not name:
        raise UsageError(f"{text}: expected MODULE:NAME or FILE.py:NAME")
    found: Any = module(where)
    for part in name.split("."):
        if not hasattr(found, part):
            alike = hint(near(part, dir(found)), "")
            raise UsageError(f"{where} has no {name}{alike and f'; {alike}'}")
        found = getattr(found, part)
    return found


def module(where: str) -> ModuleType:
    """Import a module by name, also from the current folder, or a file. An installed module comes first.

    The module of a file is named after its stem, as in an ordinary import, unless another module has this
    name. The file can import modules from its folder.

    Raises:
        UsageError: There is no such module or file, or importing it fails.
    """
    try:
        if not where.endswith(".py"):
            _search_last(Path.cwd())
            found = import_module(where)
            _imported.setdefault(where, "")
            return found
        path = Path(where).resolve()
        if path.is_file():
            return _of_file(path)
    except (Exception, SystemExit) as error:
        raise UsageError(f"{where} cannot be imported: {_reason(error)}") from error
    raise NoSuchFile(Path(where))


def names_in(path: Path) -> list[str]:
    """Return what a program may have for records: its functions without arguments and what it assigns.

    Nothing is run. Names with an underscore are the program's own.
    """
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return []
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _needs_nothing(node.args):
            found.append(node.name)
        elif isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
            found += [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [name for name in found if not name.startswith("_")]


def _needs_nothing(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return positional == len(arguments.defaults) and None not in arguments.kw_defaults


def absolute(text: str) -> str:
    """Return ``FILE.py:name`` with the file's absolute path, for processes in other folders."""
    where, _, name = text.rpartition(":")
    return f"{Path(where).resolve()}:{name}" if where.endswith(".py") else text


def imported() -> dict[str, str]:
    """Return the modules that were imported here: name to file, which is empty if the name suffices."""
    return dict(_imported)


def import_again(modules: Mapping[str, str]) -> None:
    """Import modules of another process under the same names, to which records and schemas refer.

    Args:
        modules: The result of `imported` there.

    Raises:
        UsageError: A module cannot be imported.
    """
    for name, file in modules.items():
        if not file:
            module(name)
        elif name not in sys.modules:
            try:
                _load(name, Path(file))
            except (Exception, SystemExit) as error:
                raise UsageError(f"{file} cannot be imported: {_reason(error)}") from error


def _of_file(path: Path) -> ModuleType:
    for name, file in _imported.items():
        if file == str(path):
            return sys.modules[name]
    _search_last(path.parent)
    name = path.stem
    if name.isidentifier():
        there = sys.modules.get(name)
        spec = find_spec(name) if there is None else there.__spec__
        if spec is not None and spec.origin is not None and Path(spec.origin).resolve() == path:
            if there is None:
                return _load(name, path)
            _imported[name] = str(path)
            return there
    return _load(f"{name}_{crc32(str(path).encode()):08x}", path)


def _search_last(folder: Path) -> None:
    """Search a folder for modules after all others, so that no file there replaces a library's module."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _load(name: str, path: Path) -> ModuleType:
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    sys.modules[name] = made
    try:
        spec.loader.exec_module(made)
    except BaseException:
        del sys.modules[name]
        raise
    _imported[name] = str(path)
    return made


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it exits with {error.code!r}"
    return f"{type(error).__name__}: {error}"
