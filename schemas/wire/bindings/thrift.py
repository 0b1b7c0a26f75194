"""Bind records to Apache Thrift's library: structs with a `thrift_spec`, built without its compiler.

Records of dicts need no objects in between. For writing, rows of values act as structs. For reading, the
library builds frozen structs by a call with all fields; that call returns the record.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from ....codecs.binding import Binding
from ....codecs.formats.thrift import reader_of, writer_of
from ....codecs.safety.keys import FEW_KEYS, refuse_one_hash
from ....errors import UsageError
from ...tree import types as t
from .. import layout as w
from ..languages.thrift import BOX, PAIR, field_name, natively, type_name
from . import _conversion as c
from . import leaves
from .fit import fit

if TYPE_CHECKING:
    from . import BindableSchema

_CODES = {"bool": 2, "double": 4, "i32": 8, "i64": 10, "string": 11, "binary": 11}
"""Codes of types (`thrift.Thrift.TType`), by their names in definitions."""
_STRUCT, _MAP, _SET, _LIST = 12, 13, 14, 15


def binding(schema: BindableSchema, *, objects: bool = False) -> Binding:
    """Return the structs of a schema's records.

    `type` is the argument of the library's compiled part: a list of a class and its `thrift_spec`.

    Args:
        schema: The schema.
        objects: Build classes like those of Thrift's compiler, whose unset fields are None; `take` and `give`
            convert to and from their objects. Otherwise, the library reads records directly.

    Raises:
        SchemaError: The schema has no form in Thrift.
        UsageError: The library is not installed.
    """
    try:
        from thrift.protocol.TBase import TBase, TFrozenBase
    except ImportError as error:
        raise UsageError("thrift is not installed; pip install 'bakeoff[thrift]'") from error
    definition = schema.definition("thrift").decode()
    layout = schema.layout

    def frozen(name: str, spec: tuple[Any, ...], back: c.Step) -> type:
        return type(name, (TFrozenBase,), {"__slots__": (), "__new__": c.Making(back), "thrift_spec": spec})

    def struct(name: str, spec: tuple[Any, ...], back: c.Step) -> type:
        fields = [(each[2], Any, None) for each in spec if each is not None]
        made = dataclasses.make_dataclass(name, fields, bases=(TBase,), slots=True)
        made.thrift_spec = spec  # type: ignore[attr-defined]
        return made

    rows = _Builder(frozen, "BINARY", as_objects=schema.as_objects).root(layout.root)
    if not objects:
        return Binding(rows.arguments, rows.to or leaves.same, leaves.same, definition)
    made = _Builder(struct, "UTF8").root(layout.root)
    write, read = writer_of(rows.arguments, rows.to), reader_of(rows.arguments)
    write_object, read_object = writer_of(made.arguments), reader_of(made.arguments)
    return Binding(
        made.arguments,
        lambda record: read_object(write(record)),
        lambda instance: read(write_object(instance)),
        definition,
    )


class _Way(NamedTuple):
    """The conversions of a kind.

    Attributes:
        code: Code of the type.
        arguments: Further arguments of the type, as in a `thrift_spec`.
        to: From a record's value to the value that the library writes.
        back: From the value that the library has read to the record's value.
    """

    code: int
    arguments: Any
    to: c.Step | None
    back: c.Step | None


class _Builder:
    """Builds the conversions of all kinds of a layout, and the classes of the structs.

    Args:
        make: Builds a class from its name, its `thrift_spec`, and the function that converts a dict of fields
            to the value.
        text: How text is read: ``"UTF8"`` by the library, which replaces malformed text by U+FFFD, or
            ``"BINARY"``.
        as_objects: Whether records are objects of their classes.
    """

    def __init__(
        self, make: Callable[[str, tuple[Any, ...], c.Step], type], text: str, as_objects: bool = False
    ) -> None:
        self.make = make
        self.text = text
        self.as_objects = as_objects
        self.made: dict[str, _Way] = {}
        self.begun: dict[str, _Way] = {}

    def root(self, kind: w.WireType) -> _Way:
        """Return the conversions of whole records; other values are wrapped in a struct."""
        return self.kind(kind) if isinstance(kind, (w.WireRecord, w.WireUnion)) else self._boxed(kind, "Root")

    def kind(self, kind: w.WireType) -> _Way:
        match kind := w.opened(kind):
            case w.Nullable(inner):
                way = self.kind(inner)
                return way._replace(to=c.Maybe(way.to), back=c.Maybe(way.back))
            case w.Leaf():
                return self._leaf(kind)
            case w.WireSequence():
                return self._sequence(kind)
            case w.WireMap():
                return self._map(kind) if natively(kind) else self._pairs(kind)
            case w.WireRecord(name) | w.WireUnion(name):
                if name in self.begun:
                    return self.begun[name]
                if name not in self.made:
                    begun = self.begun[name] = _Way(_STRUCT, [None, None], c.Within(), None)
                    made = self._record(kind) if isinstance(kind, w.WireRecord) else self._choice(kind)
                    # The library's `fix_spec` does the same for structs that contain themselves.
                    begun.arguments[:] = made.arguments
                    begun.to.step = made.to  # type: ignore[union-attr]
                    self.made[name] = made
                    del self.begun[name]
                return self.made[name]
        raise AssertionError(kind)

    def _leaf(self, leaf: w.Leaf) -> _Way:
        name = type_name(leaf)
        code = _CODES[name]
        if name not in ("string", "binary"):
            back = c.Null() if w.is_null(leaf) else leaves.reader(leaf)
            return _Way(code, None, leaves.writer(leaf), back)
        back = leaves.reader(leaf)
        if name == "binary" or self.text == "UTF8":
            return _Way(code, "BINARY" if name == "binary" else "UTF8", leaves.writer(leaf), back)
        return _Way(
            code, "BINARY", leaves.writer(leaf), c.Text() if back is None else c.Chain(c.Text(), back)
        )

    def _inside(self, kind: w.WireType) -> _Way:
        """Return the conversions of items, keys and values, which cannot be None in Thrift."""
        return self._boxed(kind, "Optional") if w.may_be_null(kind) else self.kind(kind)

    def _boxed(self, kind: w.WireType, name: str) -> _Way:
        way = self.kind(kind)
        box = c.FromBox(way.back, BOX)
        return self._struct(name, [(1, BOX, way)], c.ToBox(way.to, BOX), box)

    def _sequence(self, kind: w.WireSequence) -> _Way:
        way, held, native = self._inside(kind.item), t.collection(kind.type), natively(kind)
        is_set = held in (set, frozenset)
        code = _SET if native else _LIST
        # The library's immutable containers are tuples and frozensets.
        arguments = (way.code, way.arguments, (held is frozenset and native) or held is tuple)
        back: c.Step | None = c.Each(held, way.back) if way.back or (is_set and not native) else None
        if is_set and back is not None:
            back = _checked(
                back, kind.item, lambda value: value if way.back is None else map(way.back, value)
            )
        return _Way(code, arguments, c.Each(list, way.to, held), back)

    def _map(self, kind: w.WireMap) -> _Way:
        key, value = self._inside(kind.key), self._inside(kind.value)
        arguments = (key.code, key.arguments, value.code, value.arguments, False)
        back: c.Step | None = c.Items(key.back, value.back) if key.back or value.back else None
        if key.back is not None and back is not None:
            back = _checked(back, kind.key, lambda items: map(key.back or leaves.same, items))
        return _Way(_MAP, arguments, c.Items(key.to, value.to, distinct=True), back)

    def _pairs(self, kind: w.WireMap) -> _Way:
        """Return the conversions of a map with keys that Thrift does not allow: a list of structs."""
        ways = [self.kind(kind.key), self.kind(kind.value)]
        to = c.ToRow(c.Field(name, name, None) for name in PAIR)
        back = c.FromFields(c.Field(name, name, way.back) for name, way in zip(PAIR, ways, strict=True))
        fields = [(i, name, way) for i, (name, way) in enumerate(zip(PAIR, ways, strict=True), 1)]
        pair = self._struct(kind.name, fields, to, back)
        return _Way(
            _LIST,
            (pair.code, pair.arguments, False),
            c.Chain(c.ToPairs(ways[0].to, ways[1].to, PAIR), c.Each(list, to)),
            _checked(
                c.FromPairs(None, None, PAIR), kind.key, lambda pairs: (pair[PAIR[0]] for pair in pairs)
            ),
        )

    def _record(self, record: w.WireRecord) -> _Way:
        written: list[tuple[int, c.Field]] = []
        fields: list[tuple[int, str, _Way]] = []
        back: list[c.Field] = []
        for slot in record.slots:
            name, way = field_name(slot), self.kind(slot.kind)
            fields.append((slot.number, name, way))
            written.append((slot.number, c.Field(slot.key, name, way.to, slot.required)))
            null = slot.null_name if slot.null else ""
            back.append(c.Field(slot.key, name, way.back, slot.required, null))
            if null:
                fields.append((slot.null, null, _Way(_CODES["bool"], None, None, None)))
                written.append((slot.null, c.Field(slot.key, null, None, False, null)))
        written.sort(key=operator.itemgetter(0))
        to = c.ToRow((field for _, field in written), record.places)
        build = leaves.builder(record, as_objects=self.as_objects)
        return self._struct(record.name, fields, to, c.FromFields(back, record.places, build))

    def _choice(self, choice: w.WireUnion) -> _Way:
        named = [(slot, field_name(slot), self.kind(slot.kind)) for slot in choice.options]
        options = [
            (
                c.Field(slot.key, name, way.to, kinds=leaves.kinds(slot.kind), fit=fit(slot.kind)),
                c.Field(slot.key, name, way.back),
            )
            for slot, name, way in named
        ]
        fields = [(slot.number, name, way) for slot, name, way in named]
        to = c.ToOptionRow(
            (each for each, _ in options), (name for _, name, _ in sorted(fields, key=operator.itemgetter(0)))
        )
        return self._struct(choice.name, fields, to, c.FromOption(each for _, each in options))

    def _struct(self, name: str, fields: Iterable[tuple[int, str, _Way]], to: c.Step, back: c.Step) -> _Way:
        numbered = {number: (number, way.code, field, way.arguments, None) for number, field, way in fields}
        spec = tuple(numbered.get(number) for number in range(max(numbered, default=-1) + 1))
        return _Way(_STRUCT, [self.make(name, spec, back), spec], to, None)


def _checked(step: c.Step, key: w.WireType, keys: Callable[[Any], Iterable[Any]]) -> c.Step:
    """Return a step that checks for many keys with one hash before it builds a dict or set."""
    if leaves.hashes_safely(key):
        return step

    def checked(value: Any) -> Any:
        if len(value) > FEW_KEYS:
            refuse_one_hash(keys(value))
        return step(value)

    return c.Call(checked)
