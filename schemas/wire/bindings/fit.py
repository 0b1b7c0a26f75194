"""How exactly options of unions keep a value, for all formats with a layout.

A layout has more than its types: floats of 32 bits round, timestamps have no offset, and decimals have all
places of their scale. Everything else is compared as plans compare it.
"""

from __future__ import annotations

import datetime as dt
import decimal
import functools
import re
from collections.abc import Callable

from ...plan import _plan as p
from ...plan.build import leaf_step
from ...tree import types as t
from .. import layout as w

_PLACES = re.compile(r"decimal\d*\(\d+, (-?\d+)\)")
"""The scale in forms of decimals."""


def fit(option: w.WireType) -> Callable[[], p.Fit]:
    """Return what makes a function of values: how far each is from one that the option keeps exactly."""
    return lambda: p.Fit(_Compiler().made(option))


class _Compiler:
    def __init__(self) -> None:
        self.records: dict[str, p.Step] = {}
        self.begun: dict[str, list[p.RefStep]] = {}

    def made(self, kind: w.WireType) -> p.Step:
        """Return the step of a kind, also of one whose values are of any type."""
        return self.step(kind) or p.DictStep("Any", None, None, 1)

    def step(self, kind: w.WireType) -> p.Step | None:
        """Return the step of a kind that checks everything, or None if its values are of any type."""
        name = str(w.types_of(kind))
        match kind:
            case w.Nullable(inner):
                inside = self.step(inner)
                return None if inside is None else p.OptionalStep(name, inside)
            case w.WireUnion(options=options):
                return p.UnionStep(name, [self.made(option.kind) for option in options])
            case w.WireSequence(item, t.ListType()):
                return p.ListStep(name, self.step(item))
            case w.WireSequence(item, t.VarTupleType()):
                return p.TupleStep(name, self.step(item))
            case w.WireSequence(item, node):
                return p.SetStep(name, t.collection(node), self.step(item))
            case w.WireMap(key, value):
                return p.DictStep(name, self.step(key), self.step(value), 1)
            case w.Ref() | w.WireRecord():
                return self.once(w.opened(kind))
            case w.Leaf("float", bits=32):
                return p.SingleLeaf(name)
            case w.Leaf("timestamp", t.DateTimeType()):
                return p.KeptLeaf(name, dt.datetime, _is_utc)
            case w.Leaf(type=t.DecimalType()) if found := _PLACES.search(kind.form):
                return p.KeptLeaf(name, decimal.Decimal, functools.partial(_has_places, int(found[1])))
            case w.Leaf(type=t.AnyType() | t.UnionType()):
                return None
            case w.Leaf(type=node):
                return leaf_step(node)
        raise AssertionError(kind)

    def once(self, kind: w.WireType) -> p.Step:
        assert isinstance(kind, w.WireRecord)
        if (waiting := self.begun.get(kind.name)) is not None:
            waiting.append(within := p.RefStep(kind.name))
            return within
        if kind.name not in self.records:
            self.begun[kind.name] = []
            self.records[kind.name] = made = self.record(kind)
            for ref in self.begun.pop(kind.name):
                ref.bind(made)
        return self.records[kind.name]

    def record(self, kind: w.WireRecord) -> p.Step:
        steps = [self.step(slot.kind) for slot in kind.slots]
        if not isinstance(kind.type, t.RecordType):
            return p.TupleStep(kind.name, places=steps)
        names = [field.name for field in kind.type.fields] if kind.places else [s.key for s in kind.slots]
        fields = zip(names, steps, (slot.required for slot in kind.slots), strict=True)
        return p.RecordStep(
            kind.name,
            tuple((*field, "error") for field in fields),
            positional=kind.places,
            kind=kind.type.cls,
        )


def _is_utc(value: dt.datetime) -> bool:
    return value.utcoffset() == dt.timedelta(0)


def _has_places(scale: int, value: decimal.Decimal) -> bool:
    return value.as_tuple().exponent == -scale and not (value.is_signed() and value.is_zero())
