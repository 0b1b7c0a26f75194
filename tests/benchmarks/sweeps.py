"""Targets for what is beside the mean: ``python3 tasks.py benchmarks sweeps``.

The clock of single calls adds 60 ns at most. A call that holds the interpreter for a known time is told to
within a tenth, and one that lets go of it is not taken for one. On `messages`, orjson with zstd
and a dictionary of 16 KiB makes payloads of 600 bytes at most, of 1,010 without, and decodes them in less
time.
"""

from __future__ import annotations

import statistics
import tempfile
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Any

from bakeoff.bench.operations import operation
from bakeoff.bench.operations.base import CodecParts, Context, Toolkit
from bakeoff.bench.results import read
from bakeoff.bench.worker._slice import nothing, spin, time_each
from bakeoff.bench.worker.records import make_sample
from bakeoff.codecs import Codec, codec

from ._frame import Targets, benchmark, run_bakeoff

CLOCK = 60.0
HELD = 0.1
DICTIONARY, PLAIN = 600.0, 1010.0
TURNS = 30_000_000
ROUNDS = 60_000


def _stalls(share: bool) -> tuple[float, float]:
    """Return what `stall-load` says of a decode that holds the interpreter or shares it, and its time."""
    plain = codec("json")

    def decode(data: bytes) -> Any:
        if share:
            pbkdf2_hmac("sha256", data, b"salt", ROUNDS)
        else:
            spin(TURNS)
        return 1

    made = Codec("known", "json", plain.encode, decode)
    records = [{"n": number} for number in range(8)]
    given = Context(
        CodecParts(made, made), make_sample(records), [plain.encode(record) for record in records]
    )
    tools = Toolkit(lambda: None, time_each, time_each(nothing, [None] * 1000))
    found = operation("stall-load").carry_out(given, tools)
    return found.value, float(found.extras["call"])


@benchmark
def main(targets: Targets) -> None:
    """Print each figure next to its target; exit with 1 on a miss."""
    clock = statistics.median(time_each(nothing, [None] * 10_000))
    targets.at_most("clock of a single call", clock, CLOCK, "ns")
    kept, took = _stalls(share=False)
    words = f"{1e3 * kept:.2f} of {1e3 * took:.2f} ms"
    what = "stall of a call that holds the interpreter"
    targets.show(what, words, f"within {HELD:.0%}", ok=abs(kept / took - 1) <= HELD)
    kept, took = _stalls(share=True)
    words = f"{1e3 * kept:.2f} of {1e3 * took:.2f} ms"
    targets.show("stall of one that lets go of it", words, "at most half", ok=kept <= took / 2)
    with tempfile.TemporaryDirectory() as folder:
        options = ("-c", "orjson", "--no-memory", "--compress", "zstd:3,dict", "--budget", "20s")
        run_bakeoff("run", "messages", *options, "-o", f"{folder}/a.json")
        result = read(Path(folder) / "a.json")
    figures = {
        (name, behind): statistics.fmean(sample.value for sample in cell.samples)
        for name in ("size", "load")
        for behind in ("zstd:3", "zstd,dict")
        if (cell := result.cell("messages", name, f"orjson|{behind}")) is not None
    }
    targets.at_most("size with a dictionary", figures["size", "zstd,dict"], DICTIONARY, "bytes")
    targets.at_most("size without", figures["size", "zstd:3"], PLAIN, "bytes")
    ratio = figures["load", "zstd,dict"] / figures["load", "zstd:3"]
    targets.show("load with a dictionary, over without", f"{ratio:.2f}", "below 1", ok=ratio < 1)
