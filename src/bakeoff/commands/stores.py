"""``bakeoff stores``: codecs inside real stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from . import _completion, _placed
from ._grouped import GroupedCommand
from ._named import LISTED, Whole
from ._options import Time, measuring, patience_option, reading, records_option, seed_option, selecting
from .run import carry_out

_CORPORA = ("movies",)
_CODECS = ("orjson", "json", "msgspec-msgpack", "msgpack", "bson", "pickle")
_SAMPLE = 100
"""Number of measured records, the same as in the smallest state of a store."""
_BUDGET = 42.0
"""Seconds for a corpus in one state of the stores; within a minute, even if the budget is exceeded."""
_QUICK = 20.0
_ROUNDS = 10
"""Rounds of a process, which has many cells, because starting it and filling stores takes long."""
_PRECISION = 0.05
_ADDRESSES = 16 << 30
"""Bytes of address space of a worker, into which stores map files beyond their size."""


@click.command(
    cls=GroupedCommand,
    codes="0 ok, 1 records could not be read or no codec passed its checks, 2 usage error, "
    "130 stopped by Ctrl-C",
)
@measuring("stores.json")
@click.option(
    "--store",
    "stores",
    type=LISTED,
    multiple=True,
    metavar="NAME|URL",
    shell_complete=_completion.stores,
    help="Comma-separated stores, or the URL of a server; repeatable.  [default: log, sqlite, lmdb]",
)
@selecting(", ".join(_CODECS))
@click.option(
    "--preload",
    "sizes",
    default="MD",
    show_default=True,
    type=LISTED,
    metavar="LIST",
    help="Records in the store before timing, comma-separated: SM (100), MD (1,000), LG (50,000).",
)
@click.option(
    "--batch-put",
    "batch",
    type=Whole(),
    metavar="N",
    help="Records per batch put.  [default: 100]",
)
@records_option
@click.option(
    "--sample",
    type=Whole(),
    help=f"Number of records to check and measure.  [default: {_SAMPLE}]",
)
@seed_option
@click.option("--quick", is_flag=True, help="Less time, wider intervals: half the time.")
@click.option(
    "--budget",
    type=Time(),
    help=f"Most time per corpus, reading and checking included.  [default: {_BUDGET:g}s for each size]",
)
@patience_option
@reading
def command(
    corpora: Sequence[str],
    output: Path,
    stores: Sequence[str],
    sizes: str,
    batch: int | None,
    quick: bool,
    **given: Any,
) -> None:
    """Measure what codecs cost inside stores: put, get, update, scan, batch put, open and replay.

    Each call is measured three times: as a service makes it, with a clock around the codec's part, and with
    the payload as opaque bytes. The table shows total, codec, its share and this baseline. Every write is
    read and verified. Notes below the table say how durable each store is.

    `bakeoff run --resume` continues an unfinished run. `bakeoff report` shows the result again;
    --layout kyoto and acidstate compare it with two published tables.
    """
    from ..bench.backends import stores as backends
    from ..codecs import select

    servers = [text for text in stores if "://" in text]
    named = _placed.listed(text for text in stores if "://" not in text)
    missing = "--store {name}: is a server; name its URL, {scheme}://HOST:PORT"
    places = _placed.places(named or ([] if servers else backends.DEFAULT), servers, backends, missing)
    states = [state.upper() for state in _placed.listed([sizes])]
    options = _placed.options(
        corpora or _CORPORA,
        select(given["codecs"], default=_CODECS),
        places,
        given,
        operations=tuple(_operations(places, states, batch)),
        sample=given["sample"] or _SAMPLE,
        budget=(_QUICK if quick else _BUDGET) * len(states) if given["budget"] is None else given["budget"],
        rounds=_ROUNDS,
        precision=_PRECISION,
        cell_memory=_ADDRESSES,
    )
    carry_out(options, output)


def _operations(stores: Iterable[str], states: Iterable[str], batch: int | None) -> Iterator[str]:
    """Yield the operations for each store; stores in memory call no codec for some of them."""
    from ..bench.backends.stores import kind
    from ..bench.operations import operation
    from ..bench.operations.stores import BASELINE, BATCH, CODEC, OPERATIONS, UNCODED

    for store in stores:
        live = kind(store).live
        for state in states:
            for declared in OPERATIONS:
                where = f"@{store}:{state}"
                if declared.name == "put-batch" and batch not in (None, BATCH):
                    where += f"x{batch}"
                variants = [
                    variant.name for variant in declared.variants if live or variant in (CODEC, BASELINE)
                ]
                if live and declared.name in UNCODED:
                    variants = []
                for name in (declared.name, *(f"{declared.name}-{variant}" for variant in variants)):
                    operation(name + where)
                    yield name + where
