"""What every command shares when it speaks to a terminal."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = ["console", "progress"]

PIPE_WIDTH = 140


def console(*, stderr: bool = False) -> Console:
    """Return a rich console; colour follows the terminal and ``NO_COLOR``, and a pipe is 140 wide."""
    from rich.console import Console

    # Under NO_COLOR rich drops colours alone; bold and dim go with them here.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    screen = Console(stderr=stderr, highlight=False, color_system=system)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = PIPE_WIDTH
    return screen


def progress() -> Progress:
    """Return a progress display on stderr that stays silent when stderr is not a terminal."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    screen = console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
