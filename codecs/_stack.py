"""Stack for deep nesting in threads that have a small stack.

Most libraries recurse in C, and count levels without checking the stack. In a thread with 512 KiB
(`threading.stack_size`), or with musl's default of 128 KiB, they crash the process within their limits.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Any

STACK = 16 * 1024 * 1024
"""Bytes of address space; memory is only allocated when it is used."""

_lock = threading.Lock()


def call_with_stack(call: Callable[..., Any], *arguments: Any) -> Any:
    """Make a call in a separate thread with a large stack; return its result or raise its error.

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
    # The size applies to the whole process: a second thread must not take ours for the user's setting.
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
