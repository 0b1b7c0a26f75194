"""Sphinx configuration of the site, built with `python3 tasks.py docs`."""

from __future__ import annotations

import ast
import builtins
import collections.abc
import pathlib
import re
import sys
import tomllib
import typing
from importlib import import_module
from typing import Any

import click
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import search

import bakeoff
from bakeoff import integrations
from bakeoff.bench import quantities

# Signatures show numbers without their ranges. The modules that use these types are imported below.
for name, kind in [*vars(quantities).items()]:
    if typing.get_origin(kind) is typing.Annotated:
        setattr(quantities, name, typing.get_args(kind)[0])

from bakeoff import codecs, reports
from bakeoff.cli import COMMANDS, GROUPS
from bakeoff.codecs.core import _codec
from bakeoff.codecs.safety import _scan
from bakeoff.reports.model.files import load
from bakeoff.reports.page.page import render
from bakeoff.schemas.plan import _plan

project = "bakeoff"
author = "The bakeoff developers"
copyright = author  # noqa: A001 # Sphinx calls it so
version = release = bakeoff.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_click"]
nitpicky = True
nitpick_ignore = [
    ("py:class", name)
    for name in (
        "pandas.DataFrame",
        "polars.DataFrame",
        "pyarrow.Schema",
        "Traversable",  # of importlib.resources.abc
        # Numbers with a range, of `bench.quantities`, which inherited fields name without their module.
        *("Amount", "Change", "Count", "Logarithm"),
        # Types of the fields that operations inherit from what results know of them.
        *("Direction", "Part", "Phase", "Setup", "Unit"),
        # Attributes of choices, comparisons and results, which need no separate entries.
        "bakeoff.bench.results.records.FigureDetails",
        "bakeoff.bench.stats.ratios.Ratio",
        "bakeoff.bench.stats.ratios.RunToRun",
        "bakeoff.bench.verdict.RankRange",
        "bakeoff.reports.model.breakeven.CostParts",
        "bakeoff.reports.model.breakeven.WinnerChange",
        "bakeoff.reports.model.candidates.Candidate",
        "bakeoff.reports.model.candidates.Standing",
        "bakeoff.reports.model.obstacle.Obstacle",
    )
]
default_role = "code"  # docstrings and helps quote code in single backticks, as Markdown does
smartquotes = False  # options in notes of results begin with two hyphens
myst_heading_anchors = 3
maximum_signature_line_length = 90
autodoc_member_order = "bysource"
napoleon_use_ivar = True

html_theme = "furo"
pygments_dark_style = "github-dark"  # the theme's own style underlines imported names
html_title = "bakeoff"
html_theme_options = {"light_css_variables": {"code-font-size": "75%"}}  # tables of 98 columns fit
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]

TESTS = pathlib.Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))  # for the targets' docstrings
IMAGES = pathlib.Path(__file__).parent / "images"
RESULTS = pathlib.Path(__file__).parent / "results"

STANDARD = (builtins, typing, collections.abc, pathlib)
"""Modules whose names appear without the module in our signatures."""
OTHERS = {*sys.stdlib_module_names, *dir(integrations)}
"""Modules whose names have no link; integrations are named after their library's module."""


def stub_signatures() -> dict[str, tuple[str, str]]:
    """Return arguments and result of compiled functions from their stubs."""
    found = {}
    for module in (_codec, _plan, _scan):
        name = f"{module.__name__.rpartition('.')[2]}.pyi"
        text = pathlib.Path(module.__file__).with_name(name).read_text()
        for alias, meaning in re.findall(r"^(_\w+): TypeAlias = (.+)$", text, re.MULTILINE):
            text = re.sub(rf"\b{alias}\b(?!:)", meaning, text)
        tree = ast.parse(text)
        for cls in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            for method in (node for node in cls.body if isinstance(node, ast.FunctionDef)):
                if method.returns is not None:
                    arguments = re.sub(r"^(self|cls)(, )?", "", ast.unparse(method.args))
                    found[f"{cls.name}.{method.name}"] = (f"({arguments})", ast.unparse(method.returns))
    return found


