"""The conditions that affect a figure besides the codec: machine, interpreter, allocator and load."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import sysconfig
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path

from ...codecs.streams.compression import COMPRESSORS
from ..capabilities import cores, here, lost
from ..code import of_package
from ..operations._memory import EXACT
from ..results import Fact

MACHINE = (
    "hostname",
    "cpu_model_name",
    "cpu_count",
    "python_version",
    "python_implementation",
    "platform",
    "allocator",
    "bakeoff_version",
    "bakeoff_code",
)
"""Facts that must agree to resume a run."""

_ALLOCATOR = ("PYTHONMALLOC", "LD_PRELOAD", "GLIBC_TUNABLES", "PYTHONMALLOCSTATS")
_ENGINES = (
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
)
"""Variables that Dask and Slurm set for their tasks."""
_ENGINES_VALUES = {"MALLOC_TRIM_THRESHOLD_": "65536"}
"""The same, unless they have another value, which is the user's choice. Dask's slows `packb`."""
_KEPT = (
    "aslr",
    "cpu_config",
    "cpu_count",
    "cpu_freq",
    "cpu_model_name",
    "hostname",
    "load_avg_1min",
    "platform",
    "python_cflags",
    "python_compiler",
    "python_executable",
    "python_gc",
    "python_implementation",
    "python_version",
    "timer",
    "boot_time",
)
"""Facts that pyperf collects."""
_FACTS: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys((*_KEPT, *MACHINE), (str,)),
    **dict.fromkeys(("pyperf_version", "governor", "cores"), (str,)),
    **dict.fromkeys(("removed_variables", "missing_capabilities"), (str,)),
    **{f"{kind.library}_version": (str,) for kind in COMPRESSORS.values()},
    **dict.fromkeys(("pinned", "debug_build", "free_threading"), (bool,)),
    "bakeoff_code": (str, type(None)),
    "cpu_count": (int,),
    "load_avg_1min": (int, float),
    "memory_total": (int,),
}
"""The types of all facts."""
_RANGES = {"cpu_count": (1, 1 << 16), "load_avg_1min": (0, 1 << 32), "memory_total": (0, 1 << 60)}


def environment() -> dict[str, Fact]:
    """Return the environment of this run as flat values; takes about ten milliseconds."""
    import psutil
    from pyperf._collect_metadata import collect_metadata

    found: dict[str, Fact] = {k: v for k, v in collect_metadata().items() if k in _KEPT}
    allocator = {k: v for k, v in os.environ.items() if k.startswith("MALLOC_") or k in _ALLOCATOR}
    found |= {
        "allocator": " ".join(f"{k}={v}" for k, v in sorted(allocator.items())) or "default",
        "bakeoff_version": metadata.version("bakeoff"),
        "bakeoff_code": _own_code(),
        "pyperf_version": metadata.version("pyperf"),
        **_compressors(),
        "governor": _governor(),
        "pinned": len(cores()) > 1 and here().affinity,
        "cores": ",".join(map(str, cores())),
        "debug_build": bool(sysconfig.get_config_var("Py_DEBUG")),
        "free_threading": not getattr(sys, "_is_gil_enabled", lambda: True)(),
        "memory_total": int(psutil.virtual_memory().total),
    }
    if missing := replace(here(), heap_counters=EXACT and here().heap_counters).missing:
        found["missing_capabilities"] = ",".join(missing)
    return found


def is_fact(name: str, value: object) -> bool:
    """Return whether a name and a value may be in an environment: its type, and the range of a number."""
    if type(value) not in _FACTS.get(name, ()):
        return False
    least, most = _RANGES.get(name, (-math.inf, math.inf))
    return not isinstance(value, int | float) or least <= value <= most


def warnings(facts: Mapping[str, Fact]) -> list[str]:
    """Return warnings about conditions that may distort the figures, one sentence each.

    Args:
        facts: The result of `environment`.
    """
    missing = str(facts.get("missing_capabilities", "")).split(",")
    found = [sentence] if (sentence := lost(missing)) else []
    if not facts["pinned"] and "affinity" not in missing:
        found.append("processes are not pinned to a core: only one is allowed")
    if facts["governor"] == "powersave":
        found.append("the CPU governor is powersave: clock rates change during the run")
    if facts["allocator"] != "default":
        found.append(f"the memory allocator is not the default one: {facts['allocator']}")
    if removed := facts.get("removed_variables"):
        found.append(f"variables of the job's engine were removed for workers: {removed}")
    if facts["debug_build"]:
        found.append("this Python is a debug build: all figures are several times too large")
    return found


def abreast(allowed: Sequence[int]) -> int:
    """Return how many processes may run in parallel on some cores when nothing is timed."""
    return max(1, min(4, len(allowed)))


def scrub(variables: MutableMapping[str, str]) -> str:
    """Remove the variables that an engine sets for its tasks and that would affect measurements.

    Returns:
        The removed ones as ``NAME=VALUE``, separated by spaces.
    """
    found = [key for key in _ENGINES if key in variables]
    found += [key for key, value in _ENGINES_VALUES.items() if variables.get(key) == value]
    return " ".join(f"{key}={variables.pop(key)}" for key in sorted(found))


@cache
def _own_code() -> str | None:
    """Return a digest of bakeoff's own code if it may change without another version; else None."""
    changing = metadata.distribution("bakeoff").read_text("direct_url.json") is not None
    return of_package(Path(__file__).parents[2]) if changing else None


def _compressors() -> dict[str, Fact]:
    """Return the versions of the compressors' libraries, which the facts of a codec do not include."""
    found: dict[str, Fact] = {}
    for kind in COMPRESSORS.values():
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[f"{kind.library}_version"] = metadata.version(kind.library)
    return found


def _governor() -> str:
    path = Path(f"/sys/devices/system/cpu/cpu{cores()[0]}/cpufreq/scaling_governor")
    try:
        return path.read_text().strip()
    except OSError:
        return "unknown"
