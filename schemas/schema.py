"""The advisory schema: corrects decoded records, reports what it could not correct, and never rejects."""

from __future__ import annotations

import copy
import functools
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .plan._plan import Advice, Plan
from .plan.advice import AdviceCounter, AdviceError
from .plan.build import PlanFacts, SchemaLimits, compile_plan, lines, miswritten
from .tree import types as t
from .tree.declare import describe

if TYPE_CHECKING:
    from ..codecs.binding import Binding, CodecProtocol
    from .infer import Inferred
    from .wire.layout import Layout


class Schema:
    """The expected types of records, for any codec.

    Args:
        spec: A TypedDict, dataclass, attrs class, NamedTuple, `msgspec.Struct`, pydantic model, dict of
            types, any of these inside lists and other containers, or a tree of types.
        as_objects: Build objects of the classes, models without validation. Otherwise, records stay dicts. A
            record with unknown or missing fields stays a dict, so no value is dropped.
        strict: Raise one `AdviceError` if there is any advice other than notes. Not with `every`.
        every: After decoding, check one record in `every` fully and count its advice in `counter`;
            0 for none. All records are corrected in any case.
        counter: Counts the advice of `every`; made if needed.
        limits: See `SchemaLimits`.
        name: For messages; the name of the class otherwise.

    Raises:
        SchemaError: A type is not supported, or contains itself but is not a record; the message names it.
        ValueError: Options that exclude one another.

    Attributes:
        types: The tree of types, see `bakeoff.schemas.tree.types`.
        inferred: The records and evidence that it was inferred from; None for a declared one.
        given: The layout in formats that need a schema, if a definition or an older version
            determines it.
    """

    def __init__(
        self,
        spec: Any,
        *,
        as_objects: bool = False,
        strict: bool = False,
        every: int = 0,
        counter: AdviceCounter | None = None,
        limits: SchemaLimits | None = None,
        name: str = "",
    ) -> None:
        if every < 0:
            raise ValueError(f"every must be 0 or more, got {every}")
        if strict and every:
            raise ValueError("strict checks every record and counts none; leave out `every`")
        if counter is not None and not every:
            raise ValueError("a counter counts one record in `every`; set that, too")
        self.types: t.Type = spec.types if isinstance(spec, Schema) else describe(spec, objects=as_objects)
        self.as_objects = as_objects
        self.strict = strict
        self.every = every
        self.counter = AdviceCounter() if counter is None and every else counter
        self.limits = limits or SchemaLimits()
        self.name = name or str(self.types)
        self.inferred: Inferred | None = None
        self.given: Layout | None = spec.given if isinstance(spec, Schema) else None
        self._prepare()

    def _prepare(self) -> None:
        self._lock = threading.Lock()
        self._last: tuple[CodecProtocol | str | None, Plan | None] = (None, None)
        self._plans: dict[tuple[bool, frozenset[str], tuple[tuple[str, str], ...]], Plan | None] = {}
        self._default = self._plan(None, full=True)
        self._apply: Callable[[Any], Any] = _same if self._default is None else self._default.apply

    # correcting --------------------------------------------------------------------------------

    def apply(self, record: Any, /) -> Any:
        """Return `record` corrected in place, from any source, without advice.

        Never raises because of the record's content. After a known codec `fixer` does less work.
        """
        return self._apply(record)

    def advise(self, record: Any, /, codec: CodecProtocol | str | None = None) -> tuple[Any, list[Advice]]:
        """Return `record` corrected in place, and all advice about it.

        Args:
            record: A decoded record.
            codec: The codec that decoded it. The forms in which that codec writes types it lacks are then
                expected, and converted without advice; without a codec every change is advised.

        Raises:
            AdviceError: In strict mode, if there is any advice other than notes.
        """
        plan = self._default if codec is None else self._full(codec)
        if plan is None:
            return record, []
        record, advice = plan.advise(record)
        if self.strict:
            _raise_for(advice)
        return record, advice

    def _full(self, codec: CodecProtocol | str) -> Plan | None:
        """Return the full plan for a codec. The last one is cached, because a stream has one codec."""
        last, plan = self._last
        if codec is not last:
            plan = self._plan(_codec(codec), full=True)
            self._last = codec, plan
        return plan

    def adviser(self, codec: CodecProtocol | str | None = None) -> Callable[[Any], tuple[Any, list[Advice]]]:
        """Return `advise` prepared for one codec; strict mode does not raise in it."""
        plan = self._default if codec is None else self._full(codec)
        return _nothing if plan is None else plan.advise

    def fixer(self, codec: CodecProtocol | str) -> Callable[[Any], Any] | None:
        """Return a callable that restores the types that `codec` does not preserve; None if there are none.

        The callable changes records in place and returns them. It raises only in strict mode.
        """
        codec = _codec(codec)
        plan = self._plan(codec, full=False)
        fix = None if plan is None else plan.apply
        full = self._plan(codec, full=True) if self.strict or self.every else None
        if full is None:
            return fix
        return _strict(full) if self.strict else self._sampling(fix or _same, full)

    def refusal(self, codec: CodecProtocol) -> str | None:
        """Return why `codec` cannot write records of this schema in a form that it reads, or None."""
        return miswritten(self.types, codec)

    @property
    def hashes_text_only(self) -> bool:
        """Whether all dict keys and set items are text, whose hashes are unpredictable."""
        for _, node in t.walk(self.types):
            match node:
                case t.DictType(key=hashed) | t.SetType(hashed) | t.FrozenSetType(hashed):
                    if not isinstance(hashed, t.StrType):
                        return False
        return True

    @property
    def has_floats(self) -> bool:
        """Whether records may hold floats, also NaN and Infinity."""
        return any(isinstance(node, t.FloatType | t.AnyType) for _, node in t.walk(self.types))

    @property
    def embeds(self) -> bool:
        """Whether formats that need a schema may embed values in their payloads as MessagePack."""
        # A layout cannot distinguish the values in this place.
        return any(isinstance(node, t.AnyType | t.UnionType) for _, node in t.walk(self.types))

    @property
    def nests(self) -> bool:
        """Whether records may contain others of their kind, so that the schema does not limit nesting."""
        return t.nests(self.types)

    def _sampling(self, fix: Callable[[Any], Any], full: Plan) -> Callable[[Any], Any]:
        left, every, counter = 1, self.every, self.counter or AdviceCounter()

        def sample(record: Any) -> Any:
            nonlocal left
            left -= 1
            if left > 0:
                return fix(record)
            left = every
            record, advice = full.advise(record)
            counter.add(advice)
            return record

        return sample

    def _plan(self, codec: CodecProtocol | None, *, full: bool) -> Plan | None:
        facts = PlanFacts.of(codec)
        key = (full, facts.preserves, tuple(sorted(facts.encodes_as.items())) if facts.known else (("", ""),))
        with self._lock:
            if key not in self._plans:
                self._plans[key] = compile_plan(
                    self.types, facts, self.limits, full=full, objects=self.as_objects
                )
            return self._plans[key]

    # looking -----------------------------------------------------------------------------------

    def plan(self, codec: CodecProtocol | str) -> str:
        """Describe the conversions after `codec` (a codec or its name)."""
        codec = _codec(codec)
        return described(self, [codec.name], conversions(self, codec))

    def binding(self, kind: str, /, **options: Any) -> Binding:
        """Return a library's type for the records of this schema, with conversion in both directions.

        Args:
            kind: The name of a file in `bakeoff.schemas.wire.bindings`: ``"msgspec"``, ``"avro"``,
                ``"protobuf"`` and others.
            options: Options of the library. msgspec: ``array_like``, for Structs written as lists of their
                values, without field names.

        Raises:
            SchemaError: The library does not support a type.
            UsageError: It is not installed.
        """
        from .wire.bindings import make

        return make(self, kind, **options)

    @functools.cached_property
    def _derived(self) -> Layout:
        from .wire.derive import derive

        return derive(self.types)

    @property
    def layout(self) -> Layout:
        """The layout of records in formats that need a schema, as given or otherwise derived.

        Raises:
            SchemaError: These formats do not support a type.
        """
        return self.given or self._derived

    def definition(self, language: str) -> bytes:
        """Return this schema as a file in another language.

        Args:
            language: ``"avro"``, ``"protobuf"``, ``"arrow"``, ``"thrift"`` or ``"json-schema"``.

        Raises:
            SchemaError: The language does not support a type.
            UsageError: No such language, or its library is not installed.
        """
        from .wire.languages import write

        return write(self.layout, language)

    @staticmethod
    def of_definition(
        data: bytes | str | os.PathLike[str],
        language: str,
        name: str = "the definition",
        *,
        part: str = "",
        include: Iterable[str | os.PathLike[str]] = (),
    ) -> Schema:
        """Return the schema of a file in another language, with its names and numbers.

        Args:
            data: The text or bytes of the file, or its path as `pathlib.Path`.
            language: As in `definition`.
            name: Name of the file, if `data` is not a path. It is used in messages and to find imports in its
                folder.
            part: Name of the definition of a record: a message, a named type, a JSON pointer. By default, the
                whole file, or the only definition that no other uses.
            include: Folders to search first for imports.

        Raises:
            SchemaError: The file is not a definition, describes values that records cannot have, or has
                several parts that could be the record.
            UsageError: No such language, its library is not installed, or the file has no such part.
        """
        from .wire.languages import LARGEST, read

        if isinstance(data, os.PathLike):
            from ..files import read_limited

            text, name = read_limited(data, LARGEST), os.fspath(data)
        else:
            text = data.encode() if isinstance(data, str) else data
        return Schema.of_layout(read(text, language, name, part=part, include=include))

    @staticmethod
    def of_layout(layout: Layout) -> Schema:
        """Return the schema with the given layout of records."""
        from .wire.layout import types_of

        return Schema(types_of(layout.root))._given(layout)

    def as_dicts(self) -> Schema:
        """Return this schema without objects of its classes."""
        made = copy.copy(self)
        made.as_objects = False
        made._prepare()
        return made

    def listed(self) -> Schema:
        """Return the schema of lists of these records, for codecs that take many records at once."""
        made = Schema(
            t.ListType(self.types),
            as_objects=self.as_objects,
            strict=self.strict,
            every=self.every,
            limits=self.limits,
            name=f"lists of {self.name}",
        )
        return made if self.given is None else made._given(self.given.listed())

    def keeping(self, older: Schema, renamed: Mapping[str, str] | None = None) -> Schema:
        """Return this schema with the names and numbers of an older version for unchanged fields.

        Args:
            older: The version of existing payloads.
            renamed: Old keys of fields, by their new ones. These fields keep their numbers, not their names.
        """
        from .wire.keep import keep

        return self._given(keep(self.layout, older.layout, renamed))

    def _given(self, layout: Layout) -> Schema:
        made = copy.copy(self)
        made.given = layout
        return made

    def to_python(self) -> str:
        """Return a Python module that declares this schema; importing it returns an equal one."""
        from .tree.source import to_python

        if (found := self.inferred) is None:
            return to_python(self.types, self.name)
        return to_python(self.types, self.name, origin=found.origin, remarks=found.remarks)

    @staticmethod
    def infer(
        records: Iterable[Any], *, name: str = "Record", confidence: float = 0.99, base64: bool = False
    ) -> Schema:
        """Return a schema for records like these, read once in bounded memory.

        Args:
            records: Decoded records, or Python objects.
            name: Of the record.
            confidence: Share of a field's values that must be ISO 8601 text, for instance, before the
                field is inferred as a datetime.
            base64: Whether to infer bytes from text that is always valid base64; paths and ids can
                look like that, too.

        Raises:
            SchemaError: There are no records.
        """
        from .infer import infer

        return of_inferred(infer(records, name=name, confidence=confidence, base64=base64), name)

    # identity ----------------------------------------------------------------------------------

    def __repr__(self) -> str:
        if not isinstance(self.types, t.RecordType):
            return f"<Schema {self.name}>"
        count = len(self.types.fields)
        return f"<Schema {self.name}, {count} field{'s' * (count != 1)}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self.types)

    def _identity(self) -> tuple[Any, ...]:
        return self.types, self.given, self.as_objects, self.strict, self.every, self.limits

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if not key.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._prepare()


