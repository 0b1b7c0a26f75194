"""Peak memory: the most that is held above the input while records are dumped or loaded, one at a time.

It is the kernel's high-water mark, reset before the first call and read after the last. A sampling thread
cannot see it: it does not run while a codec holds the interpreter, and afterwards the buffer is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..capabilities import here
from ..facts import PeakFacts
from .base import Measured, Operation, still

if TYPE_CHECKING:
    from ...codecs import Codec

CLEAR_REFS = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")
ROLLUP = Path("/proc/self/smaps_rollup")
PAGE = 4096


def measure(
    codec: Codec, records: Sequence[Any], payloads: Sequence[bytes], options: Mapping[str, Any]
) -> Measured:
    """Return the most bytes held above the settled level during any call.

    Args:
        options: ``operation``, "peak-dump" or "peak-load"; ``beat``.

    Returns:
        Bytes, at least the one page that could not be seen; see `PeakFacts`.
    """
    call, items = (codec.encode, records) if options["operation"] == "peak-dump" else (codec.decode, payloads)
    beat = options.get("beat", still)
    if here().high_water_mark:
        return _high_water(call, items, beat)
    return _resource_usage(call, items, beat)


def kernel_bytes(path: Path, key: str) -> int:
    """Return the bytes in a line such as ``VmHWM:`` of a file in ``/proc``."""
    # Thousands of calls of a codec are watched: buffers and text take longer than the kernel.
    with path.open("rb", buffering=0) as file:
        _, _, found = file.read(PAGE).partition(f"\n{key}".encode())
    if not found:
        raise RuntimeError(f"{path}: no {key}")
    return int(found.split(maxsplit=1)[0]) * 1024


def _of_files() -> int:
    """Return the resident bytes of file pages, mainly code."""
    return kernel_bytes(ROLLUP, "Rss:") - sum(
        kernel_bytes(ROLLUP, key) for key in ("Anonymous:", "Pss_Shmem:")
    )


def _high_water(call: Any, items: Sequence[Any], beat: Callable[[], object]) -> Measured:
    from ._memory import trim

    trim()
    settled, files = kernel_bytes(ROLLUP, "Rss:"), _of_files()
    CLEAR_REFS.write_text("5")
    for item in items:
        beat()
        call(item)
    # The first calls load pages of a library's code, which is not memory of the call.
    most = kernel_bytes(STATUS, "VmHWM:") - max(0, _of_files() - files)
    # Reading these files takes a page or two itself.
    return Measured(
        float(max(PAGE, most - settled)), facts=PeakFacts("kernel high-water mark"), resolution=16 * PAGE
    )


def _resource_usage(call: Any, items: Sequence[Any], beat: Callable[[], object]) -> Measured:
    """Use a mark that cannot be reset: it only shows calls that exceed everything before."""
    unit = _unit_of_usage()
    before = _most_resident()
    for item in items:
        beat()
        call(item)
    grown = (_most_resident() - before) * unit
    facts = PeakFacts("ru_maxrss (low resolution)")
    return Measured(float(max(PAGE, grown)), facts=facts, resolution=1 << 20)


def _most_resident() -> int:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _unit_of_usage() -> int:
    """Return the bytes in a unit of ``ru_maxrss``: 1024 as in getrusage(2) of Linux, 1 as in that of macOS.

    It is at least the present size, which is also known in bytes.
    """
    import psutil

    return 1 if _most_resident() >= psutil.Process().memory_info().rss / 2 else 1024


def _peak(name: str, summary: str, heading: str) -> Operation:
    return Operation(
        name=name,
        phase="memory",
        summary=summary,
        carry_out=measure,
        unit="byte",
        heading=heading,
        default=True,
        works=lambda: here().peaks,
    )


OPERATIONS = (
    _peak("peak-dump", "most memory held above the input in any encode", "peak dump"),
    _peak("peak-load", "most memory held above the input in any decode", "peak load"),
)
