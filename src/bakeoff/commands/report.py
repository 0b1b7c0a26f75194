"""``bakeoff report``: result files as tables, a page, charts or pyperf files."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from ..errors import RunError, UsageError
from ..escape import visible
from ..files import cache_folder, is_watch_file
from ..reports.model.lists import listed
from ..reports.tables.layouts import LAYOUTS, PUBLISHED
from ._grouped import GroupedCommand
from ._named import LISTED, Choice, Whole
from ._options import costing
from ._output import guard, is_stdout, layout, put, put_table, typed
from ._written import BY_ENDING, agreed, check_place, format_option, output_option

if TYPE_CHECKING:
    from ..bench.results import ResultData

_TABLES = ("text", "md", "csv", "json", "latex", "rst")
_CHARTS = ("svg", "png")
_COMMON = (
    "--format",
    "--output",
    "--columns",
    "--sort",
    "--relative-to",
    "--scale-to",
    "--reads",
    "--bandwidth",
    "--layout",
    "--chart",
    "--anonymous",
    "--open",
)
_FORMS = (*_TABLES, "html", *_CHARTS, "pyperf", "bencher")
_DRAWN = ("reads", "bandwidth", "crossings", "dark")

_COSTING: Final = ("--reads", "--bandwidth", "--crossings")
_ARRANGING: Final = ("--columns", "--sort", "--relative-to", "--scale-to", "--group-by")
_SHOWN_BY: Final[Mapping[str, Sequence[str]]] = {
    **dict.fromkeys(_COSTING, (*_TABLES, "html", *_CHARTS)),
    **dict.fromkeys(("--sort", "--relative-to"), (*_TABLES, "html")),
    **dict.fromkeys(("--columns", "--scale-to", "--group-by", "--layout", "--stats"), _TABLES),
    **dict.fromkeys(("--chart", "--dark"), _CHARTS),
    "--open": ("html",),
}
"""The formats that show an option; all of them if it is not here."""


@click.command(cls=GroupedCommand, common=_COMMON)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@format_option(*_FORMS, default=None, told=BY_ENDING)
@output_option(
    " (- for standard output), or a folder for pyperf. Its ending decides the format.", folder=True
)
@click.option(
    "--columns",
    type=LISTED,
    metavar="LIST",
    help="Comma-separated columns in this order; NAME:x is relative.",
)
@click.option(
    "--sort", metavar="COLUMN", help="Column to sort by; -NAME reverses the order.  [default: rank]"
)
@click.option("--relative-to", metavar="CODEC", help="Codec that relative columns compare with.")
@click.option(
    "--scale-to",
    type=Whole(),
    metavar="N",
    help="Show times for N records instead of one.",
)
@click.option("--group-by", type=Choice(["format", "library"]), help="Group rows.")
@costing
@click.option(
    "--layout",
    "arranged",
    type=Choice(LAYOUTS),
    help=f"Kind of table. {', '.join(PUBLISHED)} compare your figures with published ones.  "
    "[default: stores or pipeline for results of these commands, else codecs]",
)
@click.option(
    "--stats",
    is_flag=True,
    help="Show the basis of each mean: evaluations, samples, calls per sample, mean, ±.",
)
@click.option("--chart", metavar="KIND", help="Chart to draw, for svg and png.")
@click.option("--dark", is_flag=True, help="Draw svg and png for a dark background.")
@click.option(
    "--anonymous",
    "nameless",
    is_flag=True,
    help="Leave out what is private: host, paths, commands, field names, values of records.",
)
@click.option(
    "--publishable",
    is_flag=True,
    help="Refuse to write a report that lacks what published figures have to state.",
)
@click.option("--open", "show", is_flag=True, help="Open the HTML page in the browser.")
def command(
    files: Sequence[Path],
    form: str | None,
    output: Path | None,
    chart: str | None,
    dark: bool,
    nameless: bool,
    publishable: bool,
    show: bool,
    arranged: str | None,
    stats: bool,
    **options: Any,
) -> None:
    """Show result files, or bakeoff.json by default.

    Files of one machine and Python version share a table. Several machines or versions have a block of
    columns each, and a sentence names the codecs that they rank in opposite order. Rows are ranked by cost =
    dump + reads × (load + fix) + crossings × bytes / bandwidth. A codec that may have several ranks has a
    range. A file of `bakeoff watch` is shown alone.
    """
    from ..reports.model.files import load_all

    named = f"-f {form}" if form else f"-o {output}" if output else "--open" if show else "text"
    form = agreed(form, output, _FORMS, default="html" if show else "text")
    _check_shown(form, named)
    arranged = _layout(arranged, stats)
    if nameless and publishable:
        raise UsageError(
            "--publishable asks for the command of a run, which --anonymous leaves out; remove one of them"
        )
    if output is not None and form != "pyperf":
        check_place(output)
    files = files or [Path("bakeoff.json")]
    guard(output, files)
    if any(map(is_watch_file, files)):
        _show_watch(files, form, output, show)
        return
    results = load_all(files)
    if nameless:
        from ..datasets import names
        from ..reports.model.anonymous import anonymous

        results = anonymous(results, names())
    if publishable:
        _check_publishable(results, files, None if is_stdout(output) else output)
    if form == "pyperf":
        _write_suites(results, output, files)
    elif form == "bencher":
        from ..reports.tables.bencher import bencher

        put(bencher(results), output)
    elif form in _CHARTS:
        _write_chart(results, form, chart, output, options | {"dark": dark})
    elif form == "html":
        from ..reports.page import page

        _put_page(page.render(results, **options), output, show)
    else:
        from ..reports import render

        screen = layout(output) if form == "text" else {}
        put(render(results, form, layout=arranged, **options, **screen), output)


def _check_shown(form: str, named: str) -> None:
    """Refuse options that the format cannot show.

    Args:
        form: The format.
        named: The option that chose it, with its value.

    Raises:
        UsageError: The report would not be what was asked for.
    """
    for option in typed(click.get_current_context()):
        forms = _SHOWN_BY.get(option, _FORMS)
        if form in forms:
            continue
        if option not in _COSTING:
            raise UsageError(f"{option} is for {listed(forms)}, and not for {named}; remove one of them")
        click.echo(f"{option} is not used: {named} ranks nothing", err=True)


def _layout(arranged: str | None, stats: bool) -> str | None:
    """Return the layout of a table.

    Raises:
        UsageError: Two layouts, or an option that the layout does not take.
    """
    option = "--stats" if stats else f"--layout {arranged}"
    if stats and arranged not in (None, "stats"):
        raise UsageError(f"--layout {arranged} and --stats are two layouts; remove one of them")
    arranged = "stats" if stats else arranged
    asked = [each for each in typed(click.get_current_context()) if each in (*_ARRANGING, *_COSTING)]
    if asked and arranged not in (None, "codecs"):
        raise UsageError(f"{option} and {listed(asked)}: this layout has one form; remove one of them")
    return arranged


def _show_watch(files: Sequence[Path], form: str, output: Path | None, show: bool) -> None:
    """Show the file of a watch.

    Raises:
        UsageError: Other files, formats or options than a watch has.
    """
    from ..bench.results.watched import read_watch
    from ..reports.page import watched as page
    from ..reports.tables.watched import table

    if len(files) > 1:
        raise UsageError("a file of `bakeoff watch` is shown alone; `bakeoff compare` compares two of them")
    if form not in (*_TABLES, "html"):
        raise UsageError(f"a file of `bakeoff watch` has no {form}; it has {', '.join(_TABLES)}, html")
    if others := set(typed(click.get_current_context())) - {"files", "--format", "--output", "--open"}:
        raise UsageError(f"a file of `bakeoff watch` takes no {', '.join(sorted(others))}")
    watch = read_watch(files[0])
    if form == "html":
        _put_page(page.render(watch), output, show)
        return
    put_table(table(watch), form, output)


def _check_publishable(results: Sequence[ResultData], files: Sequence[Path], output: Path | None) -> None:
    """Refuse results that do not meet docs/how-to/publishing.md.

    Raises:
        RunError: Something is missing; the message lists everything.
    """
    from ..reports.model.publishable import lacking

    if lines := lacking(results, files, output):
        raise RunError("\n- ".join(["this report cannot be published; it lacks:", *lines]))


def _put_page(html: str, output: Path | None, show: bool) -> None:
    unnamed = show and is_stdout(output)
    if unnamed:
        # The browser reads it after this command has ended, so it stays, until the next one.
        output = cache_folder("pages") / "report.html"
        output.parent.mkdir(parents=True, exist_ok=True)
    put(html, output, own=unnamed)
    if show and output is not None:
        click.echo(f"opening {output}", err=True)
        click.launch(output.resolve().as_uri())


def _write_chart(
    results: Sequence[ResultData], form: str, chart: str | None, output: Path | None, options: dict[str, Any]
) -> None:
    from ..reports.page import charts

    if is_stdout(output) and form == "png" and sys.stdout.isatty():
        raise UsageError("a PNG cannot be shown in the terminal; use -o FILE.png")
    drawn = {key: options[key] for key in _DRAWN}
    # The kind is user input; `charts.render` refuses unknown ones and lists the valid ones.
    kind: Any = chart or charts.KINDS[0]
    as_image: Any = form
    put(charts.render(results, kind, as_image, **drawn), output)


def _write_suites(results: Sequence[ResultData], output: Path | None, inputs: Sequence[Path]) -> None:
    from ..reports.tables.pyperf_export import suites

    if output is None or str(output) == "-":
        raise UsageError("pyperf files are one per codec: name a folder with -o DIR")
    files = suites(results)
    try:
        output.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{output}: cannot make this folder: {error.strerror}; choose another with -o"
        ) from error
    for name, suite in files.items():
        text = io.StringIO()
        suite.dump(text)
        put(text.getvalue(), output / name, inputs, own=True)
    click.echo(visible(f"wrote {', '.join(files)} to {output}"), err=True)
