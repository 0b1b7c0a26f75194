"""The conditions of figures: machine, interpreter, libraries, and disturbances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...bench.results import Fact, ResultData
from .candidates import Candidate
from .lists import listed

_BUSY: Final = 0.5
"""Load of the last minute per core from which the machine counts as busy."""

_DISTURBED: Final = 0.1
"""Share of interrupted rounds from which figures count as distorted."""

MACHINE: Final = ("hostname", "cpu_model_name", "cpu_count", "platform")
"""Environment keys that together name a machine."""

OF_RECORDS: Final = ("at", "encoding", "null_values", "no_header", "decimal_comma", "schema")
"""Options of a run that say what the records are."""
INTERPRETER: Final = ("python_implementation", "python_version", "interpreter")
"""Environment keys that together name an interpreter; the last is its name in `run --python`."""


def machine(result: ResultData) -> tuple[Fact, ...]:
    """Return what identifies the machine of a result."""
    return tuple(result.environment.get(key) for key in MACHINE)


def interpreter(result: ResultData) -> tuple[Fact, ...]:
    """Return what identifies the interpreter of a result."""
    return tuple(result.environment.get(key) for key in INTERPRETER)


def resuming(result: ResultData, file: str) -> list[str]:
    """Return the options of `bakeoff run` that continue a result, with the interpreter that measured it."""
    known = result.environment
    python = known.get("interpreter") and (known.get("python_executable") or known["interpreter"])
    return ["--resume", file, *(["--python", str(python)] if python else [])]


def block_noun(results: Iterable[ResultData]) -> str:
    """Return the noun for what the results of several blocks of columns are of: machine or interpreter."""
    return "machine" if len({machine(result) for result in results}) > 1 else "interpreter"


def versions(result: ResultData) -> dict[str, str]:
    """Return the version of each library that took part; a run may have measured several releases of one."""
    found: dict[str, dict[str, None]] = {}
    for codec in result.codecs:
        if codec.library and codec.version:
            found.setdefault(codec.library, {})[codec.version] = None
    return {library: ", ".join(versions) for library, versions in found.items()}


def code(result: ResultData, codec: str = "") -> dict[str, str]:
    """Return the digests and versions of further code that codecs used, see `CheckFacts.code`.

    Args:
        codec: Only that of this codec; empty for all.
    """
    found: dict[str, dict[str, None]] = {}
    for cell in result.cells:
        if cell.check is not None and codec in ("", cell.cell.codec):
            for name, value in cell.check.code.items():
                found.setdefault(name, {})[value] = None
    return {name: ", ".join(values) for name, values in found.items()}


def head(result: ResultData) -> str:
    """Return the processor and the Python of a machine, as a heading of its columns."""
    texts = {"cpu_model_name": "{}", "python_version": "Python {}"}
    found = {key: result.environment.get(key) for key in texts}
    return ", ".join(texts[key].format(value) for key, value in found.items() if value)


def version_differences(results: Iterable[tuple[str, ResultData]]) -> list[str]:
    """Name the libraries whose versions differ between machines, in a line; none if there are none.

    The version of Python, which is that of standard codecs, is above each block of columns.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for label, result in results:
        for library, version in versions(result).items():
            if library == "Python":
                continue
            found.setdefault(library, {}).setdefault(version, []).append(label)
    texts = [
        f"{library} {', '.join(f'{version} on {listed(labels)}' for version, labels in where.items())}"
        for library, where in found.items()
        if len(where) > 1
    ]
    return [f"library versions differ: {'; '.join(texts)}"] if texts else []


def notes(result: ResultData) -> list[str]:
    """Describe machine, libraries and command, a line each."""
    env = result.environment
    python = " ".join(str(env[key]) for key in ("python_implementation", "python_version") if env.get(key))
    parts = [python, *(str(env[key]) for key in ("cpu_model_name", "platform") if env.get(key))]
    if env.get("gc") not in (None, "on"):
        parts.append(f"garbage collector {env['gc']}")
    if isinstance(cost := env.get("harness_ns"), int | float):
        parts.append(f"{cost:.1f} ns of harness in each call")
    lines = [", ".join(part for part in parts if part)]
    lines.append(", ".join(f"{name} {version}" for name, version in versions(result).items()))
    if result.command:
        when = f" ({result.started})" if result.started else ""
        lines.append(f"{result.command}{when}")
    return [line for line in lines if line]


def alarms(result: ResultData) -> list[str]:
    """Collect the ways in which the run was not an ordinary one."""
    there = {cell.cell.codec for cell in result.cells}
    slow = [codec.name for codec in result.codecs if codec.name in there and Candidate(codec, {}).slow_build]
    found = []
    if not result.complete:
        found.append("the run was interrupted: figures are of the processes that finished")
    if result.options.get("burst"):
        found.append("each call followed other work and was timed by itself (--burst)")
    if slow:
        found.append(f"C accelerator missing, figures are of pure Python: {', '.join(slow)}")
    return found


def remarks(result: ResultData) -> list[str]:
    """Collect reasons for wider intervals than necessary."""
    busy = _busy(result)
    return [*([busy] if busy else []), *result.warnings]


def warnings(result: ResultData) -> list[str]:
    """Collect possible disturbances of the figures, worst first."""
    return [*alarms(result), *remarks(result)]


def _busy(result: ResultData) -> str:
    """Report that the machine had other work, if it affected figures."""
    load, cores = (result.environment.get(key) for key in ("load_avg_1min", "cores"))
    allowed = len(str(cores).split(","))
    if not isinstance(load, int | float) or load <= _BUSY * allowed:
        return ""
    timed = [sample for cell in result.cells for sample in cell.samples if sample.rounds > 1]
    disturbed = sum(sample.dirty for sample in timed) > _DISTURBED * sum(sample.rounds for sample in timed)
    wide = any(key.startswith("reached ") and not value for key, value in result.options.items())
    if not (disturbed or wide):
        return ""
    return (
        f"other work kept this machine busy (load {load:.1f} on {allowed} core{'s' * (allowed > 1)} as the "
        "run began): intervals are wider than on a quiet one"
    )


def differences(a: Sequence[tuple[str, Fact]], b: Sequence[tuple[str, Fact]]) -> list[str]:
    """Describe the facts that differ between two runs: "python_version: 3.11.7 → 3.13.1"."""
    before, after = dict(a), dict(b)
    return [
        f"{key}: {_shown(before.get(key))} → {_shown(after.get(key))}"
        for key in dict.fromkeys([*before, *after])
        if before.get(key) != after.get(key)
    ]


def _shown(value: Fact) -> str:
    return "none" if value is None or value == "" else str(value)


def option_differences(before: ResultData, after: ResultData) -> list[str]:
    """Describe differing options that affect the meaning of a figure, one line each.

    Those that say what the records are (`OF_RECORDS`) differ between corpora, and matter for the same ones.
    """
    names = {**before.conditions, **after.conditions}
    if {corpus.name for corpus in before.corpora}.isdisjoint(corpus.name for corpus in after.corpora):
        names = {name: value for name, value in names.items() if name not in OF_RECORDS}
    old, new = ([(key, run.conditions.get(key, "default")) for key in names] for run in (before, after))
    return [f"option {line}" for line in differences(old, new)]
