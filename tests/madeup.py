"""Made-up results, for tests of reports and for timing them; nothing in them was measured.

`result` contains everything that real results have: ties, losses, failures, a leak, a reference row and
schemas, with any number of corpora and codecs. In `planted`, every figure is given, so that the expected
report is known.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from importlib import import_module
from typing import Any, Final

from bakeoff.bench.operations import OPERATIONS
from bakeoff.bench.operations import operation as declared
from bakeoff.bench.results import (
    Cell,
    CellResult,
    CodecFacts,
    CorpusFacts,
    Fact,
    GrowthFacts,
    Measurement,
    OperationFacts,
    Outcome,
    ResultData,
)
from bakeoff.bench.results.watched import CallSite, Frame, LeftOut, Saving, Stack, WatchData
from bakeoff.errors import UsageError

MACHINE: Final[Mapping[str, Fact]] = {
    "hostname": "bench-1",
    "cpu_model_name": "Made-up CPU",
    "platform": "Linux",
    "python_implementation": "cpython",
    "python_version": "3.11.7",
}

PLANTED: Final[Mapping[str, Mapping[str, float]]] = {
    "json": {"dump": 2.4e-6, "load": 2.2e-6, "size": 1675},
    "msgpack": {"dump": 1.4e-6, "load": 1.6e-6, "size": 1498},
    "bson": {"dump": 2.85e-6, "load": 1.05e-6, "size": 1735},
    "yaml": {"dump": 95e-6, "load": 78e-6, "size": 1631},
}
"""The benchmark of 2011, approximately."""

CODECS: Final[tuple[tuple[str, str, str, float, float, float], ...]] = (
    ("orjson", "json", "orjson 3.13.0", 0.9, 2.1, 1.00),
    ("msgspec-json", "json", "msgspec 0.22.0", 1.2, 2.4, 1.00),
    ("json", "json", "Python 3.11.7", 6.1, 5.4, 1.04),
    ("ujson", "json", "ujson 6.1.0", 3.0, 3.9, 1.02),
    ("rapidjson", "json", "python-rapidjson 1.25", 3.4, 5.1, 1.00),
    ("simplejson", "json", "simplejson 4.3.0", 8.3, 6.0, 1.04),
    ("simplejson/pure", "json", "simplejson 4.3.0", 41.0, 88.0, 1.04),
    ("json+schema", "json", "Python 3.11.7", 6.1, 5.4, 1.04),
    ("msgspec-msgpack/struct", "msgpack", "msgspec 0.22.0", 0.7, 1.1, 0.78),
    ("msgspec-msgpack", "msgpack", "msgspec 0.22.0", 1.0, 2.0, 0.82),
    ("ormsgpack", "msgpack", "ormsgpack 1.13.1", 0.8, 1.9, 0.82),
    ("msgpack", "msgpack", "msgpack 1.2.4", 1.7, 2.5, 0.82),
    ("msgpack/tuple", "msgpack", "msgpack 1.2.4", 1.7, 2.45, 0.82),
    ("msgpack/list-hook", "msgpack", "msgpack 1.2.4", 1.7, 11.0, 0.82),
    ("msgpack/pure", "msgpack", "msgpack 1.2.4", 39.0, 61.0, 0.82),
    ("msgpack+schema", "msgpack", "msgpack 1.2.4", 1.7, 2.5, 0.82),
    ("cbor2", "cbor", "cbor2 6.2.1", 4.4, 6.2, 0.81),
    ("pickle/pure", "pickle", "Python 3.11.7", 52.0, 79.0, 0.93),
    ("bson", "bson", "pymongo 4.20.0", 3.9, 4.1, 1.11),
    ("bson/pure", "bson", "pymongo 4.20.0", 64.0, 55.0, 1.11),
    ("pickle", "pickle", "Python 3.11.7", 2.2, 2.6, 0.93),
    ("pickle/2", "pickle", "Python 3.11.7", 2.7, 2.6, 1.02),
    ("marshal", "marshal", "Python 3.11.7", 0.9, 1.6, 0.97),
    ("yaml", "yaml", "PyYAML 6.0.3", 310.0, 410.0, 1.09),
    ("yaml/pure", "yaml", "PyYAML 6.0.3", 2900.0, 4600.0, 1.09),
    ("plist/binary", "plist", "Python 3.11.7", 71.0, 60.0, 1.22),
    ("plist", "plist", "Python 3.11.7", 84.0, 48.0, 1.93),
    ("orjson|zstd:3", "json", "orjson 3.13.0", 5.2, 4.2, 0.49),
    ("msgpack|zstd:3", "msgpack", "msgpack 1.2.4", 6.0, 4.6, 0.47),
    ("msgpack|lz4", "msgpack", "msgpack 1.2.4", 2.4, 3.0, 0.61),
)
"""Name, format, library, nanoseconds per byte of JSON to dump and to load, share of JSON's size."""

