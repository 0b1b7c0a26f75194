"""Peak, retained memory and growth, measured in real processes with known truths."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
from types import SimpleNamespace
from typing import Any

import pytest

from bakeoff.bench.jobs import CorpusInputs, Ended
from bakeoff.bench.lab.selftest import faults
from bakeoff.bench.messages.alone import Alone, AloneAnswer
from bakeoff.bench.operations import OPERATIONS, growth
from bakeoff.bench.operations._memory import EXACT, windows
from bakeoff.bench.results import FigureDetails, GrowthFacts, read
from bakeoff.bench.run.memory import _confirmed
from launched import launch
from untraced import untraced

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not EXACT, reason="the truths below are those of glibc's allocator on Linux"
)

PRELUDE = """
import json, sys
from dataclasses import asdict
import bakeoff
from bakeoff.bench.operations import growth, peak, retained
from bakeoff.bench.lab.selftest import faults

def tell(measured):
    found = asdict(measured.details())
    flat = {**found["extras"], "resolution": measured.resolution, **(found["facts"] or {})}
    print(json.dumps([measured.value, flat, measured.again]))

movies = bakeoff.corpus("movies", records=300).sample(300)
"""


def fresh(script: str) -> list[Any]:
    code = PRELUDE + textwrap.dedent(script)
    # Not from this process, whose peak a child that it starts would have, as Linux keeps that over exec.
    command = ["sh", "-c", '"$0" -c "$1"; exit $?', sys.executable, code]
    # The data of coverage would be mistaken for growth.
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=untraced())
    return [json.loads(line) for line in done.stdout.splitlines()]


LEAKS = {"selftest-16-bytes": 32.0, "selftest-16-bytes-in-1000": 0.032}
"""Bytes lost per call: the smallest chunk of glibc. All leaks are found by the run in test_selftest.py."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "slope"), LEAKS.items())
def test_a_leak_is_found_and_confirmed(name, slope):
    first, second = fresh(f"""
        codec = faults.LEAKERS["{name}"]("{name}")
        payloads = [codec.encode(record) for record in movies]
        first = growth.measure(codec, movies, payloads, {{"operation": "growth-load"}})
        tell(first)
        tell(growth.measure(codec, movies, payloads, first.again))
    """)

    assert first[2] is not None
    assert "growing" == second[1]["verdict"]
    assert second[0] > 0
    if name == "selftest-16-bytes":
        assert "lose_16_bytes" in second[1]["where"]
    assert slope == pytest.approx(second[1]["slope_heap"], rel=0.35 if slope < 1 else 1e-9)


PLACES = {
    "selftest-16-bytes": "2,000 allocations of 32,000 bytes in .*lose_16_bytes ",
    "selftest-16-bytes-in-1000": "2 allocations of 32 bytes in .*lose_16_bytes_in_1000 ",
    "selftest-one-object": r"faults\.py:\d+ \(",
    "selftest-one-reference": r"json.decoder\.py:\d+ \(",
    # The list that grows is copied to a larger place in few of the calls, or in none.
    "selftest-list-append": r"place unknown: no place allocated 16,\d\d\d bytes in 2,000 more calls$",
}
"""Where leaks come from; the library's decoder makes the object whose reference is lost."""


@pytest.mark.slow
def test_a_place_is_named_if_it_explains_the_growth():
    assert faults.LEAKERS.keys() == PLACES.keys()
    told = fresh("""
        for name, make in faults.LEAKERS.items():
            codec = make(name)
            payloads = [codec.encode(record) for record in movies]
            confirming = {"operation": "growth-load", "windows": growth.CONFIRMING, "calls": 400}
            tell(growth.measure(codec, movies, payloads, confirming))
    """)

    for place, (_, facts, _) in zip(PLACES.values(), told, strict=True):
        assert re.search(place, facts["where"])


@pytest.mark.parametrize(
    ("amounts", "named"),
    [
        ([1000.0], [1000.0]),
        ([600.0, 400.0], [600.0]),
        ([300.0, 250.0, 20.0], [300.0, 250.0]),
        ([200.0, 200.0, 200.0, 200.0, 200.0], [200.0, 200.0, 200.0]),
        ([160.0] * 6, []),
        ([24.0], []),
        ([16_000.0, 24.0], []),
        ([16_000.0, 900.0], [900.0]),
        ([2001.0], []),
        ([0.0, -900.0], []),
        ([], []),
    ],
)
def test_places_that_explain_a_growth_of_1000(amounts, named):
    """What was allocated once is none of them, whether it is too small or too large."""
    assert named == growth._explaining(amounts, lambda amount: amount, 1000.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["msgpack", "orjson", "simplejson", "selftest-random-sizes"])
