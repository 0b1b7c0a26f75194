"""``bakeoff once``: a fixed amount of work in one process."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice
from typing import Any

import click

from . import _completion
from ._grouped import GroupedCommand
from ._named import Choice, Whole
from ._options import reading

INPUTS = 1000


@click.command("once", cls=GroupedCommand)
@click.argument("operation", type=Choice(["dump", "load", "nothing"]))
@click.argument("codec", shell_complete=_completion.codecs)
@click.argument("source", metavar="FILE|CORPUS", shell_complete=_completion.corpora)
@click.option("--calls", type=Whole(), default=10_000, show_default=True, help="Calls to make.")
@reading
def command(operation: str, codec: str, source: str, calls: int, how: Mapping[str, Any]) -> None:
    """Do a fixed amount of work and print nothing.

    For `pyperf command -- bakeoff once load msgpack movies.msgpack`. Startup and reading the records take
    the same time with `nothing`, so the difference between the two times is the codec's work:

    \b
      pyperf command -o load.json    -- bakeoff once load    msgpack movies.msgpack --calls 1000000
      pyperf command -o nothing.json -- bakeoff once nothing msgpack movies.msgpack --calls 1000000

    The calls rotate through the first 1,000 records.
    """
    from ..codecs import LimitError
    from ..codecs import codec as make_codec
    from ..codecs.limits import OWN_DATA
    from ..datasets import corpus

    chosen = make_codec(codec, trusted=True)  # it decodes what it has just encoded
    records = list(islice(corpus(source, **how).records(), INPUTS))
    payloads = [chosen.encode(record) for record in records]
    try:
        chosen.decode(max(payloads, key=len, default=b""))
    except LimitError as error:
        click.echo(f"decoding with wider limits than a program gets: {error}", err=True)
        chosen = chosen.with_limits(**OWN_DATA)
    if operation == "dump":
        encode = chosen.encode
        for record in islice(cycle(records), calls):
            encode(record)
    elif operation == "load":
        decode = chosen.decode
        for payload in islice(cycle(payloads), calls):
            decode(payload)
