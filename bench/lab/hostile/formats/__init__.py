"""Hostile payloads by format: each module holds the ``CASES`` of the format that it is named after.

To add a format, add a module with its name: `bakeoff attack`, the contract tests and the fuzzer find it here.
A format without one is attacked with mutations of its payloads.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..cases import HostileCase

__all__ = ["CASES"]

CASES: tuple[HostileCase, ...] = tuple(
    case for module in iter_modules(__path__) for case in import_module(f".{module.name}", __name__).CASES
)
"""The cases of all formats."""
