"""Targets of the page: ``python3 tasks.py benchmarks page``.

A made-up result of 30 codecs on 5 corpora becomes a page within 5 s and 2 MB; Chromium paints it within
1 s and re-ranks 150 rows, drawn anew, within 16 ms of a slider's step (script, style and layout).
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import click

import madeup

RENDER_SECONDS = 5.0
PAGE_BYTES = 2_000_000
PAINT_MILLISECONDS = 1000.0
STEP_MILLISECONDS = 16.0
TRIES = 3

_STEPS = """async () => {
  const slider = document.getElementById("reads");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const found = [];
  let direction = 1;
  for (let step = 0; step < 72; step++) {
    if (slider.value === slider.max) direction = -1;
    if (slider.value === slider.min) direction = 1;
    slider.value = Number(slider.value) + direction;
    performance.clearMeasures();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    await frame();
    const begin = performance.now();
    document.body.getBoundingClientRect();
    const layout = performance.now() - begin;
    const [update] = performance.getEntriesByName("bakeoff-update");
    if (step >= 12) found.push(update.duration + layout);
    await frame();
  }
  return found;
}"""


def _browse(path: Path, chromium: str) -> tuple[float, list[float]]:
    """Return milliseconds to the first paint, and of each step of a slider."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        paint: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        page.select_option("#corpus", index=madeup.CORPORA)
        steps: list[float] = page.evaluate(_STEPS)
        browser.close()
    return paint, steps


def _said(name: str, value: float, wanted: float, unit: str) -> bool:
    click.echo(f"{name}: {value:,.{0 if value > 1000 else 2}f} {unit} (wanted: at most {wanted:,.0f})")
    return value > wanted


@click.command()
def main() -> None:
    """Print each figure beside its target; exit 1 when one is missed."""
    from bakeoff.reports.page import page

    seconds = []
    for _ in range(TRIES):
        start = time.perf_counter()
        text = page.render([madeup.result()])
        seconds.append(time.perf_counter() - start)
    missed = _said("render", min(seconds), RENDER_SECONDS, "s")
    missed |= _said("page", len(text.encode()), PAGE_BYTES, "bytes")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        click.echo("first paint, slider: not measured, Chromium is missing (apt-get install chromium)")
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_text(text, "utf-8")
            runs = [_browse(path, chromium) for _ in range(TRIES)]
        missed |= _said("first paint", min(paint for paint, _ in runs), PAINT_MILLISECONDS, "ms")
        steps = [statistics.median(steps) for _, steps in runs]
        missed |= _said("slider, median step", min(steps), STEP_MILLISECONDS, "ms")
    sys.exit(missed)


if __name__ == "__main__":
    main()
