"""Terminal output, shared by all commands."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

PIPE_WIDTH = 140
_BELOW = 2
"""Lines of the display that do not belong to its text."""


def console(*, stderr: bool = False) -> Console:
    """Return a rich console; color depends on the terminal and ``NO_COLOR``; a pipe has 140 columns."""
    from rich.console import Console

    # With NO_COLOR, rich only drops colors; this also drops bold and dim.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    screen = Console(stderr=stderr, highlight=False, color_system=system, force_jupyter=False)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = PIPE_WIDTH
    return screen


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    right: Collection[str] = (),
    whole: int = 1,
) -> None:
    """Print a table.

    Args:
        columns: Their headers.
        rows: A cell for each column, or the cell and its style.
        right: Columns that are aligned to the right.
        whole: Columns, from the left, that are never wrapped.
    """
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, column in enumerate(columns):
        table.add_column(
            column,
            justify="right" if column in right else "left",
            no_wrap=place < whole,
            overflow="ellipsis" if place < whole else "fold",
        )
    for row in rows:
        table.add_row(*(Text(*cell) if isinstance(cell, tuple) else Text(str(cell)) for cell in row))
    console().print(table)


class LiveDisplay:
    """A text that is updated in place, above a progress bar; both on stderr.

    Attributes:
        progress: The bar.
        shown: Whether there is a terminal for the text.
        width: Columns for the text.
        height: Lines for the text.
        color: Whether the text may have colors.
    """

    def __init__(self) -> None:
        from rich.text import Text

        self.progress = progress()
        screen = self.progress.console
        self.shown = screen.is_terminal and sys.stdout is not None and sys.stdout.isatty()
        self.width, self.height = screen.width, screen.height - _BELOW
        self.color = screen.color_system is not None
        self._text = Text("")

    def write(self, text: str) -> None:
        """Replace the text; it may contain escape sequences."""
        from rich.text import Text

        self._text = Text.from_ansi(text)

    def __rich__(self) -> RenderableType:
        from rich.console import Group

        return Group(self._text, self.progress)


@contextmanager
def live_display() -> Iterator[LiveDisplay]:
    """Show a display temporarily; after Ctrl-C, the last text remains."""
    from rich.live import Live

    made = LiveDisplay()
    if not made.shown:
        with made.progress:
            yield made
        return
    with Live(made, console=made.progress.console, refresh_per_second=4, transient=True) as shown:
        try:
            yield made
        except KeyboardInterrupt:
            shown.transient = False
            raise


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


def show_on(display: Progress) -> Callable[[str, float, float], None]:
    """Return a function ``(text, done, total)`` that updates a task of a display."""
    task = display.add_task("starting", total=None)

    def show(text: str, done: float, total: float) -> None:
        if done < 0:
            display.update(task, description=text)
        else:
            display.update(task, description=text, completed=done, total=total or None)

    return show