_CORPORA: Final = (
    ("movies", 152, "Films with title, year and description"),
    ("messages", 1487, "Nested messages of a queue"),
    ("types", 611, "Every type that a convention covers"),
    ("numbers", 905, "Records full of floats"),
    ("text", 2230, "Latin, Cyrillic, Chinese and emoji"),
)

CORPORA: Final = len(_CORPORA)
"""Number of available corpora."""

_LOSSES: Final = {
    "json": ("`tuple` came back as `list` at `$.tags`",),
    "bson": ("microseconds were cut at `$.sent`",),
    "yaml": ("`tuple` came back as `list` at `$.tags`",),
}

_FAILURES: Final[dict[tuple[str, str], tuple[Outcome, str, str]]] = {
    ("types", "ujson"): ("wrong", "record 3: expected `1.1`, got `1.1000000000000001` at `$.ratio`", ""),
    ("types", "marshal"): ("unsupported", "cannot encode `datetime`", ""),
    ("types", "plist"): (
        "error",
        "OverflowError: an integer is beyond 64 bits",
        "Traceback ...\nOverflowError",
    ),
    ("text", "rapidjson"): (
        "crashed",
        "the process died of SIGSEGV",
        "Fatal Python error: Segmentation fault",
    ),
    ("messages", "yaml/pure"): ("timed out", "no answer within 30 s", ""),
    ("numbers", "bson/pure"): ("out of memory", "asked for more than 2 GiB", ""),
}


def cell_of(corpus: str, name: str, codec: str) -> Cell:
    """Return the cell for the name of an operation, known or made up."""
    try:
        return declared(name).cell(corpus, codec)
    except UsageError:
        return Cell.parse(f"{corpus}/{name}/{codec}", ())


def added(
    run: ResultData,
    codec: str,
    operation: str,
    value: float | None = None,
    outcome: Outcome = "ok",
    **fields: Any,
) -> ResultData:
    """Return a run with one more cell, on its first corpus.

    Args:
        value: The figure of a single process; None for a cell without a figure.
        fields: Further fields of `CellResult`.
    """
    samples = () if value is None else (Measurement(value, value, value),)
    cell = CellResult(cell_of(run.corpora[0].name, operation, codec), outcome, samples=samples, **fields)
    return replace(run, cells=(*run.cells, cell))


def changed(
    run: ResultData,
    codec: str = "",
    operation: str = "",
    *,
    sample: Callable[[Measurement], Measurement] | None = None,
    **fields: Any,
) -> ResultData:
    """Return a run with some cells changed.

    Args:
        codec: Only cells of this codec.
        operation: Only cells of this operation.
        sample: Function that changes each of their samples.
        fields: Fields of `CellResult` to replace.
    """

    def new(cell: CellResult) -> CellResult:
        if codec not in ("", cell.cell.codec) or operation not in ("", cell.cell.operation_name):
            return cell
        cell = replace(cell, **fields)
        return replace(cell, samples=tuple(map(sample, cell.samples))) if sample else cell

    return replace(run, cells=tuple(map(new, run.cells)))


