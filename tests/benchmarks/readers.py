"""Readers in other languages: how long builds take, and what figures of workers are worth.

Run ``python3 tasks.py benchmarks readers``, on a quiet machine. Workers are built with empty caches of their
toolchains, which downloads all libraries. Then pairs of fresh workers take turns on `messages`, as in a
timing process of a run, until the mean of their ratios is known well enough: two of the same build, with each
library of their language, and one of Go that reads one of twenty payloads twice. Last, each library of Node
takes turns with a plain loop, and so does Python's json in a worker of this interpreter. The loop is a worker
too, with the least that a worker needs, so a neighbor slows both down alike.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import click

import bakeoff
from bakeoff.bench.capabilities import cores
from bakeoff.bench.foreign import builds
from bakeoff.bench.foreign.port import PATIENCE, WorkerLibrary
from bakeoff.bench.jobs import CorpusInputs
from bakeoff.bench.messages.reads import ReadCell, ReaderCommand, TimedReads, TimeReads
from bakeoff.bench.method import Readers
from bakeoff.bench.run.languages import Language
from bakeoff.bench.worker import time_reads
from bakeoff.bench.worker.context import WorkerContext
from bakeoff.bench.worker.records import CheckedPayloads

from ._frame import Targets, benchmark, interval

LANGUAGES = ("go", "node")
BUILD = 90.0
"""Seconds that a build may take."""
SAME = 0.01
"""Most that two workers of the same build may differ."""
PLANTED = 0.05
PLAIN = 0.05
"""Most that a figure of a worker may differ from that of a plain loop."""
FEWEST = 10
"""Pairs of fresh workers before the first look at whether they suffice."""
EQUAL_SECONDS = 60.0
"""Most time for pairs of the same build with one library.

