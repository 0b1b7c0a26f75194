"""Conventions for values of numpy, pandas, polars and `array`: they are written as plain values.

Types are found by name, so that records without these values import none of the libraries.
Decoding returns lists, dicts of columns and scalars.
"""

from __future__ import annotations

import datetime as dt
import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

_LIBRARIES = frozenset({"numpy", "pandas", "polars", "array"})
_DAY = 86_400
_TO_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9,
                   "D": _DAY * 10**9, "W": 7 * _DAY * 10**9}  # fmt: skip
_FINE = ("ns", "ps", "fs", "as")
"""Units of numpy that are finer than a microsecond."""


def _kind_of(kind: type) -> str:
    for base in kind.__mro__:
        # Classes of Protocol Buffers messages that no file declares have no module.
        library = str(base.__module__).partition(".")[0]
        if library in _LIBRARIES and (name := f"{library}.{base.__name__}") in _CONVENTIONS:
            return name
    return ""


kind_of: Callable[[type], str] = functools.lru_cache(maxsize=1024)(_kind_of)
"""Returns ``LIBRARY.NAME`` for a type with a convention here, or a subclass of one; else an empty string."""


def convention(kind: type) -> Callable[[Any], Any] | None:
    """Return the function that converts values of a type; its results may contain further such values."""
    return _CONVENTIONS.get(kind_of(kind))


def holds_numbers(value: Any) -> bool:
    """Whether a value becomes numbers, texts and lists of them only, which every format supports."""
    kind = kind_of(type(value))
    if kind == "numpy.ndarray":
        return value.dtype.kind in "bfi" or (value.dtype.kind == "u" and value.dtype.itemsize < 8)
    if kind == "array.array":
        return value.typecode not in "QL"
    return kind == "polars.Series" and bool(value.dtype.is_float() or value.dtype.is_signed_integer())


def _exact_float(value: Any) -> float:
    written = float(value)
    if not math.isnan(written) and type(value)(written) != value:
        raise TypeError(f"{value!r} is finer than a float")
    return written


def _void(value: Any) -> Any:
    return _structured(value) if value.dtype.names else value.item()


