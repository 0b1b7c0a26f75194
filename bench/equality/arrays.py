"""Comparison of arrays and frames by type, dtype, shape, labels and values, as their ``==`` gives no bool.

NaN equals NaN, -0.0 is not 0.0, and byte order counts. Types are found by name: nothing is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from ...codecs.conventions.arrays import convention, holds_numbers, kind_of
from ...codecs.paths import brief


class Gap(NamedTuple):
    """The first difference of two values of one type.

    Attributes:
        steps: Keys and indices from the values to the place.
        expected: The encoded value, in words.
        found: The decoded value, in the same short form.
    """

    steps: tuple[Any, ...]
    expected: str
    found: str


Equal = Callable[[Any, Any], bool]

_FEW = 6
"""Fields of a structured value that a message shows."""


def gap(a: Any, b: Any, equal: Equal) -> Gap | None:
    """Return the first place where two values of one type differ; None if they are the same.

    Args:
        a: The encoded value, of a type that `kind_of` knows.
        b: The decoded value, of the same type.
        equal: Compares plain values strictly.
    """
    return _GAPS.get(kind_of(type(a)), _of_scalar)(a, b, equal)


def named(value: Any) -> str:
    """Return an array or frame as its dtype and shape, such as ``float64[3]``; any other value as text."""
    kind = kind_of(type(value))
    if kind == "numpy.ndarray":
        prefix = "" if type(value).__name__ == "ndarray" else f"{type(value).__name__} "
        return f"{prefix}{_dtype(value.dtype)}[{','.join(map(str, value.shape))}]"
    if kind.startswith("numpy."):
        return f"{_dtype(value.dtype)} {brief(value.item())}"
    if kind == "array.array":
        return f"array({value.typecode!r})[{len(value)}]"
    if kind.endswith(".DataFrame"):
        return f"DataFrame[{value.shape[0]}, {value.shape[1]}]"
    if kind in ("pandas.Series", "pandas.Index", "polars.Series"):
        return f"{type(value).__name__} {value.dtype}[{len(value)}]"
    return brief(value)


def _dtype(dtype: Any) -> str:
    return str(dtype) if dtype.names else str(dtype.name if dtype.isnative else dtype.str)


def _of_array(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.dtype != b.dtype or a.shape != b.shape:
        return Gap((), named(a), named(b))
    numpy: Any = sys.modules["numpy"]
    hidden, shown = getattr(a, "mask", None), getattr(b, "mask", None)
    same = _same_items(numpy, numpy.asarray(a), numpy.asarray(b), equal)
    if hidden is not None and shown is not None:
        hidden, shown = numpy.ma.getmaskarray(a), numpy.ma.getmaskarray(b)
        same = (hidden & shown) | ((hidden == shown) & same)
    if bool(numpy.all(same)):
        return None
    place = tuple(int(index) for index in numpy.argwhere(~numpy.atleast_1d(same))[0])[: a.ndim]
    return Gap(place, _shown(a[place]), _shown(b[place]))


def _shown(item: Any) -> str:
    plain = item.tolist() if kind_of(type(item)).startswith("numpy") else item
    return f"({', '.join(map(brief, plain))})" if type(plain) is tuple and len(plain) < _FEW else brief(plain)


def _same_items(numpy: Any, a: Any, b: Any, equal: Equal) -> Any:
    """Return a mask of the items that are the same in two arrays of one dtype and shape."""
    kind = a.dtype.kind
    if a.dtype.names:
        same = numpy.ones(a.shape, bool)
        for name in a.dtype.names:
            each = _same_items(numpy, a[name], b[name], equal)
            same &= each.all(axis=tuple(range(a.ndim, each.ndim)))
        return same
    if kind == "O":
        pairs = zip(a.ravel().tolist(), b.ravel().tolist(), strict=True)
        return numpy.array([equal(x, y) for x, y in pairs], bool).reshape(a.shape)
    if kind == "c":
        parts = (_same_items(numpy, x, y, equal) for x, y in ((a.real, b.real), (a.imag, b.imag)))
        return numpy.logical_and(*parts)
    if kind == "f":
        signs = numpy.signbit(a) == numpy.signbit(b)
        return ((a == b) & signs) | (numpy.isnan(a) & numpy.isnan(b))
    if kind in "mM":
        return (a == b) | (numpy.isnat(a) & numpy.isnat(b))
    return numpy.asarray(a == b)


def _of_scalar(a: Any, b: Any, equal: Equal) -> Gap | None:
    numpy: Any = sys.modules["numpy"]
    return (
        None if _of_array(numpy.asarray(a), numpy.asarray(b), equal) is None else Gap((), named(a), named(b))
    )


def _of_array_array(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.typecode != b.typecode or len(a) != len(b):
        return Gap((), named(a), named(b))
    if a.tobytes() == b.tobytes():
        return None
    return _of_items(a.tolist(), b.tolist(), equal)


def _of_items(a: Any, b: Any, equal: Equal) -> Gap | None:
    """Return the first difference of two lists of one length."""
    if equal(a, b):
        return None
    for index, (x, y) in enumerate(zip(a, b, strict=True)):
        if not equal(x, y):
            return Gap((index,), brief(x), brief(y))
    return None


def _of_column(a: Any, b: Any, equal: Equal) -> Gap | None:
    """Compare two Series or Indices of pandas."""
    if a.dtype != b.dtype or len(a) != len(b):
        return Gap((), named(a), named(b))
    x, y = (list(each.names) if hasattr(each, "names") else [each.name] for each in (a, b))
    if not equal(x, y):
        return Gap((), f"the name {brief(a.name)}", f"the name {brief(b.name)}")
    index = getattr(a, "index", None)
    if index is not None and (found := _of_index(a.index, b.index, equal)) is not None:
        return found
    if type(a.dtype).__module__.startswith("numpy"):
        return _of_array(a.to_numpy(), b.to_numpy(), equal)
    return _of_extension(a, b, equal)


def _of_index(a: Any, b: Any, equal: Equal) -> Gap | None:
    if type(a) is not type(b):
        return Gap(("index",), type(a).__name__, type(b).__name__)
    found = _of_column(a, b, equal)
    return None if found is None else found._replace(steps=("index", *found.steps))


def _of_extension(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.dtype != b.dtype or len(a) != len(b):
        return Gap((), named(a), named(b))
    x, y = (
        [(bool(gone), None if gone else item) for item, gone in zip(each.tolist(), each.isna(), strict=True)]
        for each in (a, b)
    )
    found = _of_items(x, y, equal)
    if found is None:
        return None
    (place,) = found.steps
    return Gap((place,), brief(a.tolist()[place]), brief(b.tolist()[place]))


def _of_frame(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.shape != b.shape:
        return Gap((), named(a), named(b))
    if (found := _of_index(a.columns, b.columns, equal)) is not None:
        return found._replace(steps=("columns", *found.steps[1:]))
    if (found := _of_index(a.index, b.index, equal)) is not None:
        return found
    for number, name in enumerate(a.columns.tolist()):
        x, y = a.iloc[:, number], b.iloc[:, number]
        if (found := _of_column(x, y, equal)) is not None:
            return found._replace(steps=(name, *found.steps))
    return None


def _of_moment(a: Any, b: Any, equal: Equal) -> Gap | None:
    """Compare Timestamps or Timedeltas to the nanosecond, with unit, zone and fold."""
    if a == b and a.unit == b.unit and repr(a) == repr(b) and getattr(a, "fold", 0) == getattr(b, "fold", 0):
        return None
    return Gap((), f"{a!r} ({a.unit})", f"{b!r} ({b.unit})")


def _of_comparable(a: Any, b: Any, equal: Equal) -> Gap | None:
    # NA and NaT are singletons that equal nothing.
    return None if a is b or a == b else Gap((), brief(a), brief(b))


def _of_polars_column(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.name != b.name:
        return Gap((), f"the name {brief(a.name)}", f"the name {brief(b.name)}")
    if a.dtype != b.dtype or len(a) != len(b):
        return Gap((), named(a), named(b))
    if (found := _of_items(a.to_list(), b.to_list(), equal)) is not None:
        return found
    # The list omits nanoseconds.
    return None if a.equals(b) else Gap((), named(a), named(b))


def _of_polars_frame(a: Any, b: Any, equal: Equal) -> Gap | None:
    if a.shape != b.shape:
        return Gap((), named(a), named(b))
    if a.columns != b.columns:
        return Gap((), f"columns {brief(', '.join(a.columns))}", f"columns {brief(', '.join(b.columns))}")
    for x, y in zip(a.get_columns(), b.get_columns(), strict=True):
        if (found := _of_polars_column(x, y, equal)) is not None:
            return found._replace(steps=(x.name, *found.steps))
    return None


_GAPS: Mapping[str, Callable[[Any, Any, Equal], Gap | None]] = {
    "array.array": _of_array_array,
    "numpy.ndarray": _of_array,
    "pandas.DataFrame": _of_frame,
    "pandas.ExtensionArray": _of_extension,
    "pandas.Index": _of_column,
    "pandas.NAType": _of_comparable,
    "pandas.NaTType": _of_comparable,
    "pandas.Period": _of_comparable,
    "pandas.Series": _of_column,
    "pandas.Timedelta": _of_moment,
    "pandas.Timestamp": _of_moment,
    "polars.DataFrame": _of_polars_frame,
    "polars.Series": _of_polars_column,
}
"""The comparison for each type; the scalars of numpy share one."""


def stand_in(value: Any) -> Any:
    """Return a hashable key that is equal for the same values, based on their `repr`."""
    if kind_of(type(value)) in ("numpy.ndarray", "array.array"):
        return named(value), repr(value.tolist())
    return named(value), repr(value), getattr(value, "unit", "")


def plain(a: Any, b: Any, equal: Equal, *, nulls: bool) -> Any:
    """Return the plain values that the conventions write for a value, recursively.

    Args:
        a: A value of a type that `kind_of` knows, or one that holds such values.
        b: The decoded value. It is returned itself if it can be read as `a`: a float32 may have a shorter
            text than the same value as a float64.
        equal: As in `gap`.
        nulls: NaN may be decoded as None.
    """
    if kind := kind_of(type(a)):
        same = type(a) is type(b) and gap(a, b, equal) is None
        if same or (kind.startswith("numpy.") and _reads_as(a, b, nulls)):
            return b
    if (write := convention(type(a))) is not None:
        held = write(a)
        return held if holds_numbers(a) else plain(held, b, equal, nulls=nulls)
    if type(a) is dict:
        by_key = b if type(b) is dict else {}
        return {key: plain(item, by_key.get(key), equal, nulls=nulls) for key, item in a.items()}
    if type(a) is list:
        in_order = b if type(b) is list else []
        return [plain(item, other, equal, nulls=nulls) for item, other in zip_longest(a, in_order[: len(a)])]
    return a


def _reads_as(a: Any, b: Any, nulls: bool) -> bool:
    """Return whether rounded floats, or texts of moments, can be read as an array or scalar of its dtype."""
    numpy: Any = sys.modules["numpy"]
    kind = a.dtype.kind
    if type(b) not in (list, float, str) or kind not in "fM" or (kind == "f" and a.dtype.itemsize > 4):
        return False
    try:
        found = numpy.array(b)
        if found.dtype.kind == "O" and nulls:
            found = found.astype("f8" if kind == "f" else a.dtype)
        if found.shape != a.shape or found.dtype.kind not in ("fiu" if kind == "f" else "UM"):
            return False
        return bool(numpy.all(_same_items(numpy, numpy.asarray(a), found.astype(a.dtype), _is)))
    except (TypeError, ValueError):
        return False


def _is(a: Any, b: Any) -> bool:
    return bool(a == b)
