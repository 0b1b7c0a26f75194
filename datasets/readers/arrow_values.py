"""Python values of Arrow's arrays, by their types, at any depth.

pyarrow's own conversion gives maps as lists of pairs, types of pandas for what is finer than a microsecond,
and named time zones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

_KNOWN_EXTENSIONS = ("arrow.uuid", "arrow.json", "arrow.bool8")
"""Extension types whose values pyarrow converts to plain ones."""


def values_of(array: Any, text: bool = False) -> list[Any]:
    """Return the values of an array.

    Structs and maps are dicts. UTC is a fixed offset, as decoded by codecs: to them, a named time zone is a
    different zone. Intervals of the calendar are text, as in ISO 8601.

    Args:
        array: The array.
        text: Times, moments and durations in nanoseconds are text, since some are finer than a microsecond,
            see `is_finer`.

    Raises:
        ValueError: A map has a key twice, or keys that no dict can have.
    """
    convert = _converter(array.type)
    values: list[Any] = array.to_pylist() if convert is None else convert(array, text)
    return values


_Converter = Callable[[Any, bool], list[Any]]


@lru_cache(1 << 10)
def _converter(kind: Any) -> _Converter | None:
    """Return what converts the arrays of a type; None if pyarrow does."""
    import pyarrow

    types = pyarrow.types
    if isinstance(kind, pyarrow.BaseExtensionType):
        known = kind.extension_name in _KNOWN_EXTENSIONS
        return None if known else lambda array, text: values_of(array.storage, text)
    if _is_nanoseconds(kind) or (types.is_timestamp(kind) and kind.tz == "UTC"):
        return _moments
    if types.is_interval(kind):
        return lambda array, text: [None if each is None else _interval(*each) for each in array.to_pylist()]
    if types.is_map(kind):
        return _maps
    if types.is_struct(kind):
        return _structs if any(_converter(field.type) for field in kind) else None
    if types.is_union(kind):
        return _unions if any(_converter(field.type) for field in kind) else None
    if not hasattr(kind, "value_type") or _converter(kind.value_type) is None:
        return None
    if types.is_dictionary(kind):
        return lambda array, text: values_of(array.dictionary_decode(), text)
    if types.is_run_end_encoded(kind):
        return _expanded
    if types.is_fixed_size_list(kind):
        return _fixed_lists
    return _lists if types.is_list(kind) or types.is_large_list(kind) else _views


def plain_type(kind: Any, text: bool = False) -> Any:
    """Return the type, among those that schemas know, of the values that `values_of` returns.

    Args:
        kind: The type of an array.
        text: As for `values_of`.
    """
    import pyarrow

    types = pyarrow.types
    if isinstance(kind, pyarrow.BaseExtensionType):
        if kind.extension_name == "arrow.bool8":
            return pyarrow.bool_()
        return kind if kind.extension_name in _KNOWN_EXTENSIONS else plain_type(kind.storage_type, text)
    if types.is_interval(kind) or types.is_string_view(kind) or (text and _is_nanoseconds(kind)):
        return pyarrow.string()
    if types.is_binary_view(kind):
        return pyarrow.binary()
    if types.is_dictionary(kind) or types.is_run_end_encoded(kind):
        value = plain_type(kind.value_type, text)
        return kind if types.is_dictionary(kind) and value == kind.value_type else value
    if types.is_map(kind):
        return pyarrow.map_(plain_field(kind.key_field, text), plain_field(kind.item_field, text))
    if types.is_struct(kind):
        return pyarrow.struct([plain_field(field, text) for field in kind])
    if not types.is_nested(kind) or types.is_union(kind):
        return kind
    item = plain_field(kind.value_field, text)
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(item, kind.list_size)
    return pyarrow.large_list(item) if types.is_large_list(kind) else pyarrow.list_(item)


def unread_type(kind: Any) -> Any:
    """Return the type at any depth of a type whose values pyarrow cannot show, or None."""
    import pyarrow

    if isinstance(kind, pyarrow.BaseExtensionType):
        return unread_type(kind.storage_type)
    if pyarrow.types.is_dictionary(kind):
        return unread_type(kind.value_type)
    if pyarrow.types.is_nested(kind):
        inside = (unread_type(kind.field(n).type) for n in range(kind.num_fields))
        return next((each for each in inside if each is not None), None)
    try:
        pyarrow.nulls(0, kind)
    except KeyError:  # of its classes of arrays
        return kind
    return None


def plain_field(field: Any, text: bool = False) -> Any:
    """Return a field with the type of its values, see `plain_type`, without metadata."""
    import pyarrow

    return pyarrow.field(field.name, plain_type(field.type, text), field.nullable)


def _is_nanoseconds(kind: Any) -> bool:
    import pyarrow

    types = pyarrow.types
    timed = types.is_timestamp(kind) or types.is_duration(kind) or types.is_time64(kind)
    return bool(timed and kind.unit == "ns")


def has_nanoseconds(kind: Any) -> bool:
    """Return whether values of a type have times in nanoseconds, at any depth."""
    import pyarrow

    if isinstance(kind, pyarrow.BaseExtensionType):
        return has_nanoseconds(kind.storage_type)
    if pyarrow.types.is_nested(kind):
        return any(has_nanoseconds(kind.field(n).type) for n in range(kind.num_fields))
    return _is_nanoseconds(getattr(kind, "value_type", kind))


def is_finer(array: Any) -> bool:
    """Return whether an array has a time that is finer than a microsecond, at any depth."""
    import pyarrow

    kind = array.type
    if _is_nanoseconds(kind):
        try:
            array.cast(_microseconds(kind))
        except pyarrow.ArrowInvalid:
            return True
        return False
    if not has_nanoseconds(kind):
        return False
    if isinstance(kind, pyarrow.BaseExtensionType):
        return is_finer(array.storage)
    if pyarrow.types.is_dictionary(kind):
        return is_finer(array.dictionary)
    if pyarrow.types.is_map(kind):
        return is_finer(array.keys) or is_finer(array.items)
    if pyarrow.types.is_struct(kind):
        return any(map(is_finer, array.flatten()))
    if pyarrow.types.is_union(kind):
        return any(is_finer(array.field(n)) for n in range(kind.num_fields))
    return is_finer(array.values)


def _microseconds(kind: Any) -> Any:
    import pyarrow

    if pyarrow.types.is_timestamp(kind):
        return pyarrow.timestamp("us", kind.tz)
    return pyarrow.duration("us") if pyarrow.types.is_duration(kind) else pyarrow.time64("us")


def _moments(array: Any, text: bool) -> list[Any]:
    import pyarrow

    types, kind = pyarrow.types, array.type
    if kind.unit == "ns":
        if text and types.is_duration(kind):
            return [
                None if each is None else _seconds(each) for each in array.cast(pyarrow.int64()).to_pylist()
            ]
        if text:
            texts = array.cast(pyarrow.string()).to_pylist()
            return [None if each is None else each.replace(" ", "T", 1) for each in texts]
        array = array.cast(_microseconds(kind))
    if types.is_timestamp(kind) and kind.tz == "UTC":
        array = array.cast(pyarrow.timestamp(array.type.unit, "+00:00"))
    values: list[Any] = array.to_pylist()
    return values


def _seconds(nanoseconds: int) -> str:
    """Return a duration as our conventions write one, which is ISO 8601."""
    whole, rest = divmod(abs(nanoseconds), 10**9)
    return f"{'-' if nanoseconds < 0 else ''}PT{whole}.{rest:09d}S"


def _interval(months: int, days: int, nanoseconds: int) -> str:
    time = _seconds(nanoseconds).replace("-PT", "PT-")
    return f"P{months}M{days}D{time.removeprefix('P')}"


def _valid(array: Any) -> list[bool]:
    valid: list[bool] = array.is_valid().to_pylist()
    return valid


def _structs(array: Any, text: bool) -> list[Any]:
    names = [field.name for field in array.type]
    # `flatten` respects the slice of the array, unlike `field`.
    columns = [values_of(column, text) for column in array.flatten()]
    rows = zip(*columns, strict=True)
    return [
        dict(zip(names, row, strict=True)) if ok else None
        for row, ok in zip(rows, _valid(array), strict=True)
    ]


def _lists(array: Any, text: bool) -> list[Any]:
    offsets = array.offsets.to_pylist()
    return _cut(values_of(array.values[offsets[0] : offsets[-1]], text), offsets, _valid(array))


def _cut(items: Sequence[Any], offsets: Sequence[int], valid: Sequence[bool]) -> list[Any]:
    start = offsets[0]
    return [items[offsets[n] - start : offsets[n + 1] - start] if ok else None for n, ok in enumerate(valid)]


def _fixed_lists(array: Any, text: bool) -> list[Any]:
    size = array.type.list_size
    inside = slice(array.offset * size, (array.offset + len(array)) * size)
    items = values_of(array.values[inside], text)
    return [items[n * size : (n + 1) * size] if ok else None for n, ok in enumerate(_valid(array))]


def _views(array: Any, text: bool) -> list[Any]:
    items = values_of(array.values, text)
    places = zip(array.offsets.to_pylist(), array.sizes.to_pylist(), _valid(array), strict=True)
    return [items[start : start + size] if ok else None for start, size, ok in places]


def _maps(array: Any, text: bool) -> list[Any]:
    offsets = array.offsets.to_pylist()
    inside = slice(offsets[0], offsets[-1])
    keys, items = values_of(array.keys[inside], text), values_of(array.items[inside], text)
    pairs = _cut(list(zip(keys, items, strict=True)), offsets, _valid(array))
    return [None if each is None else _dict(each, array.type) for each in pairs]


def _dict(pairs: Sequence[tuple[Any, Any]], kind: Any) -> dict[Any, Any]:
    try:
        made = dict(pairs)
    except TypeError:
        raise ValueError(f"a map has keys of the type {kind.key_type}, which no dict can have") from None
    if len(made) < len(pairs):
        raise ValueError("a map has a key twice")
    return made


def _expanded(array: Any, text: bool) -> list[Any]:
    import pyarrow

    # pyarrow's function for this knows no dictionaries, and not all nested types.
    first = array.find_physical_offset()
    ends = array.run_ends.to_pylist()[first : first + array.find_physical_length()]
    starts = [array.offset, *ends]
    last = array.offset + len(array)
    runs = (
        [number] * (min(end, last) - start)
        for number, (start, end) in enumerate(zip(starts, ends, strict=False), first)
    )
    return values_of(array.values.take(pyarrow.array(chain.from_iterable(runs), pyarrow.int64())), text)


def _unions(array: Any, text: bool) -> list[Any]:
    import pyarrow

    return [values_of(pyarrow.repeat(each.value, 1), text)[0] if each.is_valid else None for each in array]
