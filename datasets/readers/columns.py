"""Read files of columns row by row: Parquet, Arrow's IPC files and streams, and numpy's arrays.

One batch of rows of some MiB is held at a time. Parquet and IPC files are read from the end, so compressed
files are first copied to a temporary file.
"""

from __future__ import annotations

import io
import math
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import IO, Any

from ...codecs import missing
from ...errors import UsageError
from ...schemas import Schema
from ..errors import UnreadableCorpus, UntrustedCorpus
from .arrow_values import has_nanoseconds, is_finer, plain_field, unread_type, values_of
from .json_window import RECORD_LIMIT
from .problems import Problems

ROWS = 1_024
"""Most rows of a batch."""
BATCH = 8 << 20
"""Bytes of a batch whose rows have the mean size."""
_PIECE = 1 << 20


class _Seeking:
    """A file for random access, and the same file read from its start.

    Random access bypasses the counting and hashing of the file; `follow` makes up for that.

    Args:
        file: The plain bytes, read from the start.
    """

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._followed = 0
        reopen: Callable[[], IO[bytes]] | None = getattr(file.raw, "reopen", None)
        if reopen is not None:
            self.file = reopen()
        else:
            self.file = tempfile.TemporaryFile(prefix="bakeoff-")  # noqa: SIM115 - closed below
            shutil.copyfileobj(file, self.file, _PIECE)
        # Close it along with `file`, not with this object, because schemas are read from the file alone.
        weakref.finalize(file, self.file.close)
        self.size = self.file.seek(0, os.SEEK_END)
        self.file.seek(0)

    def follow(self, share: float) -> None:
        """Read the file sequentially up to this share of its length."""
        wanted = math.ceil(self.size * min(1.0, share))
        while self._followed < wanted:
            if not (data := self._file.read(min(_PIECE, wanted - self._followed))):
                return
            self._followed += len(data)


def _need_pyarrow(problems: Problems) -> None:
    if (reason := missing("arrow")) is not None:
        raise UsageError(f"{problems.source}: {reason}")


def _rows(batch: Any, finer: Collection[int]) -> Iterator[dict[str, Any]]:
    """Iterate over the rows of a batch.

    Args:
        batch: The batch.
        finer: Columns whose times in nanoseconds are text.
    """
    columns = [values_of(column, number in finer) for number, column in enumerate(batch.columns)]
    names = batch.schema.names
    return (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))


def _schema(theirs: Any, finer: Collection[int]) -> Schema:
    import pyarrow

    rows = pyarrow.schema([plain_field(field, number in finer) for number, field in enumerate(theirs)])
    return Schema.of_definition(rows.serialize().to_pybytes(), "arrow", "the Arrow schema")


def _finer(batches: Iterable[Any], numbers: Sequence[int]) -> set[int]:
    """Return the columns with a time finer than a microsecond.

    Args:
        batches: Batches of these columns only.
        numbers: The numbers of the columns in rows.
    """
    found: set[int] = set()
    for batch in batches:
        for number, column in zip(numbers, batch.columns, strict=True):
            if number not in found and is_finer(column):
                found.add(number)
        if len(found) == len(numbers):
            break
    return found


def _in_nanoseconds(schema: Any) -> list[int]:
    return [number for number, field in enumerate(schema) if has_nanoseconds(field.type)]


def _finer_in_parquet(whole: Any) -> set[int]:
    """Return the columns of a Parquet file with a time finer than a microsecond, as far as it can be read."""
    import pyarrow

    numbers = _in_nanoseconds(whole.schema_arrow)
    names = [whole.schema_arrow.names[number] for number in numbers]
    found: set[int] = set()
    for group in range(whole.metadata.num_row_groups if numbers else 0):
        with suppress(pyarrow.ArrowException, OSError, ValueError):
            found |= _finer(whole.iter_batches(row_groups=[group], columns=names, use_threads=False), numbers)
    return found


