"""Parts shared by ``bakeoff stores`` and ``bakeoff pipeline``: lists, backends with URLs, run options."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    from ..bench.run.options import Options


def listed(texts: Iterable[str]) -> list[str]:
    """Return the names in texts, separated by commas, each once."""
    return list(dict.fromkeys(one.strip() for text in texts for one in text.split(",") if one.strip()))


def places(named: Iterable[str], urls: Iterable[str], backends: ModuleType, missing: str) -> dict[str, str]:
    """Return the URL of each backend by its name, empty for a backend without a server.

    Args:
        named: Names of backends.
        urls: URLs of servers.
        backends: `bench.backends.stores` or `transports`.
        missing: The message for a server without its URL, with ``{name}`` and ``{scheme}``.

    Raises:
        UsageError: A server without its URL, or two of one kind.
    """
    found = dict.fromkeys(named, "")
    for name in found:
        if schemes := backends.kind(name).schemes:
            raise UsageError(missing.format(name=name, scheme=schemes[0]))
    for url in urls:
        name = backends.by_url(url).name
        if found.setdefault(name, url) != url:
            raise UsageError(
                f"two URLs lead to {name}, so their figures would have the same name; run them separately"
            )
    return found


def options(
    corpora: Sequence[str],
    codecs: Iterable[str],
    servers: Mapping[str, str],
    given: dict[str, Any],
    **own: Any,
) -> Options:
    """Return the options of a run with backends.

    Args:
        corpora: Corpora to measure on.
        codecs: Names of codecs.
        servers: URLs by the names of backends, as from `places`.
        given: Options that both commands have on the command line.
        **own: Further options of one command.
    """
    from ..bench.run.options import Options

    base = Options(
        tuple(corpora),
        tuple(codecs),
        no_time_limit=given["no_time_limit"],
        places=tuple(f"{name}={url}" for name, url in servers.items() if url),
        **own,
    )
    chosen = {key: given[key] for key in ("records", "seed") if given[key] is not None}
    return dataclasses.replace(base, **chosen, **{k: v for k, v in given["how"].items() if v})