Where things lie in memory moves a ratio by several per cent, so one library's mean may be off by more than
`SAME`. The target is that of all libraries of a language together.
"""
PLANTED_SECONDS = 60.0
"""Most time for pairs with a planted difference."""
LOOP_SECONDS = 40.0
"""Most time for pairs of a worker and a plain loop."""
WARM_UP = (200, Readers.WARM_UP)
"""Slices in a plain loop before the first that counts, and in later turns: first, all of it is compiled."""
DIGEST = "payloads"
RECORDS = 600
CODECS = {"json": "orjson", "msgpack": "msgspec-msgpack", "cbor": "cbor2", "bson": "bson"}
LOOP = "for _, each := range payloads {"
TWICE = """passes++
		for i, each := range payloads {
			if (i+passes)%20 == 0 && len(os.Args) > 1 {
				load(each)
			}"""
"""In 20 passes, each payload is read twice once."""
NODE_LOOP = """
const fs = require("node:fs");
const loads = {
  "JSON.parse": () => (payload) => JSON.parse(payload.toString()),
  "@msgpack/msgpack": () => require("@msgpack/msgpack").decode,
  msgpackr: () => require("msgpackr").unpack,
  "cbor-x": () => require("cbor-x").decode,
  bson: () => require("bson").deserialize,
};
const waited = () => Number(fs.readFileSync("/proc/thread-self/schedstat").toString().split(" ")[1]);
function read(size) {
  const bytes = Buffer.alloc(size);
  for (let have = 0; have < size; ) have += fs.readSync(0, bytes, have, size - have);
  return bytes;
}
let warmUp = %d;
for (;;) {
  const sizes = read(18).toString().split(" ").map((each) => parseInt(each, 16));
  const head = JSON.parse(read(sizes[0])), content = read(sizes[1] + 1);
  if (head.kind === "bye") break;
  let answer = { kind: "hello", protocol: 1, language: "Node", version: "", libraries: [] };
  if (head.kind === "time") {
    let start = 0;
    const payloads = head.sizes.map((size) => content.subarray(start, (start += size)));
    const load = loads[head.library](), slices = [];
    for (let i = -warmUp; i < head.slices; i++) {
      const before = waited(), begin = process.hrtime.bigint();
      let count = 0, spent;
      do {
        for (const payload of payloads) load(payload);
        count += payloads.length;
        spent = Number(process.hrtime.bigint() - begin);
      } while (spent < head.slice_ns);
      const lost = waited() - before;
      if (i >= 0) slices.push((spent - lost) / count);
    }
    warmUp = %d;
    answer = { kind: "times", warmup_ns: 1, slices };
  }
  const text = JSON.stringify(answer);
  fs.writeSync(1, `${text.length.toString(16).padStart(8, "0")} 00000000\\n${text}\\n`);
}
"""
PYTHON_LOOP = """
import importlib, json, sys, time
warm_up = %d

def slice_of(load, payloads, atleast):
    count, before, begin = 0, time.thread_time_ns(), time.perf_counter_ns()
    while time.perf_counter_ns() - begin < atleast:
        for payload in payloads:
            load(payload)
        count += len(payloads)
    return (time.thread_time_ns() - before) / count

while True:
    sizes = [int(each, 16) for each in sys.stdin.buffer.read(18).split()]
    head, content = json.loads(sys.stdin.buffer.read(sizes[0])), sys.stdin.buffer.read(sizes[1] + 1)
    if head["kind"] == "bye":
        break
    answer = {"kind": "hello", "protocol": 1, "language": "Python", "version": "", "libraries": []}
    if head["kind"] == "time":
        load, payloads, start = importlib.import_module(head["library"]).loads, [], 0
        for size in head["sizes"]:
            payloads.append(content[start : start + size])
            start += size
        slices = [slice_of(load, payloads, head["slice_ns"]) for _ in range(warm_up + head["slices"])]
        slices, warm_up = slices[warm_up:], %d
        answer = {"kind": "times", "warmup_ns": 1, "slices": slices}
    text = json.dumps(answer)
    sys.stdout.write(f"{len(text):08x} {0:08x}\\n{text}\\n")
    sys.stdout.flush()
"""


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
    """Return payloads in each format."""
    records = list(bakeoff.corpus("messages", RECORDS).records())
    return {form: [bakeoff.codec(name).encode(each) for each in records] for form, name in CODECS.items()}


def without_schema(language: Language) -> list[WorkerLibrary]:
    """Return the libraries that need no schema."""
    return [each for each in language.libraries if each.format in CODECS and not each.typed]


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


def timed(starts: Sequence[ReaderCommand], library: str, asked: Sequence[bytes]) -> list[float]:
    """Return the time of each worker, as one timing process of a run measures it."""
    job = TimeReads(
        corpus=CorpusInputs(""),
        workers=tuple(starts),
        reads=tuple(ReadCell(number, library, "json", DIGEST) for number in range(len(starts))),
        records=len(asked),
        slice=Readers.SLICE,
        seconds=math.inf,
        patience=3 * PATIENCE,
        free_level=0.0,
        repeats=1.0,
    )
    context = SimpleNamespace(
        blobs={DIGEST: CheckedPayloads(list(asked), {}).stored()}, beat=lambda index: None
    )
    answer = time_reads.run(job, cast(WorkerContext, context))
    assert isinstance(answer, TimedReads), answer
    assert not answer.errors, answer.errors
    return [answer.cells[str(number)].paired for number in range(len(starts))]


def ratios(
    workers: tuple[ReaderCommand, ReaderCommand],
    library: str,
    asked: Sequence[bytes],
    seconds: float,
    decided: Callable[[Sequence[float]], bool],
) -> list[float]:
    """Return the ratios of two kinds of workers, of pairs of fresh ones.

    The worker that starts second is about 1 % faster, so chance decides which one does.

    Args:
        workers: How to start each kind.
        library: What reads.
        asked: Payloads.
        seconds: Most time, unless there are fewer pairs than `FEWEST` by then.
        decided: Whether ratios suffice.
    """
    found: list[float] = []
    end = time.monotonic() + seconds
    while len(found) < FEWEST or (time.monotonic() < end and not decided(found)):
        if random.random() < 0.5:
            first, second = timed(workers, library, asked)
        else:
            second, first = timed(workers[::-1], library, asked)
        found.append(second / first)
    return found


def is_within(most: float, ratios: Sequence[float]) -> bool:
    """Return whether the interval of the mean ratio is that close to 1."""
    _, low, high = interval(ratios)
    return 1 - most <= low and high <= 1 + most


def is_clear(ratios: Sequence[float]) -> bool:
    """Return whether the mean ratio is above 1 by twice the half-width of its interval.

    With the half-width itself, one of several looks would too often find what is not there.
    """
    ratio, low, _ = interval(ratios)
    return ratio - 2 * (ratio - low) > 1


def shown(ratios: Sequence[float]) -> str:
    """Return a mean ratio and its interval in words."""
    ratio, low, high = interval(ratios)
    return f"{ratio - 1:+.2%} ({low - 1:+.2%} to {high - 1:+.2%}), {len(ratios)} pairs"


def show(targets: Targets, what: str, ratios: Sequence[float], most: float) -> None:
    """Print a mean ratio and whether it is close enough to 1."""
    ratio, _, _ = interval(ratios)
    targets.show(what, shown(ratios), f"at most {most:.0%}", ok=abs(ratio - 1) <= most)


def planted(folder: Path) -> tuple[ReaderCommand, ReaderCommand]:
    """Return how to start a worker of Go, and the same that reads one of twenty payloads twice.

    Both run the same file: where the pages of a program lie moves its times by several per cent.
    """
    go = builds.LANGUAGES["go"]
    shutil.copytree(builds._sources("go"), folder, dirs_exist_ok=True)
    source = (folder / "times.go").read_text()
    assert LOOP in source
    changed = source.replace(LOOP, TWICE, 1).replace('"syscall"', '"os"\n\t"syscall"')
    (folder / "times.go").write_text(changed + "\nvar passes int\n")
    for step in go.steps:
        subprocess.run(step, cwd=folder, env={**os.environ, **go.environment}, check=True)
    command = (str(folder / "worker"),)
    return ReaderCommand(command, str(folder)), ReaderCommand((*command, "twice"), str(folder))


def against_loops(targets: Targets, node: Language, known: Mapping[str, list[bytes]]) -> None:
    """Print how far the figures of workers are from those of plain loops."""
    loop = ReaderCommand(("node", "-e", NODE_LOOP % WARM_UP), node.start.folder)
    cases = [("node", loop, node.start, each.name, each.format) for each in without_schema(node)]
    source = str(builds._sources("pypy"))
    ours = ReaderCommand((sys.executable, f"{source}/worker.py"), source)
    own_loop = ReaderCommand((sys.executable, "-c", PYTHON_LOOP % WARM_UP), source)
    for title, plain, start, library, form in [*cases, ("python", own_loop, ours, "json", "json")]:
        found = ratios((plain, start), library, known[form], LOOP_SECONDS, partial(is_within, PLAIN))
        show(targets, f"{title} {library}: against a plain loop", found, PLAIN)


@benchmark
@click.option("--trials", default=20, show_default=True, help="Comparisons with a planted difference.")
@click.option("--built", is_flag=True, help="Leave out the builds with empty caches.")
def main(targets: Targets, trials: int, built: bool) -> None:
    """Print what builds take and what figures are worth; exit 1 when a target is missed."""
    for name in LANGUAGES:
        if not built:
            build(targets, name)
        builds.build(name)
    known = payloads()
    languages = [Language.of(each) for each in LANGUAGES]
    os.sched_setaffinity(0, cores()[:1])  # as a timing process
    for language in languages:
        all_found: list[float] = []
        for library in without_schema(language):
            pair, asked = (language.start, language.start), known[library.format]
            found = ratios(pair, library.name, asked, EQUAL_SECONDS, partial(is_within, SAME))
            click.echo(f"{language.name} {library.name}: two workers: {shown(found)}")
            all_found += found
        show(targets, f"{language.name}: two workers", all_found, SAME)
    with tempfile.TemporaryDirectory() as folder:
        pair = planted(Path(folder))
        seen = 0
        for trial in range(trials):
            each = ratios(pair, "vmihailenco/msgpack", known["msgpack"], PLANTED_SECONDS, is_clear)
            _, low, _ = interval(each)
            seen += low > 1
            click.echo(f"trial {trial + 1}: {shown(each)}")
        what = f"planted {PLANTED:+.0%} in Go"
        targets.show(what, f"{seen} of {trials}", f"{trials} of {trials}", ok=seen == trials)
    against_loops(targets, languages[LANGUAGES.index("node")], known)