def _finer_in_arrow(source: _Seeking) -> set[int]:
    """Return the same for an Arrow file or stream."""
    import pyarrow

    found: set[int] = set()
    whole = _arrow(source)
    numbers = _in_nanoseconds(whole.schema)
    if numbers:
        with suppress(pyarrow.ArrowException, OSError, ValueError):
            for batch in _batches(whole):
                # Unchecked offsets can point anywhere.
                batch.validate(full=True)
                found |= _finer([batch.select(numbers)], numbers)
    return found


def _check_columns(schema: Any, problems: Problems) -> None:
    """Raise `UnreadableCorpus` if records cannot have the columns."""
    if twice := [name for name in schema.names if schema.names.count(name) > 1]:
        raise UnreadableCorpus(f"{problems.source}: two columns are named {twice[0]!r}; names must be unique")
    for field in schema:
        if (kind := unread_type(field.type)) is not None:
            raise UnreadableCorpus(
                f"{problems.source}: column {field.name!r} has the type {kind}, which pyarrow cannot read"
            )


def _not_it(problems: Problems, what: str, error: Exception, file: io.BufferedReader) -> UnreadableCorpus:
    _drain(file)
    return UnreadableCorpus(f"{problems.source}: not {what}: {_one_line(error)}")


def _drain(file: io.BufferedReader) -> None:
    """Read the rest of a file: its end shows the reader of a pipe that more data may follow."""
    while file.read(_PIECE):
        pass


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def schema_of_parquet(file: io.BufferedReader, source: str) -> Schema | None:
    """Return the schema of the rows of a Parquet file, or None if the file is invalid; reading says why."""
    if missing("arrow") is not None:
        return None
    import pyarrow
    import pyarrow.parquet

    try:
        whole = pyarrow.parquet.ParquetFile(_Seeking(file).file, buffer_size=_PIECE, pre_buffer=False)
        return _schema(whole.schema_arrow, _finer_in_parquet(whole))
    except (pyarrow.ArrowException, OSError, ValueError):  # SchemaError is one
        return None


def schema_of_arrow(file: io.BufferedReader, source: str) -> Schema | None:
    """Return the schema of the rows of an Arrow IPC file or stream, or None as for Parquet."""
    if missing("arrow") is not None or not file.peek(1):
        return None
    import pyarrow

    try:
        seeking = _Seeking(file)
        return _schema(_arrow(seeking).schema, _finer_in_arrow(seeking))
    except (pyarrow.ArrowException, OSError, ValueError):
        return None


