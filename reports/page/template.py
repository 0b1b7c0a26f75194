"""How templates become pages: their environment, and the policy of a page's scripts."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ...errors import UsageError

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES: Final = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """Return what renders the templates.

    Raises:
        UsageError: The extra is missing.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise UsageError("the page needs the extra packages: pip install 'bakeoff[report]'") from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["ticked"] = _ticked
    return environment


def policy(script: str) -> str:
    """Return a policy that forbids everything the page does not do: it loads, sends and evaluates nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _ticked(text: str) -> Markup:
    """Mark text between backticks as code."""
    from markupsafe import Markup, escape

    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )
