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
from typing import Any

import click
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import bakeoff
from bakeoff import integrations
from bakeoff.bench import quantities

# Signatures show numbers without their ranges. The modules that use these types are imported below.
for name, kind in [*vars(quantities).items()]:
    if typing.get_origin(kind) is typing.Annotated:
        setattr(quantities, name, typing.get_args(kind)[0])

from bakeoff.cli import COMMANDS
from bakeoff.codecs.core import _codec
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
        # Attributes of choices and comparisons, which need no separate entries.
        "bakeoff.bench.stats.Ratio",
        "bakeoff.bench.stats.Session",
        "bakeoff.bench.verdict.RankRange",
        "bakeoff.reports.model.breakeven.Parts",
        "bakeoff.reports.model.candidates.Candidate",
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

TESTS = pathlib.Path(__file__).parents[1] / "tests"
sys.path.insert(0, str(TESTS))  # for the targets' docstrings
RESULTS = pathlib.Path(__file__).parent / "results"

STANDARD = (builtins, typing, collections.abc, pathlib)
"""Modules whose names appear without the module in our signatures."""
OTHERS = {*sys.stdlib_module_names, *dir(integrations)}
"""Modules whose names have no link; integrations are named after their library's module."""


def stub_signatures() -> dict[str, tuple[str, str]]:
    """Return arguments and result of compiled functions from their stubs."""
    found = {}
    for module in (_codec, _plan):
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
    """Give compiled functions the types of their stubs; omit defaults ``<...>``, and optional types."""
    if getattr(made, "__module__", "") == integrations.__name__:
        return signature and re.sub(r": [^,)]+", "", signature), None  # types of optional libraries
    key = getattr(made, "__qualname__", "")
    if what == "method" and key in STUBS:
        return STUBS[key]
    return signature and re.sub(r"= ?<.*?>(?=[,)])", "= ...", signature), result


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


def completed(_app: Sphinx, name: str, source: list[str]) -> None:
    """Append commands, targets and the tables of values to their pages."""
    if name == "reference/commands":
        for command in COMMANDS:
            options = f"   :prog: bakeoff {command}\n   :nested: full\n"
            source[0] += f"\n```{{eval-rst}}\n.. click:: bakeoff.commands.{command}:command\n{options}```\n"
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


def setup(app: Sphinx) -> None:
    """Connect these functions to Sphinx."""
    app.connect("sphinx-click-process-description", quoted)
    app.connect("sphinx-click-process-options", shortened)
    app.connect("sphinx-click-process-options", quoted)
    app.connect("sphinx-click-process-arguments", emptied)
    app.connect("autodoc-process-signature", typed)
    app.connect("missing-reference", resolve)
    app.connect("source-read", completed)
    app.connect("build-finished", overview)