def renamed(run: ResultData, codec: str, name: str) -> ResultData:
    """Return a run in which a codec has another name."""
    names = {codec: name}
    cells = (replace(c, cell=replace(c.cell, codec=names.get(c.cell.codec, c.cell.codec))) for c in run.cells)
    codecs = (replace(c, name=names.get(c.name, c.name)) for c in run.codecs)
    return replace(run, cells=tuple(cells), codecs=tuple(codecs))


def facts_of(cells: Iterable[CellResult]) -> dict[str, OperationFacts]:
    """Return the facts about the operations of cells, and about all without backend and parameter."""
    found = {}
    plain = [name for name, each in OPERATIONS.items() if not (each.place or each.parameter)]
    for name in dict.fromkeys([*plain, *(cell.cell.operation_name for cell in cells)]):
        with contextlib.suppress(UsageError):
            found[name] = declared(name).facts()
    return found


def result(codecs: int = 30, corpora: int = 5, processes: int = 15, seed: int = 1) -> ResultData:
    """Make up a result.

    Args:
        codecs: How many codecs, at most 30; one more is missing, and there is a baseline row.
        corpora: How many corpora, at most 5.
        processes: Samples of each timed cell.
        seed: Of the noise.
    """
    noise = random.Random(seed)
    chosen = CODECS[:codecs]
    cells = [cell for corpus in _CORPORA[:corpora] for cell in _corpus(corpus, chosen, processes, noise)]
    facts = [_facts(name, family, library) for name, family, library, *_ in chosen]
    facts.append(CodecFacts("avro", "avro", "fastavro", "", None, extra="avro"))
    return ResultData(
        cells=tuple(cells),
        codecs=tuple(facts),
        corpora=tuple(_corpus_facts(*corpus) for corpus in _CORPORA[:corpora]),
        environment={
            "python_version": "3.11.7",
            "platform": "Linux x86_64",
            "cpu_model": "Made-up CPU @ 3.00GHz",
            "cpu_count": 2,
            "governor": "performance",
            "gc_enabled": True,
            "malloc": "default",
            "aslr": "on",
        },
        options={"precision": 0.02, "budget": 60.0, "processes": processes},
        command="bakeoff run movies messages types numbers text --budget 60s -o bakeoff.json",
        started="2026-11-21T08:30:00+00:00",
        duration=412.0,
        warnings=("The machine was busy: 7 % of the slices were disturbed.",),
        operations=tuple(facts_of(cells).values()),
    )


SHAPES: Final[Mapping[str, Mapping[str, Fact]]] = {
    "flat": {"bytes_mean": 152.0, "type_str": 0.5, "type_int": 0.25, "type_dict": 0.25, "depth_max": 1},
    "events": {"bytes_mean": 57_000.0, "type_str": 0.6, "type_int": 0.1, "type_dict": 0.3, "depth_max": 7},
    "shapes": {
        "bytes_mean": 2_250.0,
        "type_float": 0.7,
        "type_list": 0.3,
        "depth_max": 4,
        "record_other": 1.0,
    },
    "names": {"bytes_mean": 657.0, "type_str": 0.9, "type_dict": 0.1, "depth_max": 1, "ascii_share": 0.25},
    "frames": {"bytes_mean": 90_000.0, "type_ndarray": 0.5, "type_dict": 0.5, "depth_max": 1},
    "orders": {
        "bytes_mean": 320.0,
        "type_Order": 0.2,
        "objects": 0.2,
        "type_str": 0.3,
        "type_Decimal": 0.3,
        "type_datetime": 0.2,
        "depth_max": 1,
        "ascii_share": 1.0,
    },
}
"""Profiles of records, by the name of a corpus."""


