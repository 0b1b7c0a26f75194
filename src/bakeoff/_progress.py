"""Progress of long calls of the Python interface, on the terminal or in the notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

Show = Callable[[str, float, float], None]
"""``show(text, done, total)``; a negative `done` changes the text only."""

_PATIENCE = 2.0
"""Seconds after which progress appears."""
_EVERY = 0.3
"""Seconds between two updates in a notebook."""
_STEPS = 24
"""Characters of a notebook's bar."""


@contextmanager
def shown(*, wanted: bool = True) -> Iterator[Show]:
    """Provide a function that shows progress after two seconds; the display disappears at the end.

    Args:
        wanted: False for a function that shows nothing.
    """
    if not wanted:
        yield lambda text, done, total: None
        return
    with ExitStack() as stack:
        opened: Callable[[ExitStack], Show] = _in_notebook if _has_kernel() else _on_terminal
        started, show = time.monotonic(), None

        def patient(text: str, done: float, total: float) -> None:
            nonlocal show
            if show is None:
                if time.monotonic() - started < _PATIENCE:
                    return
                show = opened(stack)
            show(text, done, total)

        yield patient


def _has_kernel() -> bool:
    """Whether this process is the kernel of a notebook, in which IPython is already imported."""
    interpreter = sys.modules.get("IPython")
    return interpreter is not None and hasattr(interpreter.get_ipython(), "kernel")


def _on_terminal(stack: ExitStack) -> Show:
    from .console import progress, show_on

    return show_on(stack.enter_context(progress()))


def _in_notebook(stack: ExitStack) -> Show:
    """Show a line of text: rich would need ipywidgets."""
    display: Any = sys.modules["IPython"].display.display
    handle = display({"text/plain": ""}, raw=True, display_id=True)
    stack.callback(handle.update, {"text/plain": ""}, raw=True)
    before, share = 0.0, 0.0

    def show(text: str, done: float, total: float) -> None:
        nonlocal before, share
        share = share if done < 0 else min(1.0, done / total) if total else 0.0
        if time.monotonic() < before + _EVERY:
            return
        before = time.monotonic()
        full = round(_STEPS * share)
        bar = "█" * full + "░" * (_STEPS - full)
        handle.update({"text/plain": f"{bar} {share:4.0%}  {text}"}, raw=True)

    return show