def _structured(value: Any) -> Any:
    """Return the rows of a structured array as dicts."""
    names = value.dtype.names
    if not value.shape:
        return {name: value[name] for name in names}
    if len(value.shape) > 1:
        return [_structured(row) for row in value]
    columns = [_array(value[name]) for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _array(value: Any) -> Any:
    kind = value.dtype.kind
    if kind == "M":
        return _moments(value)
    if kind == "m":
        return _durations(value)
    if kind == "V" and value.dtype.names:
        return _structured(value)
    if kind == "f" and value.dtype.itemsize > 8:
        return _nested(value, _exact_float)
    if kind == "c" and value.dtype.itemsize > 16:
        return _nested(value, complex)
    return value.tolist()


def _nested(value: Any, write: Callable[[Any], Any]) -> Any:
    """Return an array as nested lists, each item converted by a function."""
    if not value.shape:
        return write(value[()])
    if len(value.shape) == 1:
        return [write(item) for item in value]
    return [_nested(row, write) for row in value]


def _moments(value: Any) -> Any:
    """Return `datetime64` as datetimes or dates; all as ISO 8601 text if one of them does not fit."""
    numpy: Any = sys.modules["numpy"]
    unit = numpy.datetime_data(value.dtype)[0]
    plain = value
    if unit in _FINE:
        plain = value.astype("M8[us]")
        if not bool(numpy.all((plain.astype(value.dtype) == value) | numpy.isnat(value))):
            return _nested(value, _moment_text)
    # A moment outside the years of a datetime is converted to a number.
    items = plain.ravel().tolist()
    if any(isinstance(item, int) for item in items):
        return _nested(value, _moment_text)
    return plain.tolist()


def _moment_text(value: Any) -> str | None:
    numpy: Any = sys.modules["numpy"]
    return None if numpy.isnat(value) else str(numpy.datetime_as_string(value))


def _durations(value: Any) -> Any:
    """Return `timedelta64` as timedeltas; all as ISO 8601 text if one of them does not fit."""
    numpy: Any = sys.modules["numpy"]
    unit = numpy.datetime_data(value.dtype)[0]
    if unit == "generic":
        return _nested(value, lambda item: None if numpy.isnat(item) else int(item.astype("i8")))
    if unit not in ("Y", "M"):
        plain = value.astype("m8[us]")
        exact = bool(numpy.all((plain.astype(value.dtype) == value) | numpy.isnat(value)))
        if exact and not any(isinstance(item, int) for item in plain.ravel().tolist()):
            return plain.tolist()
    return _nested(value, _duration_text)


def _duration_text(value: Any) -> str | None:
    numpy: Any = sys.modules["numpy"]
    if numpy.isnat(value):
        return None
    unit, times = numpy.datetime_data(value.dtype)
    number = int(value.astype("i8")) * times
    if unit in ("Y", "M"):
        return f"{'-' * (number < 0)}P{abs(number)}{unit}"
    if unit not in _TO_NANOSECONDS:
        raise TypeError(f"{value!r} is finer than a nanosecond")
    return _text_of_nanoseconds(number * _TO_NANOSECONDS[unit])


def _text_of_nanoseconds(number: int) -> str:
    """Return a duration as ISO 8601 text, as `conventions.duration_text` writes a coarser one."""
    days, rest = divmod(abs(number), _DAY * 10**9)
    seconds = f"{rest // 10**9}.{rest % 10**9:09d}".rstrip("0").rstrip(".")
    return f"{'-' * (number < 0)}P{f'{days}D' if days else ''}T{seconds}S"


def _timestamp(value: Any) -> dt.datetime | str:
    if not value.nanosecond:
        try:
            written: dt.datetime = value.to_pydatetime()
        except ValueError:  # beyond the years of a datetime
            pass
        else:
            return written
    return str(value.isoformat())


def _timedelta(value: Any) -> dt.timedelta | str:
    if value.nanoseconds:
        return _text_of_nanoseconds(int(value.as_unit("ns").value))
    written: dt.timedelta = value.to_pytimedelta()
    return written


def _column(value: Any) -> Any:
    """Return a Series or Index as its array, or as a list with None for missing values."""
    if type(value.dtype).__module__.startswith("numpy"):
        held = value.to_numpy()
        # Converted here, because a library that writes arrays directly may not know NaT.
        return _array(held) if held.dtype.kind in "mM" else held
    values, missing = value.tolist(), value.isna()
    if not missing.any():
        return values
    return [None if gone else item for item, gone in zip(values, missing, strict=True)]


def _frame(value: Any) -> dict[Any, Any]:
    """Return the columns by name; an index other than 0, 1, 2 ... is the first column, "index"."""
    pandas: Any = sys.modules["pandas"]
    index = value.index
    counted = isinstance(index, pandas.RangeIndex) and index.name is None
    if not (counted and (index.start, index.step) == (0, 1)):
        value = value.reset_index()
    if not value.columns.is_unique:
        raise ValueError("two columns of a DataFrame have the same name")
    return {name: value.iloc[:, number] for number, name in enumerate(value.columns.tolist())}


def _polars_column(value: Any) -> list[Any]:
    """Return the items; moments and durations as text if one of them is finer than a microsecond."""
    written = value
    if getattr(value.dtype, "time_unit", None) == "ns":
        numbers = value.to_physical().to_list()
        if any(number is not None and number % 1_000 for number in numbers):
            if value.dtype.base_type().__name__ == "Duration":
                return [None if number is None else _text_of_nanoseconds(number) for number in numbers]
            written = value.dt.to_string("iso:strict")
    items: list[Any] = written.to_list()
    return items


def _polars_frame(value: Any) -> dict[str, Any]:
    return {column.name: column for column in value.get_columns()}


def _nothing(value: Any) -> None:
    """Return None for a missing value."""


def _as_array(value: Any) -> Any:
    numpy: Any = sys.modules["numpy"]
    return _array(numpy.asarray(value))


_CONVENTIONS: dict[str, Callable[[Any], Any]] = {
    "array.array": operator.methodcaller("tolist"),
    "numpy.ndarray": _array,
    "numpy.generic": operator.methodcaller("item"),
    "numpy.void": _void,
    "numpy.longdouble": _exact_float,
    "numpy.float128": _exact_float,
    "numpy.clongdouble": complex,
    "numpy.complex256": complex,
    "numpy.datetime64": _as_array,
    "numpy.timedelta64": _as_array,
    "pandas.Timestamp": _timestamp,
    "pandas.Timedelta": _timedelta,
    "pandas.NaTType": _nothing,
    "pandas.NAType": _nothing,
    "pandas.Period": str,
    "pandas.DataFrame": _frame,
    "pandas.Series": _column,
    "pandas.Index": _column,
    "pandas.ExtensionArray": _column,
    "polars.DataFrame": _polars_frame,
    "polars.Series": _polars_column,
}

ARRAYS = ("numpy.ndarray", "numpy.generic")
COLUMNS = ("pandas.DataFrame", "pandas.Series", "pandas.Index")
FRAMES = (*COLUMNS, "polars.DataFrame", "polars.Series")

DOCUMENTED = (
    ("numpy scalar", "its Python value"),
    ("ndarray, array.array", "nested lists"),
    ("structured ndarray", "list of dicts"),
    ("datetime64, Timestamp", "datetime, else ISO 8601 text"),
    ("timedelta64, Timedelta", "timedelta, else ISO 8601 text"),
    ("NaT, NA", "as None"),
    ("Series, Index", "list"),
    ("DataFrame", "dict of columns"),
)
"""Types and their written form in every format."""