def test_clean_codecs_are_not_flagged(name):
    told = fresh(f"""
        make = faults.CLEAN.get("{name}", bakeoff.codec)
        codec = make("{name}")
        payloads = [codec.encode(record) for record in movies]
        for operation in ("growth-dump", "growth-load", "growth-failing-load"):
            measured = growth.measure(codec, movies, payloads, {{"operation": operation}})
            tell(growth.measure(codec, movies, payloads, measured.again) if measured.again else measured)
    """)

    assert 3 == len(told)
    for value, facts, again in told:
        assert (0.0, "no growth", None) == (value, facts["verdict"], again)
        assert facts["resolution"] < 0.1


@pytest.mark.slow
def test_a_filling_cache_is_cleared():
    told = fresh("""
        codec = faults.CLEAN["selftest-filling-cache"]("selftest-filling-cache")
        payloads = [codec.encode(record) for record in movies]
        measured = growth.measure(codec, movies, payloads, {"operation": "growth-load", "calls": 400})
        tell(measured)
        again = measured.again or {"operation": "growth-load", "windows": growth.CONFIRMING, "calls": 400}
        tell(growth.measure(codec, movies, payloads, again))
    """)

    assert "no growth" == told[1][1]["verdict"]


@pytest.mark.slow
def test_payloads_may_be_empty():
    """Protocol Buffers has no byte for a record of default values."""
    told = fresh("""
        from bakeoff.bench.operations import OPERATIONS

        codec = bakeoff.codec("protobuf").with_schema(bakeoff.Schema({"a": int}))
        payload, records = codec.encode({"a": 0}), [{"a": 0}]
        for operation in OPERATIONS.values():
            if operation.phase == "memory" and not payload:
                how = {"operation": operation.name, "seconds": 0.05}
                tell(operation.carry_out(codec, records, [payload], how))
    """)

    assert len([name for name in OPERATIONS if OPERATIONS[name].phase == "memory"]) == len(told)
    assert "no damaged payload was refused" in [facts.get("reason") for _, facts, _ in told]


def test_there_is_a_sign_of_life_for_each_damaged_payload():
    """A slow codec needs minutes for all of them."""
    beats = []

    def refuse(payload):
        raise ValueError(payload)

    found = growth._damaged(SimpleNamespace(decode=refuse), [b"", b"a", b"abc"], lambda: beats.append(1))

    assert 28 == len(found) == len(beats)


@pytest.mark.slow
def test_error_paths_leak_too():
    _, (value, facts, _) = fresh("""
        kept = []

        def decode(data):
            try:
                return json.loads(data)
            except ValueError:
                kept.append(bytearray(50))
                raise

        codec = bakeoff.Codec("careless", "json", lambda r: json.dumps(r).encode(), decode)
        payloads = [codec.encode(record) for record in movies]
        first = growth.measure(codec, movies, payloads, {"operation": "growth-failing-load"})
        tell(first)
        tell(growth.measure(codec, movies, payloads, first.again))
    """)

    assert "growing" == facts["verdict"]
    assert value >= 50


@pytest.mark.slow
def test_resident_pages_are_the_fallback():
    ((_, facts, _),) = fresh("""
        codec = bakeoff.codec("msgpack")
        payloads = [codec.encode(record) for record in movies]
        tell(growth.measure(codec, movies, payloads, {"operation": "growth-load", "resident": True}))
    """)

    assert "lower resolution" in facts["counters"]


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "truth"), [("peak-dump", 40e6), ("peak-load", 20e6)])
def test_the_peak_of_one_call_is_the_kernels(operation, truth):
    """20 MB through msgpack hold a 20 MB buffer and a 20 MB payload, or one 20 MB record."""
    ((value, facts, _),) = fresh(f"""
        codec = bakeoff.codec("msgpack", size=1 << 30)
        record = next(faults.big())
        payload = b"\\x81\\xa5bytes\\xc6" + len(record["bytes"]).to_bytes(4) + record["bytes"]
        tell(peak.measure(codec, [record], [payload], {{"operation": "{operation}"}}))
    """)

    assert truth == pytest.approx(value, rel=0.02)
    assert facts["resolution"] <= 1 << 16


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1, 1024])
def test_usage_is_counted_in_the_unit_of_the_system(unit):
    """Kilobytes on Linux, bytes on macOS."""
    ((value, facts, _),) = fresh(f"""
        import resource
        from dataclasses import replace
        from types import SimpleNamespace
        from bakeoff.bench import capabilities
        capabilities.adopt(replace(capabilities.probe(), high_water_mark=False))
        usage = resource.getrusage
        resource.getrusage = lambda who: SimpleNamespace(ru_maxrss=usage(who).ru_maxrss * 1024 // {unit})
        codec = SimpleNamespace(encode=lambda record: bytes(b"x" * 400_000_000))
        tell(peak.measure(codec, [1], [b""], {{"operation": "peak-dump"}}))
    """)

    assert 400e6 == pytest.approx(value, rel=0.2)
    assert "ru_maxrss" in facts["method"]


