"""A second copy of a package, loaded with its C accelerator out of reach."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from types import ModuleType

__all__ = ["pure_copy"]

_lock = threading.Lock()


def pure_copy(package: str, *accelerators: str, whole: bool = True) -> ModuleType:
    """Return a private copy of `package` that runs without its `accelerators`.

    Most packages choose their implementation once, when imported; switching the shared copy over
    would slow down everybody else in the process.

    Args:
        package: For instance ``"simplejson"``.
        accelerators: Full names of the extension modules, ``"simplejson._speedups"``.
        whole: Whether its submodules are copied, too; else the classes in them are everybody's.
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
