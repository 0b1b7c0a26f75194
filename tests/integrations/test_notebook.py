"""Results in a notebook: the cells of the page about them are run by a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages import ROOT, blocks

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

pytestmark = pytest.mark.checkout

HURRIED = """
import sys, bakeoff
sys.path.append({tests!r})
from hurried import hurry
hurry()
measure = bakeoff.run
bakeoff.run = lambda *given, **options: measure(*given, **{{**options, "all": True, "budget": 0}})
"""
"""Figures do not matter here, but every codec has to have some, however busy the machine is."""


def test_the_page_is_a_notebook(tmp_path: Path) -> None:
    cells = [block.code for block in blocks(ROOT / "docs/how-to/notebook.md") if block.is_cell]
    sources = [HURRIED.format(tests=str(ROOT / "tests")), *cells]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])

    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=600, resources=resources).execute()

    outputs = [output for cell in notebook.cells for output in cell.outputs]
    shown = [output.data for output in outputs if output.output_type == "execute_result"]
    assert len(shown) == len(cells) - 2  # all but one that prints and one that writes a file
    assert ["<svg" in data.get("text/html", "") for data in shown] == [True, True, True, False, False, False]
    assert "<table" in shown[-1]["text/html"]
    assert "ormsgpack" in shown[0]["text/plain"]