@pytest.mark.slow
def test_pages_of_files_are_no_memory_that_a_codec_holds():
    """A library's code comes in with its first calls: here, a file of 8 MB that is looked through."""
    ((value, _, _),) = fresh("""
        import mmap, tempfile
        from types import SimpleNamespace
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 8_000_000)
            file.flush()
            code = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        codec = SimpleNamespace(encode=lambda record: code.find(b"y"))
        tell(peak.measure(codec, [1], [b""], {"operation": "peak-dump"}))
    """)

    assert value < 100_000


@pytest.mark.slow
def test_shared_memory_is_held_and_pages_that_leave_are_not():
    (shared, _, _), (gone, _, _) = fresh("""
        import mmap, tempfile
        from types import SimpleNamespace
        held = []
        def hold(record):
            held.append(mmap.mmap(-1, 8_000_000))
            held[-1].write(b"x" * 8_000_000)
        tell(peak.measure(SimpleNamespace(encode=hold), [1], [b""], {"operation": "peak-dump"}))
        with tempfile.TemporaryFile() as file:
            file.write(b"x" * 8_000_000)
            file.flush()
            code = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        code.find(b"y")
        drop = SimpleNamespace(encode=lambda record: code.madvise(mmap.MADV_DONTNEED))
        tell(peak.measure(drop, [1], [b""], {"operation": "peak-dump"}))
    """)

    assert shared > 7_900_000
    assert gone < 100_000


SLOW = """
import json, time

def loads(payload):
    time.sleep(0.001)
    return json.loads(payload)

codec = json.dumps, loads
"""


@pytest.mark.slow
def test_slow_calls_are_no_hanging_ones(tmp_path):
    """A pass of many windows may take longer than any call may."""
    (tmp_path / "slow.py").write_text(SLOW)
    operations = "growth-load,peak-load,retained-records"
    typed = f"run movies --sample 20 -c slow=slow.py:codec --ops {operations} --cell-timeout 2 -o out.json"
    done = launch(tmp_path, *typed.split())

    assert 0 == done.returncode, done.stderr
    assert "timed out" not in done.stdout
    assert ["ok"] * 3 == [cell.outcome for cell in read(tmp_path / "out.json").cells]


@pytest.mark.slow
def test_retained_is_traced_and_resident():
    (records, payloads) = fresh("""
        codec = bakeoff.codec("msgpack")
        items = [{"b": bytes(50_000)} for _ in range(50)]
        data = [codec.encode(item) for item in items]
        tell(retained.measure(codec, items, data, {"operation": "retained-records"}))
        tell(retained.measure(codec, items, data, {"operation": "retained-payloads"}))
    """)

    for value, facts, _ in (records, payloads):
        assert 50_000 == pytest.approx(value, rel=0.02)
        assert 50_000 == pytest.approx(facts["resident"], rel=0.1)


def test_the_traced_pass_ends_in_time(monkeypatch):
    """A slow codec must not look as if it hung."""
    monkeypatch.setattr(growth, "MOST_SECONDS", 0.0)
    calls = []

    assert 1 == growth._repeat(calls.append, [0], False) == len(calls)


def test_a_suspicion_alone_is_no_verdict():
    job = Alone(corpus=CorpusInputs(""), codec="json", operation="growth-load", payloads="")
    suspicion = Ended(AloneAnswer(0.0, FigureDetails(facts=GrowthFacts("no growth")), again={"windows": 96}))

    assert _confirmed(SimpleNamespace(stopping=True), job, suspicion, lambda: False) is None


@pytest.mark.slow
def test_a_lower_limit_is_kept():
    """Only root may raise a hard limit again."""
    (found,) = fresh("""
        import resource
        from bakeoff.bench.worker.__main__ import _limit
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        _limit(resource.RLIMIT_AS, 1 << 31)
        print(json.dumps(resource.getrlimit(resource.RLIMIT_AS)))
    """)

    assert [1 << 30, 1 << 30] == found


def test_an_interruption_is_no_expected_error() -> None:
    def interrupted(item: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        windows(interrupted, [1], 1, 1, True, lambda: None)