def shaped(run: ResultData, name: str, number: int = 1) -> ResultData:
    """Return a run of one corpus with another name for it, and one of the profiles."""
    profile = {"ascii_share": 1.0, **SHAPES[name.partition(" ")[0]]}
    corpus = replace(run.corpora[0], name=name, sha256=f"{number:064x}", profile=profile)
    cells = (replace(cell, cell=replace(cell.cell, corpus=name)) for cell in run.cells)
    return replace(run, corpora=(corpus,), cells=tuple(cells))


def collection(corpora: int = 14, codecs: int = 17, processes: int = 15) -> list[ResultData]:
    """Make up results of many corpora, a file each."""
    runs = (result(codecs, 1, processes, seed=number) for number in range(corpora))
    kinds = list(SHAPES)
    return [shaped(run, f"{kinds[n % len(kinds)]} {n}", n) for n, run in enumerate(runs)]


def _facts(name: str, family: str, library: str) -> CodecFacts:
    package, version = library.split()
    return CodecFacts(
        name=name,
        format=family,
        library=package,
        version=version,
        accelerated=None if family == "plist" else not name.endswith("/pure"),
        trusted_only=family in ("pickle", "marshal"),
        interoperable=family not in ("pickle", "marshal"),
        preserves=tuple(sorted(import_module(f"bakeoff.codecs.formats.{family}").PRESERVES)),
        losses=("`NaN` becomes null",) if name in ("orjson", "msgspec-json") else (),
        notes=("keeps a Packer per thread",) if name == "msgpack" else (),
    )


def _corpus_facts(name: str, size: int, description: str) -> CorpusFacts:
    return CorpusFacts(
        name=name,
        source=name,
        sha256=hashlib.sha256(name.encode()).hexdigest(),
        records=1000,
        sample=200,
        description=description,
        seed=1,
        profile={
            "records": 1000,
            "bytes_mean": float(size),
            "depth_max": 3,
            "keys_distinct": 12,
            "ascii_share": 0.98 if name != "text" else 0.21,
            "text_median": 17,
            "type_str": 0.52,
            "type_int": 0.31,
            "type_float": 0.17,
        },
    )


def _corpus(
    corpus: tuple[str, int, str],
    codecs: tuple[tuple[str, str, str, float, float, float], ...],
    processes: int,
    noise: random.Random,
) -> Iterator[CellResult]:
    name, size, _ = corpus
    machine = [noise.gauss(0.0, 0.03) for _ in range(processes)]
    for codec, family, _, dump, load, share in codecs:
        if failure := _FAILURES.get((name, codec)):
            bad, reason, stderr = failure
            for operation in ("dump", "load", "size"):
                yield CellResult(Cell(name, operation, codec), bad, reason, stderr=stderr)
            continue
        times = {"dump": dump * size, "load": load * size}
        if codec.endswith("+schema"):
            times["fix"] = size * 0.2
        loss = _LOSSES.get(family, ()) if "+schema" not in codec and name in ("messages", "types") else ()
        for operation, nanoseconds in times.items():
            samples = _samples(nanoseconds * 1e-9 * noise.lognormvariate(0.0, 0.08), machine, noise)
            yield CellResult(
                Cell(name, operation, codec), "lossy" if loss else "ok", loss=loss, samples=samples
            )
        yield from _bytes(name, codec, size, share, noise)
    for operation in ("dump", "load"):
        samples = _samples(size * 2e-11 + 4e-8, machine, noise)
        yield CellResult(Cell(name, operation, "baseline"), "ok", samples=samples)
    yield CellResult(
        Cell(name, "dump", "avro"), "missing", "fastavro is not installed: pip install 'bakeoff[avro]'"
    )


def _samples(
    value: float, machine: Sequence[float], noise: random.Random, spread: float = 0.008
) -> tuple[Measurement, ...]:
    """Make one sample for each process; paired values vary by `spread`, others also with the machine."""
    found = []
    for pair, common in enumerate(machine):
        paired = value * math.exp(noise.gauss(0.0, spread))
        seen = paired * math.exp(common * 0.2)
        found.append(
            Measurement(seen * math.exp(common), paired, seen, pair, loops=100, duration=0.02, rounds=20)
        )
    return tuple(found)


