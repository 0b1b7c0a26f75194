"""Room for deep nesting in threads whose stack has none.

Most libraries recurse in C, and count levels without asking how much stack there is. A thread of 512 KiB
(`threading.stack_size`), or of the 128 KiB that musl gives by default, ends the process within their limits.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["call_with_stack"]

STACK = 16 * 1024 * 1024
"""Bytes of address space; memory is taken as far as it is used."""

_lock = threading.Lock()


def call_with_stack(call: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a call returns, or raise what it raises, made in a thread of its own with a large stack.

    Raises:
        RuntimeError: No thread could be started.
    """
    outcome: dict[str, Any] = {}
    context = contextvars.copy_context()

    def work() -> None:
        try:
            outcome["returned"] = context.run(call, *arguments)
        except BaseException as error:  # noqa: BLE001 - raised again, in the thread that asked
            outcome["raised"] = error

    thread = threading.Thread(target=work, name="bakeoff-stack", daemon=True)
    # The size is the whole process's: two of these at once must not take each other's for the user's.
    with _lock:
        before = threading.stack_size(STACK)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if "raised" in outcome:
        raise outcome.pop("raised")
    return outcome["returned"]
