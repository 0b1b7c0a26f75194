"""Threads with stacks as small as those of musl or of a server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def in_thread(call: Callable[..., Any], *arguments: Any, stack: int) -> Any:
    """Return what a call returns, or the error that it raises, in a thread of its own.

    Args:
        call: The call.
        arguments: Its arguments.
        stack: Bytes of the thread's stack; 0 for as many as usual.
    """
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(call(*arguments))
        except Exception as error:  # noqa: BLE001 - the caller says which error it expects
            # Its frames would keep the arguments, which may be nested too deeply to be freed at once.
            found.append(error.with_traceback(None))

    before = threading.stack_size(stack)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    return found[0]