def _bytes(corpus: str, codec: str, size: int, share: float, noise: random.Random) -> Iterator[CellResult]:
    payload = round(size * share, 2)
    amounts = {
        "size": payload,
        "peak-dump": payload * 200 * noise.uniform(1.0, 3.0),
        "peak-load": size * 900 * noise.uniform(1.0, 1.4),
        "retained-payloads": payload + 33 + (3900 if codec.startswith("orjson") else 0),
        "retained-records": size * 4.2,
        "growth-dump": 0.0,
        "growth-load": 16.0 if codec == "bson/pure" else 0.0,
    }
    for operation, amount in amounts.items():
        facts = None
        if operation.startswith("growth"):
            facts = GrowthFacts("growing" if amount else "no growth")
        yield CellResult(
            Cell(corpus, operation, codec), "ok", facts=facts, samples=(Measurement(amount, amount, amount),)
        )


def planted(
    planted: Mapping[str, Mapping[str, float]] = PLANTED,
    *,
    corpora: Sequence[str] = ("messages",),
    processes: int = 8,
    noise: float = 0.003,
    seed: int = 1,
    facts: Mapping[str, Mapping[str, Any]] | None = None,
    outcomes: Mapping[str, tuple[Outcome, str]] | None = None,
    losses: Mapping[str, tuple[str, ...]] | None = None,
    baseline: bool = True,
    environment: Mapping[str, Fact] | None = None,
    operations: Sequence[OperationFacts] = (),
    **fields: Any,
) -> ResultData:
    """Make up a run with given values.

    Args:
        planted: Value by codec and operation.
        facts: Fields of `CodecFacts` by codec, where they differ from an ordinary codec's.
        outcomes: Outcome and reason by codec, for codecs without a figure.
        losses: Losses by codec, for lossy ones.
        operations: Facts about operations, if they differ from bakeoff's.
        fields: Fields of `ResultData`.
    """
    rng = random.Random(seed)
    cells = []
    known = facts or {}
    names = [*planted, *(outcomes or {})]
    codecs = [
        replace(
            CodecFacts(name, name.split("/")[0], f"lib{name.split('/')[0]}", "1.2.3", True),
            **known.get(name, {}),
        )
        for name in names
    ]
    entries = {**planted, "baseline": {"dump": 2e-8, "load": 2e-8}} if baseline else planted
    for corpus in corpora:
        for name, figures in entries.items():
            loss = (losses or {}).get(name, ())
            for operation, value in figures.items():
                cell = cell_of(corpus, operation, name)
                # Times vary, bytes do not.
                spread = noise if cell.operation in ("dump", "load", "fix") else 0.0
                found = _samples(value, [0.0] * processes, rng, spread)
                cells.append(CellResult(cell, "lossy" if loss else "ok", loss=loss, samples=found))
        for name, (outcome, reason) in (outcomes or {}).items():
            cells += [CellResult(Cell(corpus, kind, name), outcome, reason) for kind in ("dump", "load")]
    ours = facts_of(cells)
    return ResultData(
        cells=tuple(cells),
        codecs=tuple(codecs),
        corpora=tuple(
            CorpusFacts(name, name, f"{number:064x}", records=100_000, sample=1000, seed=1)
            for number, name in enumerate(corpora, start=1)
        ),
        environment={**MACHINE, **(environment or {})},
        operations=tuple((ours | {each.name: each for each in operations}).values()),
        **{"command": "bakeoff run messages", **fields},
    )


WATCHED: Final[tuple[tuple[str, str, float, float, str], ...]] = (
    ("json.dumps", "views.py:41", 20_000, 2.4, "<module> serve orders"),
    ("json.loads", "views.py:38", 20_000, 1.2, "<module> serve orders"),
    ("json.dumps", "audit.py:31", 4_000, 0.4, "<module> serve orders write_entry"),
    ("pickle.dumps", "cache.py:12", 6_000, 0.32, "<module> serve report remember"),
    ("json.dumps", "report.py:77 through httpx/_content.py:176", 900, 0.24, "<module> serve report send"),
)
"""Call sites: function, place, calls, seconds, and the functions of the stack."""

