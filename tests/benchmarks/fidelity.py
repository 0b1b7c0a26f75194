"""Targets for readers in other languages: ``python3 tasks.py benchmarks fidelity``.

The fidelity matrix with all readers that are built (``bakeoff readers``): its size, and its time.
Then `pick --interop` for records of twelve kinds, which Go and Node read: what they read is real, and the
costs are made up, so that a codec whose records they change or refuse often costs least.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import click

from bakeoff.bench.equality.equal import first_difference
from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.judge import judge
from bakeoff.bench.foreign.port import ForeignWorker
from bakeoff.bench.results import Outcome, ResultData
from bakeoff.codecs import codec
from bakeoff.errors import RunError, UsageError
from bakeoff.reports.decide.pick import Requirements, pick
from madeup import added, planted

from ._frame import Targets, benchmark, run_bakeoff

SECONDS = 20
VALUES = 35
FORMATS = 6
LIBRARIES = 8


class Kind(NamedTuple):
    """Records of one kind.

    Attributes:
        name: What is special about them.
        records: Some of them.
        codecs: Codecs, the one with the lowest cost first.
        right: The codec to pick: the first that all libraries read exactly; empty if there is none.
        languages: Languages that read.
    """

    name: str
    records: Sequence[Any]
    codecs: str
    right: str
    languages: str = "go node"


_MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5, 678000, dt.UTC)

KINDS = (
    Kind("text and booleans", [{"name": "é😀", "on": True}], "json msgpack cbor2 bson", "json"),
    Kind("ints", [{"id": 1}, {"id": 2}], "json msgpack cbor2 bson", "msgpack"),
    Kind("an int beyond 2^53", [{"id": 1}, {"id": 2**53 + 1}], "msgpack json cbor2", "cbor2"),
    Kind("floats", [{"x": 0.5}, {"x": 1e300}], "json msgpack cbor2 bson", "json"),
    Kind("a NaN", [{"x": 0.5}, {"x": float("nan")}], "json msgpack cbor2 bson", "msgpack"),
    Kind("bytes", [{"b": b"\x00\xff"}], "json bson msgpack cbor2", "bson"),
    Kind("ints as keys", [{"m": {7: "a"}}], "msgpack cbor2 json bson", ""),
    Kind("ints as keys, for Go", [{"m": {7: "a"}}], "msgpack json bson cbor2", "cbor2", "go"),
    Kind("milliseconds", [{"at": _MOMENT}], "msgpack json cbor2 bson", "cbor2"),
    Kind("microseconds", [{"at": _MOMENT.replace(microsecond=1)}], "msgpack json cbor2 bson", ""),
    Kind("UUIDs", [{"id": uuid.UUID(int=1)}], "cbor2 json msgpack bson", "bson"),
    Kind("the key __proto__", [{"__proto__": "a"}], "msgpack cbor2 json", "json"),
)


def result_of(kind: Kind, workers: Mapping[str, ForeignWorker]) -> ResultData:
    """Return a run with made-up costs, and with what libraries read from real payloads."""
    names = kind.codecs.split()
    costs = {name: {"dump": place * 1e-6, "load": 1e-6} for place, name in enumerate(names, 1)}
    read = {}
    for name in names:
        made = codec(name)
        payloads = [made.encode(record) for record in kind.records]
        read[name] = made.format, payloads, [made.decode(payload) for payload in payloads]
    lost = {
        name: ("lossy",)
        for name, (_, _, back) in read.items()
        if first_difference(list(kind.records), back, order=True)
    }
    run = planted(costs, losses=lost, facts={name: {"format": form} for name, (form, *_) in read.items()})
    for name, (form, payloads, back) in read.items():
        for language in kind.languages.split():
            for library in workers[language].libraries:
                if library.format == form and not library.typed:
                    facts = judge(workers[language], library.name, back, payloads)
                    outcome: Outcome = "unsupported" if facts.refused else "lossy" if facts.changed else "ok"
                    place = f"{language}-{library.name.replace('/', '-')}"
                    run = added(run, name, f"read@{place}", outcome=outcome, facts=facts)
    return run


def picked(kind: Kind, workers: Mapping[str, ForeignWorker]) -> tuple[str, str]:
    """Return the codec that `pick` chooses for a kind of records, empty for none, and its sentence."""
    try:
        choice = pick([result_of(kind, workers)], Requirements(interop=True))
    except RunError as error:
        return "", str(error)
    return choice.name, choice.sentence


def built() -> list[str]:
    """Return the languages whose readers are built."""
    found = []
    for language in builds.LANGUAGES:
        try:
            if builds.find(language).is_built:
                found.append(language)
        except UsageError:
            continue  # no toolchain
    return found


@benchmark
def main(targets: Targets) -> None:
    """Measure the targets for readers; exit 1 when one is missed."""
    languages = built()
    if not {"go", "node"} <= set(languages):
        raise click.ClickException("build the readers first: bakeoff readers go node")
    started = time.perf_counter()
    text = run_bakeoff("fidelity", "--readers", ",".join(languages), "-f", "csv")
    seconds = time.perf_counter() - started
    rows = list(csv.DictReader(io.StringIO(text)))
    counts = {
        "values": (len({row["value"] for row in rows}), VALUES),
        "formats": (len({codec(row["codec"], trusted=True).format for row in rows}), FORMATS),
        "libraries": (len({(row["language"], row["library"]) for row in rows}), LIBRARIES),
    }
    for what, (found, least) in counts.items():
        targets.show(
            f"matrix of {', '.join(languages)}: {what}", str(found), f"at least {least}", ok=found >= least
        )
    targets.at_most("fidelity --readers: time", seconds, SECONDS, "s")
    with ExitStack() as stack:
        workers = {name: stack.enter_context(builds.start(name)) for name in ("go", "node")}
        answers = [(kind, picked(kind, workers)) for kind in KINDS]
    right = sum(kind.right == name for kind, (name, _) in answers)
    for kind, (name, said) in answers:
        if kind.right != name:
            click.echo(f"{kind.name}: {said}")
    targets.show("pick --interop: right", f"{right} of {len(KINDS)}", "all", ok=right == len(KINDS))
