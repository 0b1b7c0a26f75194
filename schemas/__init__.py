"""Advisory schemas: correct records in place after decoding, advise, never reject."""

from __future__ import annotations

from . import types
from .advice import Advice, AdviceCounter, AdviceError
from .declare import Hint, SchemaError
from .plan import Limits
from .schema import Schema

__all__ = ["Advice", "AdviceCounter", "AdviceError", "Hint", "Limits", "Schema", "SchemaError", "types"]