STUBS = stub_signatures()


def typed(
    _app: Sphinx, what: str, _name: str, made: Any, _options: Any, signature: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Give compiled code the types of its stubs; omit defaults ``<...>``, and optional types."""
    if getattr(made, "__module__", "") == integrations.__name__:
        return signature and re.sub(r": [^,)]+", "", signature), None  # types of optional libraries
    key = getattr(made, "__qualname__", "")
    if what == "method" and key in STUBS:
        return STUBS[key]
    if what == "class" and f"{key}.__init__" in STUBS:
        return STUBS[f"{key}.__init__"][0], None
    if what == "class" and signature == "(*args, **kwargs)":
        return "", None  # a protocol, which nobody calls
    return signature and re.sub(r"= ?<.*?>(?=[,)])", "= ...", signature), result


def dashed(_app: Sphinx, document: nodes.document) -> None:
    """Put a dash between the name of an argument and its description, where Sphinx has two hyphens."""
    for text in list(document.findall(nodes.Text)):
        if text == " -- " and isinstance(text.parent, nodes.paragraph):
            text.parent.replace(text, nodes.Text(" – "))


def skipped(_app: Sphinx, _what: str, _name: str, made: Any, skip: bool, _options: Any) -> bool | None:
    """Skip fields of named tuples, which Python describes by their numbers; the class has their meanings."""
    return True if type(made).__name__ == "_tuplegetter" else None


def resolve(
    _app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement
) -> nodes.Node | None:
    """Resolve our names to their public names; leave names of other projects without a link."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    first, last = target.partition(".")[0], target.rpartition(".")[2]
    if first in OTHERS or any(hasattr(module, target) for module in STANDARD):
        return shown
    domain = env.domains.python_domain
    named = [name for name in domain.objects if name.endswith(f".{last}")]
    within = [name for name in named if target.startswith(name.rpartition(".")[0])]
    for name in within[-1:] or (named if len(named) == 1 else []):
        return domain.resolve_xref(env, node["refdoc"], _app.builder, "obj", name, node, shown)
    return None


def quoted(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Format options in a sentence as code, as their hyphens would become dashes."""
    option = re.compile(r"(`.*?`)|(?<![\w-])(--[a-z][a-z0-9-]*)")
    lines[:] = [
        line if line.startswith(".. ") else option.sub(lambda m: m[1] or f"``{m[2]}``", line)
        for line in lines
    ]


def shortened(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Put default and choices after an option's sentence, as ``--help`` does, instead of lists below."""
    text = "\n".join(lines)
    text = re.sub(r"\n\n? +:default: ``'?(.*?)'?``", r"  [default: \1]", text)
    lines[:] = re.sub(r"\n\n? +:options: (.*)", r"  [\1]", text).split("\n")


def emptied(_app: Sphinx, _context: click.Context, lines: list[str]) -> None:
    """Omit the list of arguments, which only repeats the names in the usage."""
    lines.clear()


COMMAND_PAGES = pathlib.Path(__file__).parent / "reference/commands"


def write_command_pages(_app: Sphinx) -> None:
    """Write a page for each command: all of its options, also those that ``--help`` leaves out."""
    COMMAND_PAGES.mkdir(exist_ok=True)
    for path in COMMAND_PAGES.glob("*.rst"):
        if path.stem not in COMMANDS:
            path.unlink()
    for name in COMMANDS:
        command = import_module(f"bakeoff.commands.{name}").command
        for one in (command, *getattr(command, "commands", {}).values()):
            for option in one.params:
                option.hidden = False
        text = f".. click:: bakeoff.commands.{name}:command\n   :prog: bakeoff {name}\n   :nested: full\n"
        path = COMMAND_PAGES / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def commands() -> str:
    """Return a list for each topic, with the commands and what they do, and the tree of their pages."""
    lines = []
    for topic, found in GROUPS.items():
        lines += [f"## {topic}", ""]
        lines += [f"- [`bakeoff {name}`](commands/{name}.rst): {summary}" for name, summary in found.items()]
        lines.append("")
    names = (f"`bakeoff {name}` <commands/{name}>" for name in COMMANDS)
    return "\n".join(
        [*lines, "```{toctree}", ":hidden:", "", *(n.replace("`", "") for n in names), "```", ""]
    )


def described() -> str:
    """Return a section for each format, with a part for each of its codecs."""
    lines, before = [], ""
    for name in codecs.names(needs_schema=True, only_values=True):
        declared = codecs.describe(name)
        if declared.format != before:
            before = declared.format
            lines += [f"## {before}", ""]
        codec = bakeoff.codec(name)
        facts = {
            "Library": f"{codec.library} {codec.version}".strip(),
            "Install": f"`pip install 'bakeoff[{declared.extra}]'`" if declared.extra else "",
            "By default": "measured by `bakeoff run`" if declared.in_default_set else "",
            "Needs": "a schema" if codec.needs_schema else "",
            "Reads": "trusted data only" if codec.trusted_only or codec.unguarded else "data from anyone",
            "Loses": "; ".join(codec.losses) or "nothing",
            "Notes": "; ".join(codec.notes),
        }
        lines += [f"### {name}", ""]
        lines += [f"- {key}: {value}" for key, value in facts.items() if value]
        lines.append("")
    return "\n".join(lines)


def answered() -> str:
    """Return the recorded answer that README's picture shows, as a block of text."""
    printed = reports.render([load(IMAGES / "orders.json.gz")], "text", width=100)
    return f"```text\n{printed.partition(chr(10) * 2)[0]}\n```"


def completed(_app: Sphinx, name: str, source: list[str]) -> None:
    """Put in what is made from the code: the answer, commands, codecs, targets and tables of values."""
    if name == "index":
        source[0] = source[0].replace("<!-- the answer of images/orders.json.gz -->", answered())
    if name == "reference/commands":
        source[0] = source[0].replace("## Completion", f"{commands()}\n## Completion")
    if name == "reference/codecs":
        source[0] += f"\n{described()}"
    if name == "reference/targets":
        for path in sorted(TESTS.glob("benchmarks/[a-z]*.py")):
            source[0] += f"\n## {path.stem}\n\n```{{eval-rst}}\n.. automodule:: benchmarks.{path.stem}\n```\n"
    if name == "reference/values":
        from oracle.table import markdown

        source[0] += f"\n{markdown()}"


def overview(app: Sphinx, failed: Exception | None) -> None:
    """Write the page of all data sets into the folder of their results."""
    if failed is None and app.builder.format == "html":
        kept = (RESULTS / f"{name}.json.gz" for name in tomllib.loads((RESULTS / "data.toml").read_text()))
        page = render([load(path) for path in kept])
        (pathlib.Path(app.outdir) / "results/overview.html").write_text(page, encoding="utf-8")


def indexed(app: Sphinx, failed: Exception | None) -> None:
    """Write the index that the search page reads."""
    if failed is None and app.builder.format == "html":
        search.write(pathlib.Path(app.outdir), app.env.found_docs)


def setup(app: Sphinx) -> None:
    """Connect these functions to Sphinx."""
    app.connect("builder-inited", write_command_pages)
    app.connect("sphinx-click-process-description", quoted)
    app.connect("sphinx-click-process-options", shortened)
    app.connect("sphinx-click-process-options", quoted)
    app.connect("sphinx-click-process-arguments", emptied)
    app.connect("autodoc-process-signature", typed)
    app.connect("autodoc-skip-member", skipped)
    app.connect("doctree-read", dashed)
    app.connect("missing-reference", resolve)
    app.connect("source-read", completed)
    app.connect("build-finished", overview)
    app.connect("build-finished", indexed)
