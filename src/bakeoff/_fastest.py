"""`bakeoff.fastest`: from what people have decided, or at least measured, to the codec object."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UsageError

if TYPE_CHECKING:
    from .bench.results import Result
    from .codecs._codec import Codec

__all__ = ["fastest"]


def fastest(
    *,
    lock: str | Path = "bakeoff.lock",
    results: str | Path | None = None,
    calibrate: bool = False,
    corpus: str = "messages",
    schema: Any = None,
    reads: float = 1.0,
    bandwidth: str | None = None,
    needs: tuple[str, ...] = (),
    trusted: bool = False,
    formats: tuple[str, ...] = (),
    interop: bool = False,
) -> Codec:
    """Return the codec to use.

    The lock file comes first: it holds what a person has decided with ``bakeoff pick --write``, so
    that two services never end up with different wire formats because one machine was noisy. Without
    one, a result file decides, if one is given; and only when asked for, a calibration of some ten
    seconds, whose answer may differ from machine to machine.

    Args:
        lock: Lock file.
        results: Result file of ``bakeoff run``, for when there is no lock.
        calibrate: Measure now, for when there is neither.
        corpus: What to measure on: a built-in corpus or a file.
        schema: Advisory schema of the codec; needed when the choice was made with one. A calibration
            counts what advice costs, and what it brings back.
        reads: Reads for each write, and the other terms of ``bakeoff pick``; not used with a lock.
        bandwidth: Such as "1Gbit".
        needs: Types that must come back exactly, such as ("datetime", "bytes").
        trusted: Payloads never come from strangers.
        formats: Wire formats that will do.
        interop: Other languages must be able to read it.

    Raises:
        UsageError: There is no lock, no result file, and no calibration was asked for.
        RunError: The lock or the result file cannot be read, or no codec fits.
        MissingLibrary: The chosen codec's library is not installed.
    """
    from .codecs.registry import codec
    from .reports.lock import Lock

    path = Path(lock)
    if path.exists():
        held = Lock.read(path)
        if held.schema and schema is None:
            raise UsageError(f"{path}: {held.codec} was chosen with a schema; give it: fastest(schema=...)")
        return codec(held.codec, schema=schema, **held.options)

    from .reports.cost import Cost
    from .reports.files import load
    from .reports.pick import Wish, pick

    if results is not None:
        result = load(Path(results))
    elif calibrate:
        result = _measured(corpus, with_schema=schema is not None)
    else:
        raise UsageError(
            f"{path}: no lock; decide with `bakeoff run` and `bakeoff pick --write`, or give "
            "fastest(results=...) or fastest(calibrate=True)"
        )
    wish = Wish(
        cost=Cost.of(reads, bandwidth),
        needs=needs,
        trusted=trusted,
        formats=formats,
        interop=interop,
    )
    name = pick([result], wish).winner.name
    if "+schema" in name and schema is None:
        raise UsageError(f"{name} was measured with a schema; give it: fastest(schema=...)")
    return codec(name, trusted=trusted, schema=schema)


def _measured(corpus: str, *, with_schema: bool) -> Result:
    """Measure all codecs, or all with the schema that the corpus has or that its records suggest."""
    from .bench.options import Options
    from .bench.session import Session
    from .codecs import join_name
    from .codecs.registry import available
    from .datasets import names

    options = Options(
        corpora=(corpus,),
        codecs=tuple(join_name(name, schema=with_schema) for name in available()),
        operations=("dump", "load", "advise", "size") if with_schema else ("dump", "load", "size"),
        infer=with_schema and corpus not in names(),
    )
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as folder:
        return Session(options.quick(), Path(folder) / "bakeoff.json").run()
