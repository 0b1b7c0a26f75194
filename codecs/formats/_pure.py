"""Private second copies of imported modules: a package without its C accelerators, or an extension module."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from importlib import import_module
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

_lock = threading.Lock()


def pure_copy(package: str, *accelerators: str, whole: bool = True) -> ModuleType:
    """Return a private copy of `package` that runs without its `accelerators`.

    Most packages choose their implementation once, when imported; switching the shared copy over
    would slow down all other users in the process.

    Args:
        package: For instance ``"simplejson"``.
        accelerators: Full names of the extension modules, ``"simplejson._speedups"``.
        whole: Whether its submodules are copied, too; else the copy shares their classes.
    """
    prefix = package + "."
    with _lock:
        if not whole:
            import_module(package)
        saved = {
            name: module for name, module in sys.modules.items() if name == package or name.startswith(prefix)
        }
        try:
            for name in saved if whole else (package,):
                del sys.modules[name]
            for name in accelerators:
                sys.modules[name] = None  # type: ignore[assignment] # makes the import fail (import system, 5.3.1)
            return import_module(package)
        finally:
            for name in [name for name in sys.modules if name == package or name.startswith(prefix)]:
                del sys.modules[name]
            sys.modules.update(saved)


def extension_copy(extension: ModuleType, stand_ins: Mapping[ModuleType, Mapping[str, Any]]) -> ModuleType:
    """Return a private copy of an extension module, initialized with replacements for some Python objects.

    An extension with state per module (PEP 489) looks up Python objects once, when it is initialized. Other
    copies do not change, but a thread that imports a name of `stand_ins` in these microseconds gets the
    replacement.

    Args:
        extension: The imported extension module.
        stand_ins: Replacements by name, in each module in which it looks up the objects.

    Raises:
        ImportError: It cannot be loaded twice.
    """
    spec = extension.__spec__
    if spec is None or spec.loader is None:
        raise ImportError(f"nothing says how {extension.__name__} was loaded")
    with _lock:
        copy = module_from_spec(spec)
        saved = {
            module: {name: getattr(module, name) for name in named} for module, named in stand_ins.items()
        }
        try:
            for module, named in stand_ins.items():
                vars(module).update(named)
            spec.loader.exec_module(copy)
        finally:
            for module, named in saved.items():
                vars(module).update(named)
    return copy
