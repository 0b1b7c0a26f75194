"""Runs when a watched program's interpreter starts, before any of its own modules.

Python imports the first ``sitecustomize`` of its path. This one removes its folder from the path, imports the
next ``sitecustomize`` if there is one, and wraps the functions of libraries as soon as they are imported. It
imports nothing that the interpreter has not imported yet, and leaves the program alone if anything fails.
"""

from __future__ import annotations

import os
import sys
import time

_BEGIN = time.thread_time_ns()

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Final

_FOLDER: Final = os.path.dirname(__file__)  # noqa: PTH120 - pathlib would be imported
_EXTERNAL: Final[Any] = sys.modules["_frozen_importlib_external"]

_functions: Final[dict[str, list[list[str]]]] = {}
"""What to wrap in each module after its import: path, name, and the part of a call to keep."""


def _read(folder: str) -> None:
    with open(f"{folder}/functions") as file:  # noqa: PTH123
        for line in file:
            module, *found = line.split()
            _functions.setdefault(module, []).append(found)


class _Finder:
    """Wraps the functions of a library when the import system has executed it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _functions:
            return None
        spec = None
        for finder in sys.meta_path:
            if finder is not self and (spec := finder.find_spec(name, path, target)) is not None:
                break
        loader: Any = getattr(spec, "loader", None)
        if hasattr(loader, "exec_module"):
            _after(loader, name)
        return spec


def _after(loader: Any, name: str) -> None:
    """Let a loader wrap the library once, after it has executed it."""
    execute = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        del loader.exec_module
        execute(module)
        _wrap(name, module)

    try:
        loader.exec_module = exec_module
    except AttributeError:  # a loader without attributes; the library is not watched
        return


def _wrap(name: str, module: Any) -> None:
    for path, shown, keeps in _functions[name]:
        owner, _, attribute = path.rpartition(".")
        holder = getattr(module, owner, None) if owner else module
        found = vars(holder).get(attribute) if holder is not None else None
        if found is not None:
            _replace(module, holder, attribute, found, shown, keeps)


def _replace(module: Any, holder: Any, attribute: str, found: Any, name: str, keeps: str) -> None:
    """Put a watched function in the place of one, and of its other names in the same module."""
    method, dumps = holder is not module, keeps in ("record", "chunks")
    bare = found.__func__ if isinstance(found, classmethod) else found
    make = _shim.generating if keeps in ("items", "chunks") else _shim.watched
    kept = "result" if keeps == "items" else keeps
    made: Any = make(bare, name, int(method), dumps, kept, name.partition(".")[0])
    if isinstance(found, classmethod):
        made = classmethod(made)
    if method:
        try:
            setattr(holder, attribute, made)
        except TypeError:
            _shim.replace(holder, attribute, made)
        return
    for other, value in list(vars(module).items()):
        if value is found:
            setattr(module, other, made)


def _loaded() -> Any:
    """Load the compiled part of this interpreter's version, without the package around it."""
    machinery = sys.modules["_frozen_importlib"]
    for suffix in sys.modules["_imp"].extension_suffixes():
        path = f"{os.path.dirname(_FOLDER)}/_shim{suffix}"  # noqa: PTH120
        if os.path.exists(path):  # noqa: PTH110
            loader = _EXTERNAL.ExtensionFileLoader("bakeoff.bench.watch._shim", path)
            spec = machinery.ModuleSpec("bakeoff.bench.watch._shim", loader, origin=path)
            module = loader.create_module(spec)
            loader.exec_module(module)
            return module
    raise ImportError(f"no compiled part for Python {sys.version.split()[0]}")


def _has_counter() -> bool:
    """Whether the kernel itself takes its time from the processor's counter."""
    try:
        with open("/sys/devices/system/clocksource/clocksource0/current_clocksource", "rb") as file:  # noqa: PTH123
            return file.read().strip() in (b"tsc", b"arch_sys_counter")
    except OSError:
        return False


def _begin(folder: str) -> Any:
    # The import system goes on with a copy: reading its caches is nothing that a program could change.
    _EXTERNAL.marshal = type(sys)("marshal")
    vars(_EXTERNAL.marshal).update(vars(sys.modules["marshal"]))
    made = _loaded()
    made.start(folder, os.environ.get("BAKEOFF_WATCH_RECORDS") != "0", _has_counter())
    os.register_at_fork(after_in_child=made.restart)
    import atexit
    import gc

    gc.callbacks.append(made.collecting)
    atexit.register(made.finish)
    return made


def _note(folder: str, text: str) -> None:
    """Leave a note for the answer, as the program's own output is not ours."""
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
        file = os.open(f"{folder}/{os.getpid()}.note", flags, 0o600)
        os.write(file, text.encode(errors="replace"))
        os.close(file)
    except OSError:
        return


def _chain() -> None:
    """Remove this folder from the path, and execute the next ``sitecustomize``; its errors are its own."""
    sys.path[:] = [entry for entry in sys.path if entry != _FOLDER]
    spec = _EXTERNAL.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = type(sys)("sitecustomize")
        module.__spec__, module.__file__, module.__loader__ = spec, spec.origin, spec.loader
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if __name__ == "sitecustomize":
    _folder = os.environ.get("BAKEOFF_WATCH", "")
    if _folder:
        try:
            _read(_folder)
            _shim = _begin(_folder)
        except Exception as error:  # noqa: BLE001 - the program must start, whatever is wrong here
            _note(_folder, f"{type(error).__name__}: {error}")
        else:
            sys.meta_path.insert(0, _Finder())
            for _name in [name for name in _functions if name in sys.modules]:
                _wrap(_name, sys.modules[_name])
            _shim.started(time.thread_time_ns() - _BEGIN)
    _chain()
