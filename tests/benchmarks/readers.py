"""Readers in other languages: how long builds take, and what figures of workers are worth.

Run ``python3 tasks.py benchmarks readers``, on a quiet machine. Workers are built with empty caches of their
toolchains, which downloads all libraries. Then pairs of fresh workers take turns on `messages`: two of the
same build, and one of Go that reads each twentieth payload twice. Last, each library of Node takes turns with
a plain loop in a process of its own.
"""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import fmean, median

import click

import bakeoff
from bakeoff.bench.workers import builds
from bakeoff.bench.workers.port import Timed, Worker

from ._frame import Targets, benchmark, interval

LANGUAGES = ("go", "node")
BUILD = 90.0
"""Seconds that a build may take."""
SAME = 0.01
"""Most that two workers of the same build may differ."""
PLANTED = 0.05
PLAIN = 0.05
"""Most that a figure of Node may differ from that of a plain loop."""
PAIRS = 16
"""Fresh workers of each kind in a comparison: where things lie in memory moves a ratio."""
TURNS = 8
"""Turns of a pair of workers."""
SLICES = 2
"""Of a turn."""
SLICE = 10_000_000
"""Nanoseconds; with garbage collections in it."""
CODECS = {"json": "orjson", "msgpack": "msgspec-msgpack", "cbor": "cbor2", "bson": "bson"}
LOOP = "for _, each := range payloads {"
TWICE = "for i, each := range payloads {\n\t\t\tif i%20 == 0 {\n\t\t\t\tload(each)\n\t\t\t}"
PLAIN_LOOP = """
const fs = require("node:fs"), [, name, path, slices, sliceNs] = process.argv;
const load = {
  "JSON.parse": (payload) => JSON.parse(payload.toString()),
  "@msgpack/msgpack": (payload) => require("@msgpack/msgpack").decode(payload),
  msgpackr: (payload) => require("msgpackr").unpack(payload),
  "cbor-x": (payload) => require("cbor-x").decode(payload),
  bson: (payload) => require("bson").deserialize(payload),
}[name];
const payloads = JSON.parse(fs.readFileSync(path)).map((each) => Buffer.from(each, "base64"));
const waited = () => Number(fs.readFileSync("/proc/thread-self/schedstat").toString().split(" ")[1]);
const times = [];
for (let i = -20; i < slices; i++) {
  const before = waited(), begin = process.hrtime.bigint();
  let count = 0;
  do {
    for (const payload of payloads) load(payload);
    count += payloads.length;
  } while (Number(process.hrtime.bigint() - begin) < sliceNs);
  const spent = Number(process.hrtime.bigint() - begin);
  if (i >= 0) times.push((spent - waited() + before) / count);
}
console.log(JSON.stringify(times));
"""

Start = Callable[[], Worker]


@contextmanager
def environment(**changed: str) -> Iterator[None]:
    """Change variables of this process and its children."""
    before = dict(os.environ)
    os.environ.update(changed)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def payloads() -> Mapping[str, list[bytes]]:
    """Return 100 payloads in each format."""
    records = list(bakeoff.corpus("messages", 100).records())
    return {form: [bakeoff.codec(name).encode(each) for each in records] for form, name in CODECS.items()}


def build(targets: Targets, language: str) -> None:
    """Print how long a build takes that downloads and compiles all."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        empty = {
            variable: f"{name}/{variable}"
            for variable in ("BAKEOFF_CACHE", "GOCACHE", "GOMODCACHE", "npm_config_cache")
        }
        with environment(**empty):
            begin = time.monotonic()
            builds.build(language)
            targets.at_most(f"{language}: build with empty caches", time.monotonic() - begin, BUILD, "s")
            if language == "go":  # its files are read-only
                subprocess.run(["go", "clean", "-modcache"], check=True)


def mean(worker: Worker, library: str, asked: list[bytes]) -> float:
    """Return the mean time of a turn."""
    timed = worker.time(library, asked, SLICES, SLICE, random.getrandbits(31))
    assert isinstance(timed, Timed), timed
    return fmean(timed.slices)


def ratios(one: Start, other: Start, library: str, asked: list[bytes]) -> list[float]:
    """Return the ratio of two kinds of workers, for each pair of them."""
    found = []
    for _ in range(PAIRS):
        with one() as first, other() as second:
            spent = {id(first): 0.0, id(second): 0.0}
            for _ in range(TURNS):
                for worker in random.sample([first, second], 2):
                    spent[id(worker)] += mean(worker, library, asked)
            found.append(spent[id(second)] / spent[id(first)])
    return found


def planted(folder: Path) -> Start:
    """Return what starts a worker of Go that reads each twentieth payload twice."""
    go = builds.LANGUAGES["go"]
    shutil.copytree(builds._sources("go"), folder, dirs_exist_ok=True)
    source = (folder / "times.go").read_text()
    assert LOOP in source
    (folder / "times.go").write_text(source.replace(LOOP, TWICE, 1))
    for step in go.steps:
        subprocess.run(step, cwd=folder, env={**os.environ, **go.environment}, check=True)
    return lambda: Worker([str(folder / "worker")])


def plain(folder: Path, library: str, asked: list[bytes]) -> float:
    """Return the mean time of a plain loop in a process of its own."""
    path = folder / "payloads.json"
    path.write_text(json.dumps([base64.b64encode(each).decode() for each in asked]))
    cwd = builds.find("node").folder
    command = ["node", "-e", PLAIN_LOOP, library, str(path), str(TURNS * SLICES), str(SLICE)]
    return fmean(json.loads(subprocess.check_output(command, cwd=cwd)))


def ours(library: str, asked: list[bytes]) -> float:
    """Return the mean time of a fresh worker of Node."""
    with builds.start("node") as worker:
        return fmean(mean(worker, library, asked) for _ in range(TURNS))


@benchmark
@click.option("--trials", default=20, show_default=True, help="Comparisons with a planted difference.")
@click.option("--built", is_flag=True, help="Leave out the builds with empty caches.")
def main(targets: Targets, trials: int, built: bool) -> None:
    """Print what builds take and what figures are worth; exit 1 when a target is missed."""
    for language in LANGUAGES:
        if not built:
            build(targets, language)
        builds.build(language)
    known = payloads()
    for language in LANGUAGES:
        with builds.start(language) as worker:
            libraries = worker.libraries
        for library in libraries:
            start = partial(builds.start, language)
            ratio, low, high = interval(ratios(start, start, library.name, known[library.format]))
            what = f"{language} {library.name}: two workers"
            shown = f"{ratio - 1:+.1%} ({low - 1:+.1%} to {high - 1:+.1%})"
            targets.show(what, shown, f"at most {SAME:.0%}", ok=abs(ratio - 1) <= SAME)
    with tempfile.TemporaryDirectory() as name:
        slower = planted(Path(name))
        asked = known["msgpack"]
        lows = [
            interval(ratios(partial(builds.start, "go"), slower, "vmihailenco/msgpack", asked))[1]
            for _ in range(trials)
        ]
        seen = sum(low > 1 for low in lows)
        what = f"planted {PLANTED:+.0%} in Go"
        targets.show(what, f"{seen} of {trials}", f"{trials} of {trials}", ok=seen == trials)
        with builds.start("node") as worker:
            libraries = worker.libraries
        for library in libraries:
            asked = known[library.format]
            pairs = [ours(library.name, asked) / plain(Path(name), library.name, asked) for _ in range(PAIRS)]
            off = abs(median(pairs) - 1)
            targets.at_most(f"node {library.name}: against a plain loop", off * 100, PLAIN * 100, "%")


if __name__ == "__main__":
    main()
