"""Terminal output, shared by all commands.

Everything that a command writes passes `escape.escaped` here, at the last step: `escaped_output` replaces the
standard streams, and `Screen` writes past them only what it has escaped itself. Text of a file, a library or
a remote machine therefore cannot control the terminal.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Literal, TextIO, cast

from .escape import SPELLED, escaped, without_passwords

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

PIPE_WIDTH = 140
_BELOW = 2
"""Lines of the display that do not belong to its text."""


class _EscapingStream:
    """A text stream that escapes what controls a terminal.

    Args:
        change: What else is done with each text.

    Attributes:
        stream: The stream behind it.
        buffer: The same for bytes, of UTF-8.
    """

    def __init__(self, stream: TextIO, change: Callable[[str], str] = str) -> None:
        self.stream = stream
        self.buffer = _EscapingBuffer(self)
        self._change = change
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=SPELLED)

    def write(self, text: str) -> int:
        self.stream.write(self._change(escaped(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _EscapingBuffer(io.RawIOBase):
    """The bytes of an escaping stream, to which click writes if the stream's encoding is ASCII."""

    def __init__(self, stream: _EscapingStream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._stream.write(bytes(content).decode(errors="replace"))
        return len(content)

    def flush(self) -> None:
        self._stream.flush()


def unescaped(stream: TextIO) -> TextIO:
    """Return the stream behind a standard stream of a command, for bytes and for text with colors."""
    found: Any = stream
    return cast("TextIO", found.stream if isinstance(found, _EscapingStream) else found)


@contextmanager
def escaped_output() -> Iterator[None]:
    """Escape all that is printed, by whatever library, and hide passwords on standard error.

    At the end, an unexpected error is printed as well.

    Raises:
        SystemExit: Code 1, for an unexpected error.
    """
    before = sys.stdout, sys.stderr
    # They are missing if the shell has closed them (``>&-``).
    sys.stdout = sys.stdout and cast("TextIO", _EscapingStream(sys.stdout))
    sys.stderr = sys.stderr and cast("TextIO", _EscapingStream(sys.stderr, without_passwords))
    try:
        yield
    except Exception:  # noqa: BLE001 - Python would print it after the streams are put back
        traceback.print_exc()
        raise SystemExit(1) from None
    finally:
        sys.stdout, sys.stderr = before


def screen(**options: Any) -> Console:
    """Return a rich console that escapes all text, and reads no markup in it.

    Args:
        **options: Of rich's class.
    """
    from rich.console import Console
    from rich.segment import Segment

    class Screen(Console):
        def render(self, *arguments: Any, **named: Any) -> Iterator[Segment]:
            for part in super().render(*arguments, **named):
                yield part if part.control else Segment(escaped(part.text), part.style)

        @property
        def file(self) -> IO[str]:
            return unescaped(cast("TextIO", super().file))

        @file.setter
        def file(self, new: IO[str]) -> None:
            self._file = new

    return Screen(highlight=False, markup=False, emoji=False, force_jupyter=False, **options)


def show_text(text: str, *, stderr: bool = False) -> None:
    """Print a text, which may have colors, without the empty lines at its end."""
    stream = sys.stderr if stderr else sys.stdout
    if stream is not None:
        stream.write(type(text)(text.rstrip("\n") + "\n"))
        stream.flush()


def console(*, stderr: bool = False) -> Console:
    """Return a rich console; color depends on the terminal and ``NO_COLOR``; a pipe has 140 columns."""
    # With NO_COLOR, rich only drops colors; this also drops bold and dim.
    system: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"
    made = screen(stderr=stderr, color_system=system)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = PIPE_WIDTH
    return made


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    right: Collection[str] = (),
    whole: int = 1,
) -> None:
    """Print a list of facts in columns, for reading only.

    What has figures, or another format, is built by `bakeoff.reports.tables`, which this module is below.

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
        terminal = self.progress.console
        self.shown = terminal.is_terminal and sys.stdout is not None and sys.stdout.isatty()
        self.width, self.height = terminal.width, terminal.height - _BELOW
        self.color = terminal.color_system is not None
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
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn

    class Clock(ProgressColumn):
        def render(self, task: Task) -> str:
            left = "" if task.time_remaining is None else f" · about {task.time_remaining:.0f} s left"
            return f"{task.elapsed or 0:.0f} s{left}"

    terminal = console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Clock(),
        console=terminal,
        transient=True,
        disable=not terminal.is_terminal,
    )


def show_on(display: Progress) -> Callable[[str, float, float], None]:
    """Return a function ``(text, done, total)`` that updates a task of a display.

    A negative `done` changes the text only; a `total` of 0 is unknown.
    """
    task = display.add_task("starting", total=None)

    def show(text: str, done: float, total: float) -> None:
        display.update(task, description=without_passwords(text))
        if done < 0:
            return
        shown = next(each for each in display.tasks if each.id == task)
        if total != shown.total or done < shown.completed:
            shown.total = None  # A new step: `update` forgets the speed of the one before.
        display.update(task, completed=done, total=total or None)

    return show
