"""No kind of type is forgotten by what walks the tree."""

from __future__ import annotations

import datetime as dt

import pytest
from kinds import Colour

from bakeoff.schemas import SchemaLimits
from bakeoff.schemas.plan.build import PlanFacts, compile_plan, lack
from bakeoff.schemas.tree import types as t


class Place:
    def __init__(self, x: str) -> None:
        self.x = x


TEXT = t.StrType()
PLACE = t.RecordType("Place", (t.Field("x", TEXT),), cls=Place)
WITHIN = t.RefType("Place")
WITHIN.bind(PLACE)

LACKING = (
    t.NoneType(),
    t.IntType(big=True),
    t.BytesType(),
    t.ByteArrayType(),
    t.DateTimeType(),
    t.DateType(),
    t.TextType(dt.time),
    t.TimeDeltaType(),
    t.DecimalType(),
    t.UUIDType(),
    t.EnumType(Colour),
    t.ListType(TEXT),
    t.TupleType((TEXT,)),
    t.VarTupleType(TEXT),
    t.SetType(TEXT),
    t.FrozenSetType(TEXT),
    t.DictType(t.IntType(), TEXT),
    PLACE,
)
"""Types that have to be brought back after a codec that carries nothing."""

NEVER = (
    t.AnyType(),
    t.BoolType(),
    t.FloatType(),
    t.ComplexType(),
    TEXT,
    t.LiteralType(("x",)),
    t.UnionType((TEXT, t.NoneType())),
    WITHIN,
)
"""Types that every format has, that none has a convention for, or whose parts say what they lack."""

NOTHING = PlanFacts(known=True, encodes_as={"none": "$null"})


def test_every_type_is_listed():
    """A new type has to say here whether a codec may lack it."""
    known = {kind for kind in vars(t).values() if isinstance(kind, type) and issubclass(kind, t.Type)}
    known -= {t.Type, t.CollectionType}

    assert sorted(kind.__name__ for kind in known) == sorted(type(node).__name__ for node in LACKING + NEVER)


@pytest.mark.parametrize("node", LACKING + NEVER, ids=lambda node: type(node).__name__)
def test_every_type_has_name_words_and_step(node):
    plan = compile_plan(node, PlanFacts(), SchemaLimits(), full=True)

    assert str(node)
    assert bool(lack(node, NOTHING, objects=True)) == (node in LACKING)
    assert (plan is None) == isinstance(node, t.AnyType)