def read_parquet(
    file: io.BufferedReader, problems: Problems, part: tuple[int, int] | None = None
) -> Iterator[Any]:
    """Iterate over the rows of a Parquet file as dicts; a row group that cannot be read is a bad record.

    Args:
        file: The plain bytes.
        problems: Collects row groups that cannot be read.
        part: Read only the row groups that start in this range of bytes.

    Raises:
        UnreadableCorpus: It is not a Parquet file, or two columns have one name.
        UsageError: pyarrow is not installed.
    """
    _need_pyarrow(problems)
    import pyarrow
    import pyarrow.parquet

    source = _Seeking(file)
    try:
        whole = pyarrow.parquet.ParquetFile(source.file, buffer_size=_PIECE, pre_buffer=False)
        columns = whole.schema_arrow
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise _not_it(problems, "a Parquet file", error, file) from error
    _check_columns(columns, problems)
    finer = _finer_in_parquet(whole)
    total, done = whole.metadata.num_rows, 0
    for group in range(whole.metadata.num_row_groups):
        facts = whole.metadata.row_group(group)
        size = max(1, min(ROWS, BATCH * facts.num_rows // max(1, facts.total_byte_size)))
        start = done
        if part is not None and not part[0] <= _place(facts) < part[1]:
            done += facts.num_rows
            continue
        try:
            if (mean := facts.total_byte_size // max(1, facts.num_rows)) > RECORD_LIMIT:
                raise ValueError(f"rows of {mean:,} bytes, more than {RECORD_LIMIT:,}")
            for batch in whole.iter_batches(size, row_groups=[group], use_threads=False):
                rows = list(_rows(batch, finer)) if columns.names else [{}] * batch.num_rows
                done += len(rows)
                if part is None:
                    source.follow(done / max(1, total))
                yield from rows
            if done < start + facts.num_rows:
                raise ValueError(f"its columns end before row {start + facts.num_rows:,}")
        except (pyarrow.ArrowException, OSError, ValueError, ArithmeticError) as error:
            where = f"row group {group + 1}, from row {done + 1:,}"
            problems.add(where, f"cannot be read: {_one_line(error)}", error)
        done = start + facts.num_rows


def _place(group: Any) -> int:
    """Return the offset of a row group, which is that of its first column; 0 if it has none."""
    if not group.num_columns:
        return 0
    column = group.column(0)
    return int(column.dictionary_page_offset or column.data_page_offset)


def read_arrow(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the rows of an Arrow IPC file (Feather, version 2) or stream as dicts.

    Raises:
        UnreadableCorpus: It is neither, or two columns have one name.
        UsageError: pyarrow is not installed.
    """
    _need_pyarrow(problems)
    import pyarrow

    if not file.peek(1):
        return
    source = _Seeking(file)
    try:
        whole = _arrow(source)
        _check_columns(whole.schema, problems)
        finer = _finer_in_arrow(source)
        whole = _arrow(source)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise _not_it(problems, "an Arrow file or stream", error, file) from error
    done = 0
    try:
        for batch in _batches(whole):
            batch.validate(full=True)
            for start in range(0, batch.num_rows, ROWS):
                part = batch.slice(start, ROWS)
                yield from _rows(part, finer)
                done += part.num_rows
            source.follow(source.file.tell() / source.size)
    except (pyarrow.ArrowException, OSError, ValueError, ArithmeticError) as error:
        _drain(file)
        problems.add(f"row {done + 1:,}", f"{_one_line(error)}; the rest cannot be read", error)


def _arrow(source: _Seeking) -> Any:
    """Return a reader of a stream, or of a file with random access."""
    import pyarrow.ipc

    source.file.seek(0)
    head = source.file.read(6)
    source.file.seek(0)
    return (pyarrow.ipc.open_file if head == b"ARROW1" else pyarrow.ipc.open_stream)(source.file)


def _batches(whole: Any) -> Iterator[Any]:
    if hasattr(whole, "get_batch"):
        return map(whole.get_batch, range(whole.num_record_batches))
    return iter(whole)


def _numpy(problems: Problems) -> Any:
    try:
        import numpy
        import numpy.lib.format
    except ImportError:
        raise UsageError(f"{problems.source}: numpy is not installed; pip install numpy") from None
    return numpy


def read_npy(file: io.BufferedReader, problems: Problems, trusted: bool) -> Iterator[Any]:
    """Iterate over the rows of an array along its first axis; rows of a structured array are dicts.

    Args:
        file: The plain bytes.
        problems: Collects records that cannot be read.
        trusted: Unpickle an array of objects.

    Raises:
        UnreadableCorpus: It is not an array file, or is truncated.
        UntrustedCorpus: It contains objects, and is not trusted.
        UsageError: numpy is not installed.
    """
    numpy = _numpy(problems)
    layout = numpy.lib.format
    try:
        version = layout.read_magic(file)
        read_header = layout.read_array_header_1_0 if version == (1, 0) else layout.read_array_header_2_0
        shape, fortran, dtype = read_header(file)
    except Exception as error:  # a damaged header fails in numpy, ast or tokenize
        raise _not_it(problems, "an .npy file", error, file) from error
    if dtype.hasobject:
        yield from _pickled(numpy, file, problems, trusted)
        return
    row = dtype.itemsize * math.prod(shape[1:])
    if row > RECORD_LIMIT:
        raise UnreadableCorpus(f"{problems.source}: a row of {row:,} bytes, more than {RECORD_LIMIT:,}")
    if fortran and len(shape) > 1:
        yield from _records(numpy, _whole(numpy, file, problems, dtype, shape[::-1]).T, problems)
        return
    if not shape:
        yield from _records(numpy, _whole(numpy, file, problems, dtype, (1,)), problems)
        return
    step, done = max(1, min(ROWS, BATCH // max(1, row))), 0
    while done < shape[0]:
        count = min(step, shape[0] - done)
        data = file.read(count * row)
        have = len(data) // row if row else count
        part = numpy.frombuffer(data[: have * row], dtype) if row else numpy.zeros(0, dtype)
        yield from _records(numpy, part.reshape(have, *shape[1:]), problems)
        done += have
        if have < count:
            problems.add(f"row {done + 1:,}", f"the file ends before row {shape[0]:,}")
            return


def _whole(
    numpy: Any, file: io.BufferedReader, problems: Problems, dtype: Any, shape: tuple[int, ...]
) -> Any:
    size = dtype.itemsize * math.prod(shape)
    data = file.read(size)
    if len(data) < size:
        raise UnreadableCorpus(f"{problems.source}: ends after {len(data):,} of {size:,} bytes")
    return numpy.frombuffer(data, dtype).reshape(shape)


def _pickled(numpy: Any, file: io.BufferedReader, problems: Problems, trusted: bool) -> Iterator[Any]:
    if not trusted:
        raise _untrusted(problems)
    import pickle

    try:
        yield from numpy.asarray(pickle.load(file))
    except Exception as error:  # noqa: BLE001 - unpickling can raise anything
        problems.add("record 1", f"not a pickle: {type(error).__name__}: {error}", error)


def _untrusted(problems: Problems) -> UntrustedCorpus:
    return UntrustedCorpus(
        f"{problems.source}: reading its objects can run code; use --trust-files if you trust the file"
    )


def _records(numpy: Any, rows: Any, problems: Problems) -> Iterator[Any]:
    """Iterate over rows as dicts if the array is structured, else as numpy's objects, in separate memory."""
    names = rows.dtype.names
    try:
        for row in rows:
            if names and not row.shape:
                yield _fields(row)
            else:
                yield row.copy() if isinstance(row, numpy.ndarray) else row
    except (SystemError, ValueError) as error:
        # Characters, dates or titles that Python has not.
        raise UnreadableCorpus(f"{problems.source}: {_one_line(error)}") from error


def _fields(row: Any) -> dict[str, Any]:
    """Return a structured value as a dict, at any depth. Arrays and what Python has not stay numpy's."""
    return {name: _field(row[name]) for name in row.dtype.names}


def _field(value: Any) -> Any:
    if value.shape:
        return value
    if value.dtype.names:
        return _fields(value)
    item = value.item()
    # NumPy returns nanoseconds and years beyond 9999 as integers, without their unit.
    return value if value.dtype.kind in "mM" and isinstance(item, int) else item


def read_npz(file: io.BufferedReader, problems: Problems, trusted: bool) -> Iterator[Any]:
    """Iterate over the rows of an archive's arrays in parallel, as dicts by their names.

    Args:
        file: The plain bytes.
        problems: Collects records that cannot be read.
        trusted: Unpickle arrays of objects.

    Raises:
        UnreadableCorpus: It is not an archive, or its arrays differ in length.
        UntrustedCorpus: It contains objects, and is not trusted.
        UsageError: numpy is not installed.
    """
    numpy = _numpy(problems)
    source = _Seeking(file)
    try:
        with numpy.load(source.file, allow_pickle=trusted) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:  # damaged archives, headers and pickles can raise anything
        if not trusted and "Object arrays" in str(error):
            raise _untrusted(problems) from error
        raise _not_it(problems, "an .npz archive", error, file) from error
    lengths = {name: array.shape[0] if array.shape else 1 for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        raise UnreadableCorpus(f"{problems.source}: its arrays have different lengths: {listed}")
    columns = (_records(numpy, numpy.atleast_1d(array), problems) for array in arrays.values())
    for number, row in enumerate(zip(*columns, strict=True), 1):
        source.follow(number / max(lengths.values()))
        yield dict(zip(arrays, row, strict=True))
