"""Objects that a program passes to a run: records in memory, a `Corpus`, or codecs made from two functions.

Workers get these objects as pickles. A pickle names a class or function by its module, so a worker must be
able to import it. Definitions in a notebook or a script cannot be imported.
"""

from __future__ import annotations

import base64
import io
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ...datasets.passes import ReadOptions
from ...datasets.readers.functions import Made
from ...errors import RunError

if TYPE_CHECKING:
    from ...datasets import Corpus

IN_MEMORY = "records"
"""Name of a corpus of records in memory."""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of a run.

    Attributes:
        corpus: Pickle of the corpus, as `pickled` writes it; empty if `Options.corpora` names it.
        codecs: Pickles of codecs, by their names in this run.
        path: Entries of `sys.path` that workers need for the modules of both.
    """

    corpus: str = ""
    codecs: Mapping[str, str] = field(default_factory=dict)
    path: tuple[str, ...] = ()


NO_OBJECTS = Objects()
"""For a run whose records and codecs all have names."""


def pickled(value: Any, what: str) -> str:
    """Return an object as text for a job.

    Raises:
        RunError: Another process could not load it.
    """
    file = io.BytesIO()
    _write(_Pickler(file, protocol=5), value, what)
    return base64.b64encode(file.getvalue()).decode()


def kept(records: Iterable[Any], file: Path) -> Corpus:
    """Write records to a file, one pickle each, and return a corpus that reads it.

    Raises:
        RunError: A worker could not load one of them; the message has its number.
    """
    with file.open("xb") as target:
        pickler = _Pickler(target, protocol=5)
        for number, record in enumerate(records, start=1):
            _write(pickler, record, f"record {number}")
            pickler.clear_memo()
    return Made(IN_MEMORY, partial(_records, file), ReadOptions(), "records in memory")


def _records(file: Path) -> Iterator[Any]:
    with file.open("rb") as source:
        for _ in count():
            try:
                yield pickle.load(source)
            except EOFError:
                return


class _MainError(Exception):
    """An object whose class or function is defined in the main program."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, type | FunctionType) and value.__module__ == "__main__":
            kind = "class" if isinstance(value, type) else "function"
            raise _MainError(f"{kind} {value.__qualname__}")
        return NotImplemented


def _write(pickler: pickle.Pickler, value: Any, what: str) -> None:
    try:
        pickler.dump(value)
    except _MainError as error:
        raise RunError(
            f"{what} cannot be sent to the worker processes: {error} is defined in this notebook or script, "
            "where they cannot import it; move it to a module (%%writefile MODULE.py in a notebook) and "
            "import it from there"
        ) from None
    except RecursionError as error:
        raise RunError(
            f"{what} cannot be sent to the worker processes: it is nested too deep (some 480 levels can be)"
        ) from error
    except Exception as error:
        raise RunError(
            f"{what} cannot be sent to the worker processes: {error}; use plain types, or classes and "
            "functions at the top level of a module"
        ) from error
