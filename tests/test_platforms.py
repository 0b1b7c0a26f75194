"""macOS and Windows, as far as they can be had elsewhere: what they lack is out of reach here, too.

The libraries of others are loaded beforehand, as they look at the platform, too. On macOS and Windows
themselves (.github/workflows/tests.yml) the core tests run as they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from bakeoff.bench.results import read

HURRIED = Path(__file__).parent / "hurried.py"
RESULT = Path(__file__).parent / "data" / "results" / "version-1.json"

LOADED = """
import sys
import asyncio, ctypes, email, importlib.metadata, multiprocessing, pathlib, pickle, platform, plistlib
import shutil, subprocess, tempfile, threading, tomllib, urllib.request, uuid, zipfile
import bson.json_util, click, click.shell_completion, msgpack, psutil, pyperf, rich.console, rich.table
import simplejson, yaml
"""
"""Modules that check the platform when they are loaded."""

ABSENT = {
    "win32": """
import os, select, signal, socket
for module, names in (
    (select, ["poll"]),
    (signal, ["SIGHUP", "SIGALRM"]),
    (os, ["sched_getaffinity", "sched_setaffinity", "getuid", "geteuid", "fork", "killpg", "setsid",
          "pidfd_open", "O_PATH", "O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"]),
):
    for name in names:
        delattr(module, name)
""",
    "darwin": """
import os, resource, socket
for name in ("sched_getaffinity", "sched_setaffinity", "pidfd_open", "O_PATH"):
    delattr(os, name)
resource.RLIMIT_AS = resource.RLIMIT_RSS
""",
}
"""Statements that take functions and constants away, by platform."""

LACKING = {
    "win32": ["fcntl", "grp", "pwd", "resource", "termios"],
    "darwin": [],
}
"""Modules that there are not, by platform."""


def elsewhere(platform: str, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    disguise = f"""
        sys.platform = {platform!r}
        for name in {LACKING[platform]!r}:
            sys.modules[name] = None
        if sys.platform == "win32":
            import os
            del os.sysconf  # psutil needs it in a run, on Linux
    """
    whole = LOADED + textwrap.dedent(disguise) + ABSENT[platform] + textwrap.dedent(script)
    return subprocess.run([sys.executable, "-c", whole, *arguments], capture_output=True, text=True)


@pytest.fixture(params=LACKING)
def platform(request: pytest.FixtureRequest) -> str:
    assert isinstance(request.param, str)
    return request.param


@pytest.mark.slow
def test_codecs_work(platform: str) -> None:
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
    done = elsewhere(platform, script)

    assert "" == done.stderr
    assert int(done.stdout) > 10


@pytest.mark.slow
def test_schemas_and_corpora_work(platform: str, tmp_path: Path) -> None:
    script = """
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
    done = elsewhere(platform, script, bakeoff.corpus("movies", records=50).sha256, *given)

    assert ("7 msgpack\n", "") == (done.stdout, done.stderr)


@pytest.mark.slow
def test_reports_work(platform: str, tmp_path: Path) -> None:
    report = "main(['report', str(file), '-f', form, '-o', str(output)])"
    if platform == "win32":  # where click asks for a console of Windows
        report = "output.write_text(render([load(file)], form))"
    script = f"""
        import contextlib
        from pathlib import Path
        from bakeoff.cli import main
        from bakeoff.reports import render
        from bakeoff.reports.model.files import load
        file, folder, *forms = map(Path, sys.argv[1:])
        for form in map(str, forms):
            output = folder / form
            with contextlib.suppress(SystemExit):
                {report}
    """
    forms = ["text", "md", "csv", "json", "latex", "rst", "html"]
    done = elsewhere(platform, script, str(RESULT), str(tmp_path), *forms)

    assert 0 == done.returncode, done.stderr
    assert all("msgpack" in (tmp_path / form).read_text() for form in forms)


@pytest.mark.slow
def test_a_run_ranks(platform: str, tmp_path: Path) -> None:
    """In its workers, too, which begin with what a system lacks."""
    # click asks Windows for a console, so here only the modules and functions that it lacks are missing.
    hidden = LOADED + ABSENT[platform] + f"for name in {LACKING[platform]!r}: sys.modules[name] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden)
    command = [
        sys.executable,
        "-P",
        str(HURRIED),
        "run",
        "movies",
        "-n",
        "100",
        "-c",
        "json,msgpack",
        "--all",
    ]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)

    assert 0 == done.returncode, done.stderr
    assert {"json", "msgpack"} == set(read(tmp_path / "bakeoff.json").rankings[0].order)
    (said,) = (line for line in done.stdout.splitlines() if "this system has " in line)
    assert "no fork server" in said
    assert "no memory limits" in said
    assert ("no file locks" in said) == (platform == "win32")
