"""One codec under pyperf's own scheduler: ``python -m bakeoff.bench``."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyperf
import pytest

from bakeoff import codec
from bakeoff.bench.__main__ import _check
from untraced import untraced


def test_a_lossy_codec_is_refused_with_the_number_of_the_record() -> None:
    """Records are counted from 1, as `bakeoff run` counts them."""
    with pytest.raises(SystemExit, match="json does not preserve record 2: "):
        _check(codec("json"), [{"a": 1}, {"a": (1,)}])


def append(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Measure the least that pyperf can, and append it to a file."""
    least = ("--debug-single-value", "-q", "--inherit-environ", "PYTHONPATH", "--append", str(file))
    return subprocess.run(
        [sys.executable, "-m", "bakeoff.bench", *least, *arguments],
        env=untraced(),
        capture_output=True,
        text=True,
        check=False,
    )


def runs(file: Path) -> list[tuple[str, str, int]]:
    """Return the name, the codec and the number of runs of each benchmark."""
    suite = pyperf.BenchmarkSuite.load(str(file))
    return [(b.get_name(), b.get_metadata()["bakeoff_codec"], b.get_nrun()) for b in suite]


@pytest.fixture(scope="module")
def appended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("appended") / "a.json"
    done = append(file, "--codec", "json", "--records", "5")
    assert (0, "") == (done.returncode, done.stderr)
    return file


@pytest.mark.slow
def test_the_same_codec_is_appended(appended: Path, tmp_path: Path) -> None:
    file = tmp_path / "same.json"
    file.write_bytes(appended.read_bytes())
    before = runs(file)
    assert 0 == append(file, "--codec", "json", "--records", "5").returncode
    assert 0 == append(file, "--codec", "msgpack", "--corpus", "messages", "--records", "5").returncode

    assert [(name, codec, number + 1) for name, codec, number in before] == runs(file)[:2]
    assert [("messages/dump", "msgpack"), ("messages/load", "msgpack")] == [r[:2] for r in runs(file)[2:]]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--codec", "msgpack", "--records", "5"], "json, not msgpack"),
        (["--codec", "json", "--records", "6"], "other records; "),
        (["--codec", "json", "--records", "5", "--seed", "2"], "other records; "),
    ],
)
def test_nothing_else_is_mixed_with_it(appended: Path, arguments: Sequence[str], said: str) -> None:
    before = appended.read_bytes()
    done = append(appended, *arguments)

    assert (2, "") == (done.returncode, done.stdout)
    assert f"bakeoff: {appended}: movies/dump was measured with {said}" in done.stderr
    assert before == appended.read_bytes()


@pytest.mark.slow
def test_a_file_that_pyperf_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    done = append(tmp_path / "a.json", "--codec", "json", "--records", "5")

    assert 2 == done.returncode
    assert "is not a file of pyperf" in done.stderr


@pytest.mark.slow
def test_the_help_names_the_command_without_markup() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bakeoff.bench", "--help"], env=untraced(), capture_output=True, text=True
    )

    assert done.stdout.startswith("usage: python -m bakeoff.bench [-h]")
    assert "``" not in done.stdout
