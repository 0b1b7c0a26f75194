"""Advisory schemas, which correct decoded records in place, report the rest, and never reject."""

from __future__ import annotations

from .plan.advice import Advice, AdviceCounter, AdviceError
from .plan.build import SchemaLimits
from .schema import Schema
from .tree import types
from .tree.declare import Hint, SchemaError

__all__ = ["Advice", "AdviceCounter", "AdviceError", "Hint", "Schema", "SchemaError", "SchemaLimits", "types"]
