"""Draw README's recording: the terminal after `bakeoff run orders.jsonl --quick`, from a stored result.

Run it as ``python docs/record.py``; ``orders.jsonl`` is the file that the tutorial makes.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

from bakeoff.bench.results import read
from bakeoff.reports import render

IMAGES = Path(__file__).parent / "images"
COMMAND = "bakeoff run orders.jsonl --quick"
WIDTH = 100
"""Columns of the terminal."""


def recording() -> str:
    """Return the SVG with the command, the table and the recommendation; the notes are cut to "..."."""
    printed = render([read(IMAGES / "orders.json.gz")], "text", width=WIDTH, color=True)
    shown = printed.partition("\n\x1b[2m↓")[0]
    console = Console(file=io.StringIO(), record=True, width=WIDTH, force_terminal=True)
    console.print(Text.assemble(("$ ", "bold green"), (COMMAND, "bold")))
    for text in (shown, "..."):
        console.print(Text.from_ansi(text))
    drawn = console.export_svg(title="bakeoff", theme=SVG_EXPORT_THEME, unique_id="bakeoff")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)  # fonts from other hosts


if __name__ == "__main__":
    (IMAGES / "quick.svg").write_text(recording(), encoding="utf-8")