SAVED: Final = {"orjson": 3.44, "msgspec": 3.4, "ujson": 2.0, "rapidjson": 0.01, "simplejson": -0.9}
"""Seconds that libraries save."""


def watch(factor: float = 1.0, **fields: Any) -> WatchData:
    """Return the watch of a made-up service of 8 s.

    Args:
        factor: Seconds of its calls relative to `WATCHED`.
        fields: Other values for fields.
    """
    sites = tuple(_site(*row, factor) for row in WATCHED)
    left_out = (LeftOut("json.dumps", "audit.py:31", 0.4 * factor, "it is called with default="),)
    found = WatchData(
        program=("python", "-m", "shop"),
        ended="2026-01-05T12:00:00+00:00",
        busy=8.0 - sum(row[3] for row in WATCHED) * (1 - factor),
        wall=12.5,
        own=0.1,
        processes=2,
        sites=sites,
        savings=tuple(Saving("json", name, saved, 0.04, left_out) for name, saved in SAVED.items()),
        notes=(),
        environment=dict(MACHINE),
        versions={"orjson": "3.11.7", "msgspec": "0.22.0"},
    )
    return replace(found, **fields)


def _site(function: str, place: str, calls: float, busy: float, path: str, factor: float) -> CallSite:
    frames = tuple(Frame(f"{name.strip('<>')}.py:7", name, True) for name in path.split())
    stack = Stack((Frame(place, "call", True), *reversed(frames)), busy * factor)
    decodes, form = function.endswith("loads"), "pickle" if function.startswith("pickle") else "json"
    options = {"default": "a function"} if place == "audit.py:31" else {}
    figures = (calls, busy * factor, busy * factor * 1.1, calls * 900.0, calls * 4.5)
    return CallSite(function, place, decodes, form, options, *figures, 20, (stack,))


def weekly(
    runs: int = 12,
    figures: Mapping[str, Mapping[str, float]] | None = None,
    *,
    change: tuple[str, str, float] = ("", "", 1.0),
    at: int = 0,
    apart: float = 0.01,
    seed: int = 1,
    after: dict[str, Any] | None = None,
    **fields: Any,
) -> list[ResultData]:
    """Make up a run a week, of `planted`.

    Args:
        figures: Value by codec and operation; orjson and json if not given.
        change: Codec, operation and factor of a change, from the run `at` on.
        apart: Standard deviation of the logarithm of a time from run to run.
        after: Further arguments of `planted`, for the runs from `at` on.
        fields: The same for all runs.
    """
    rng = random.Random(seed)
    figures = figures or {name: {"dump": 1e-6, "load": 2e-6, "size": 1500} for name in ("orjson", "json")}
    made = []
    for week in range(runs):
        new = at > 0 and week >= at
        values = {
            codec: {
                operation: value
                * math.exp(rng.gauss(0, apart) if value < 1 else 0.0)
                * (change[2] if new and (codec, operation) == change[:2] else 1.0)
                for operation, value in each.items()
            }
            for codec, each in figures.items()
        }
        run = _timed(planted(values, seed=rng.randrange(10**9), **fields | (after or {} if new else {})), rng)
        day = date(2026, 1, 5) + timedelta(weeks=week)
        made.append(replace(run, started=f"{day}T08:00:00+00:00"))
    return made


def _timed(run: ResultData, rng: random.Random) -> ResultData:
    """Give a run's times a reference kernel, on a clock that varies by 10 % from run to run."""
    clock = math.exp(rng.gauss(0, 0.1))

    def sample(found: Measurement) -> Measurement:
        if found.value >= 1:
            return found
        return replace(found, value=found.paired * clock, reference_kernel=6e-6 * clock)

    return changed(run, sample=sample)
