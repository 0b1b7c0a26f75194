"""``python -m bakeoff.bench``: one codec and one corpus under pyperf's own scheduler.

All options of a pyperf runner work (``--fast``, ``--rigorous``, ``-o``, ``--affinity``, ...). Benchmarks are
named ``CORPUS/OPERATION``, without the codec, so that ``pyperf compare_to msgpack.json json.json`` compares
codecs. So a file holds one codec, and ``--append`` refuses a file of another one. The same records are dumped
again and again: what a run calls ``dump-repeat``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import pyperf

from ..codecs import CodecError
from ..codecs import codec as make_codec
from ..datasets import corpus as make_corpus
from ..errors import BakeoffError, UsageError
from ..escape import lines_visible
from .equality.equal import first_difference

if TYPE_CHECKING:
    from ..codecs import Codec


def _time(loops: int, function: Any, inputs: list[Any]) -> float:
    """Return the seconds that `loops` passes over all inputs take."""
    passes = range(loops)
    start = perf_counter()
    for _ in passes:
        for item in inputs:
            function(item)
    return perf_counter() - start


def _check(codec: Codec, records: list[Any]) -> list[bytes]:
    """Check that every record survives a round trip, and return the payloads.

    Raises:
        SystemExit: A record differs: a codec that loses data is not timed.
    """
    payloads = []
    for number, record in enumerate(records, start=1):
        payloads.append(codec.encode(record))
        if (difference := first_difference(record, codec.decode(payloads[-1]))) is not None:
            sys.exit(
                f"bakeoff: {codec.name} does not preserve record {number}: {difference}; `bakeoff run` "
                "measures lossy codecs and lists their losses"
            )
    return payloads


def _check_appended(file: Path, corpus: str, metadata: Mapping[str, Any]) -> None:
    """Refuse to add runs to benchmarks of something else: pyperf would mix them under one name.

    Args:
        file: The file to add to.
        corpus: Name of the corpus.
        metadata: What says what is measured.

    Raises:
        UsageError: The file has this corpus with another codec or other records, or is no file of pyperf.
    """
    try:
        suite = pyperf.BenchmarkSuite.load(str(file))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file}: is not a file of pyperf, so nothing can be appended to it") from error
    for benchmark in suite:
        name, before = benchmark.get_name(), benchmark.get_metadata()
        if name.partition("/")[0] != corpus:
            continue
        for key, now in metadata.items():
            if (then := before.get(key)) == now:
                continue
            what = f"{then}, not {now}" if key.startswith("bakeoff_codec") else "other records"
            raise UsageError(f"{file}: {name} was measured with {what}; write to another file with -o")


def main() -> None:
    """Run the benchmarks ``CORPUS/dump`` and ``CORPUS/load``."""

    def pass_on(command: list[str], arguments: argparse.Namespace) -> None:
        command += ["--codec", arguments.codec, "--corpus", arguments.corpus]
        command += ["--records", str(arguments.records), "--seed", str(arguments.seed)]

    runner = pyperf.Runner(program_args=("-P", "-m", "bakeoff.bench"), add_cmdline_args=pass_on)
    parser = runner.argparser
    parser.prog = "python -m bakeoff.bench"  # argparse would name the file
    parser.description = (__doc__ or "").replace("``", "`")
    parser.add_argument("--codec", required=True, help="codec name; `bakeoff codecs` lists them")
    parser.add_argument("--corpus", default="movies", help="corpus name or file (default: movies)")
    parser.add_argument("--records", type=int, default=1000, help="records to rotate through (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of a generated corpus (default: 1)")
    arguments = runner.parse_args()
    # Workers build the same inputs again, so everything here must be cheap and repeatable.
    codec = make_codec(arguments.codec, trusted=True)
    corpus = make_corpus(arguments.corpus, records=arguments.records, seed=arguments.seed)
    records = corpus.sample(arguments.records)
    payloads = _check(codec, records)
    metadata = {
        "bakeoff_codec": codec.name,
        "bakeoff_codec_version": f"{codec.library} {codec.version}",
        "bakeoff_corpus": corpus.name,
        "bakeoff_corpus_sha256": corpus.sha256,
        "bakeoff_records": len(records),
        "bakeoff_bytes": sum(map(len, payloads)),
    }
    if arguments.append and not arguments.worker and Path(arguments.append).exists():
        _check_appended(Path(arguments.append), corpus.name, metadata)
    for operation, function, inputs in (("dump", codec.encode, records), ("load", codec.decode, payloads)):
        runner.bench_time_func(
            f"{corpus.name}/{operation}",
            _time,
            function,
            inputs,
            inner_loops=len(inputs),
            metadata={**metadata, "bakeoff_operation": operation, "tags": [operation]},
        )


if __name__ == "__main__":
    try:
        main()
    except (BakeoffError, CodecError) as error:
        print(f"bakeoff: {lines_visible(str(error))}", file=sys.stderr)  # noqa: T201 - a plain script, without the command line's console
        sys.exit(error.exit_code if isinstance(error, BakeoffError) else 1)