def _same(record: Any) -> Any:
    return record


def _nothing(record: Any) -> tuple[Any, list[Advice]]:
    return record, []


def _strict(full: Plan) -> Callable[[Any], Any]:
    def check(record: Any) -> Any:
        record, advice = full.advise(record)
        _raise_for(advice)
        return record

    return check


def _raise_for(advice: list[Advice]) -> None:
    if any(item.severity == "error" for item in advice):
        raise AdviceError(advice)


def _codec(codec: CodecProtocol | str) -> CodecProtocol:
    if not isinstance(codec, str):
        return codec
    from ..codecs.factory import codec as by_name
    from ..codecs.naming import split_name

    return by_name(split_name(codec)[0])


def of_inferred(found: Inferred, name: str = "Record") -> Schema:
    """Return the schema that was inferred, under a name."""
    schema = Schema(found.types, name=name)
    schema.inferred = found
    return schema


Conversion = tuple[str, str, str]
"""A path, the type there, and what is done, in words."""


def conversions(schema: Schema, codec: CodecProtocol | str) -> tuple[Conversion, ...]:
    """Return the conversions after a codec, or one of that name."""
    return tuple(lines(schema.types, PlanFacts.of(_codec(codec)), objects=schema.as_objects))


def described(schema: Schema, codecs: Sequence[str], done: Sequence[Conversion]) -> str:
    """Describe the conversions that follow some codecs.

    Args:
        schema: The schema.
        codecs: Names of the codecs.
        done: What is done after each of them.
    """
    after = f"{schema.name} after {', '.join(codecs)}"
    if not done:
        return f"{after}: nothing to do"
    widths = [max(len(row[i]) for row in done) for i in (0, 1)]
    rows = [f"  {path:<{widths[0]}}  {kind:<{widths[1]}}  {words}" for path, kind, words in done]
    return "\n".join([f"{after}: {len(done)} place{'s' * (len(done) != 1)}", *rows])
