"""macOS and Windows, simulated on Linux by hiding what they lack (`tests/elsewhere.py`).

On macOS and Windows themselves (.github/workflows/tests.yml) the core tests run as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bakeoff.bench.results import read
from elsewhere import PLATFORMS, lacking

TESTS = Path(__file__).parent
RESULT = TESTS / "data" / "results" / "version-1.json"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="what others lack is taken from Linux"),
]


class Elsewhere:
    """Starts processes as on another platform.

    Args:
        platform: Its ``sys.platform``.
        folder: For the module that changes them, and what they start.
    """

    def __init__(self, platform: str, folder: Path) -> None:
        self.platform = platform
        self._folder = folder
        (folder / "sitecustomize.py").write_text(
            f"import sys\nsys.path.append({str(TESTS)!r})\n"
            "from elsewhere import become\nsys.path.pop()\n"
            f"become({platform!r}, {lacking(platform)!r})\n"
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run Python there with some arguments."""
        environment = os.environ | {"PYTHONPATH": str(self._folder), "PYTHONWARNINGS": "ignore"}
        return subprocess.run(
            [sys.executable, "-P", *command],
            capture_output=True,
            text=True,
            cwd=self._folder,
            env=environment,
        )

    def script(self, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run some statements there."""
        return self.run("-c", textwrap.dedent(text), *arguments)


@pytest.fixture(params=PLATFORMS)
def elsewhere(request: pytest.FixtureRequest, tmp_path: Path) -> Elsewhere:
    pytest.importorskip("mypy")
    return Elsewhere(request.param, tmp_path)


def test_only_our_modules_lack_it(elsewhere: Elsewhere) -> None:
    script = """
        import os, signal, sys
        from bakeoff.bench import capabilities, orphans
        print(capabilities.os.name, *(hasattr(part, "pidfd_open") for part in (os, capabilities.os)))
        print(sys.platform, *(hasattr(part, "SIGKILL") for part in (signal, orphans.signal)))
    """
    done = elsewhere.script(script)

    posix = elsewhere.platform == "darwin"
    assert (f"posix True False\nlinux True {posix}\n", "") == (done.stdout, done.stderr)


def test_each_module_can_be_imported(elsewhere: Elsewhere) -> None:
    """Those of frameworks only import one, which adapts to the platform by itself."""
    script = """
        import importlib, pkgutil, bakeoff
        for module in pkgutil.walk_packages(bakeoff.__path__, "bakeoff."):
            parts = module.name.split(".")
            if parts[-1] != "__main__" and not {"hook", "integrations"} & {*parts[:-1]}:
                try:
                    importlib.import_module(module.name)
                except ImportError as error:  # a library that is not installed
                    if error.name in sys.stdlib_module_names:
                        raise
    """
    done = elsewhere.script("import sys\n" + textwrap.dedent(script))

    assert (0, "") == (done.returncode, done.stderr)


def test_codecs_work(elsewhere: Elsewhere) -> None:
    script = """
        import io
        import bakeoff
        from bakeoff import codecs

        for name in codecs.available():
            for made in (bakeoff.codec(name, trusted=True), bakeoff.codec(f"{name}|zlib", trusted=True)):
                assert made.decode(made.encode({"a": "b"})) == {"a": "b"}, name
                file = io.BytesIO()
                made.dump([{"a": "b"}] * 3, file)
                file.seek(0)
                assert list(made.load(file)) == [{"a": "b"}] * 3, name
        print(len(codecs.available()))
    """
    done = elsewhere.script(script)

    assert "" == done.stderr
    assert int(done.stdout) > 10


def test_schemas_and_corpora_work(elsewhere: Elsewhere, tmp_path: Path) -> None:
    script = """
        import sys
        from datetime import datetime
        import bakeoff

        corpus = bakeoff.corpus("movies", records=50)
        assert corpus.sha256 == sys.argv[1]
        schema = bakeoff.Schema({"when": datetime})
        codec = bakeoff.codec("json").with_schema(schema)
        assert codec.decode(b'{"when": "2011-06-01T00:00:00"}') == {"when": datetime(2011, 6, 1)}
        print(len(list(bakeoff.corpus(sys.argv[2]).records())), bakeoff.fastest(lock=sys.argv[3]).name)
    """
    import bakeoff

    (tmp_path / "mine.jsonl").write_text('{"a": 1}\n' * 7)
    (tmp_path / "bakeoff.lock").write_text(
        "version = 1\n[codec]\nname = 'msgpack'\nrequires = { msgpack = '>=1' }\n"
    )
    given = (str(tmp_path / name) for name in ("mine.jsonl", "bakeoff.lock"))
    done = elsewhere.script(script, bakeoff.corpus("movies", records=50).sha256, *given)

    assert ("7 msgpack\n", "") == (done.stdout, done.stderr)


def test_reports_work(elsewhere: Elsewhere, tmp_path: Path) -> None:
    script = """
        import contextlib, sys
        from bakeoff.cli import main
        file, *forms = sys.argv[1:]
        for form in forms:
            with contextlib.suppress(SystemExit):
                main(["report", file, "-f", form, "-o", f"report.{form}"])
    """
    forms = ["text", "md", "csv", "json", "latex", "rst", "html"]
    done = elsewhere.script(script, str(RESULT), *forms)

    assert 0 == done.returncode, done.stderr
    assert all("msgpack" in (tmp_path / f"report.{form}").read_text() for form in forms)


def test_a_run_ranks(elsewhere: Elsewhere, tmp_path: Path) -> None:
    """In its workers, too, which begin with what a system lacks."""
    options = ("-n", "100", "-c", "json,msgpack", "--all", "--budget", "0")
    done = elsewhere.run(str(TESTS / "hurried.py"), "run", "movies", *options)

    assert 0 == done.returncode, done.stderr
    assert {"json", "msgpack"} == set(read(tmp_path / "bakeoff.json").rankings[0].order)
    (said,) = (line for line in done.stdout.splitlines() if "this system has " in line)
    assert "no fork server" in said
    assert "no memory limits" in said
    assert ("no file locks" in said) == (elsewhere.platform == "win32")
