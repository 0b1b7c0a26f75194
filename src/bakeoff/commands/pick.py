"""``bakeoff pick``: recommend a codec for a use, with reasons; write the lock file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import RunError, UsageError, hint, near
from ..escape import Styled
from . import _completion
from ._grouped import GroupedCommand
from ._named import LISTED, Number
from ._options import AGE, Rate, costing
from ._output import layout, put, typed
from ._placed import listed
from ._schemas import include_option, named

if TYPE_CHECKING:
    from ..bench.results import ResultData
    from ..codecs.production.lock import Lock
    from ..reports.decide.pick import PickedCodec
    from ..reports.model.cost import Crossings

_COMMON = (
    "--reads",
    "--bandwidth",
    "--reads-by",
    "--needs",
    "--untrusted",
    "--formats",
    "--interop",
    "--allow-loss",
    "--choose",
    "--explain",
    "--write",
    "--check",
)


@click.command(
    cls=GroupedCommand,
    codes="0 a codec was chosen, or the lock matches; 1 no codec fits, or the lock does not "
    "match; 2 usage error",
    common=_COMMON,
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[RESULTS]...")
@costing
@click.option(
    "--reads-by",
    "readers",
    default="",
    type=LISTED,
    metavar="LIST",
    help="Reads for each write by language, as measured by `bakeoff run --readers`: go*20,node*4,python.",
)
@click.option("--rate", type=Rate(), help="Rate of the records: 3000/s, 10M/day.")
@click.option(
    "--core-year",
    type=Number(),
    metavar="PRICE",
    help="Price of one core for a year: choose by money, with --rate.",
)
@click.option(
    "--gigabyte",
    type=Number(),
    metavar="PRICE",
    help="Price of sending one gigabyte (10^9 bytes) over the network.  [default: 0]",
)
@click.option(
    "--needs",
    default="",
    type=LISTED,
    metavar="TYPES",
    shell_complete=_completion.types,
    help="Types that must be preserved: datetime,bytes,...",
)
@click.option(
    "--untrusted/--trusted",
    default=True,
    help="Whether the input is untrusted.  [default: untrusted]",
)
@click.option(
    "--formats",
    default="",
    type=LISTED,
    metavar="NAMES",
    shell_complete=_completion.wire_formats,
    help="Allowed wire formats: msgpack,cbor,...",
)
@click.option(
    "--interop",
    is_flag=True,
    help="Require a format that other languages read; exactly, where `bakeoff run --readers` tried it.",
)
@click.option("--allow-loss", is_flag=True, help="Allow codecs that lose data; the table says what.")
@click.option(
    "--corpus", "corpora", metavar="NAME", multiple=True, help="The corpus to decide by; repeatable."
)
@click.option(
    "--choose",
    "codec",
    metavar="NAME",
    shell_complete=_completion.codecs,
    help="Choose this codec; with --write it need not have been measured.",
)
@click.option(
    "--schema",
    metavar="SCHEMA",
    shell_complete=_completion.files,
    help="Schema for a codec of --choose that was not measured; the lock stores its definition.",
)
@include_option
@click.option("--explain", is_flag=True, help="Show how the cost is computed, and the tie-breakers.")
@click.option("--write", is_flag=True, help="Write the choice to the lock file.")
@click.option("--force", is_flag=True, help="Even if the lock has another wire format, --write replaces it.")
@click.option("--check", is_flag=True, help="Check the lock file instead; exit 1 if it does not match.")
@click.option("--max-age", type=AGE, help="With --check: maximum age of the measurement, such as 90d.")
@click.option(
    "--lock",
    type=click.Path(path_type=Path),
    help="The lock file.  [default: $BAKEOFF_LOCK, else the nearest bakeoff.lock upwards]",
)
def command(
    files: Sequence[Path],
    reads: float | None,
    bandwidth: str | None,
    crossings: Crossings | None,
    readers: str,
    rate: float | None,
    core_year: float | None,
    gigabyte: float | None,
    needs: str,
    untrusted: bool,
    formats: str,
    interop: bool,
    allow_loss: bool,
    corpora: tuple[str, ...],
    codec: str | None,
    schema: str | None,
    include: tuple[str, ...],
    explain: bool,
    write: bool,
    force: bool,
    check: bool,
    max_age: float | None,
    lock: Path | None,
) -> None:
    """Name the codec that costs least for your use, and say why.

    The cost is a time: dump + reads × (load + fix) + crossings × bytes / bandwidth. With --core-year it is
    the price of a year, of the cores that --rate keeps busy and the gigabytes that it sends.

    Reads bakeoff.json by default. Codecs that lose data, or run code from their input, are left out unless
    you allow them. Codecs that tie are ordered by tie-breakers (--explain). If codecs are not
    distinguishable, the cheapest comes first, with the command that adds processes.

    Results of `bakeoff stores` decide by puts and gets, including the store. Results of `bakeoff pipeline`
    decide by processor time with --reads consumers. A line below shows the codec's part of that.

    With --reads-by, each read costs what the fastest library of its language that reads all payloads exactly
    takes. Codecs that a language changes or refuses are left out. Name a library instead of a language as
    go-tinylib-msgp*20.

    Results of several machines or interpreters are decided separately; exit 1 if the choices differ.
    """
    from ..bench.foreign.builds import LANGUAGES
    from ..codecs.production.lock import located
    from ..reports.decide.lock import lock_of
    from ..reports.decide.pick import Requirements, pick
    from ..reports.decide.pick_output import reasons
    from ..reports.decide.pick_placed import in_place, said
    from ..reports.decide.pick_readers import elsewhere, parse_readers
    from ..reports.model.cost import CostModel
    from ..reports.model.environment import block_noun
    from ..reports.model.files import load_all
    from ..reports.model.merge import by_machine
    from ..reports.model.names import plain_name
    from ..reports.model.prices import Prices
    from . import _lock

    if check:
        _require_nothing_else(files)
        return _lock.check(located(lock), max_age)
    if max_age is not None:
        click.echo("--max-age is not used: it is for --check", err=True)
    if force and not write:
        click.echo("--force is not used: it is for --write", err=True)
    if readers and reads is not None:
        raise UsageError("--reads-by counts the reads of each language, and --reads all; remove one of them")
    asked_readers = parse_readers(readers) if readers else ()
    place = located(lock)
    if write:
        _lock.check_target(lock or Path(place.path))
    requirements = Requirements(
        cost=CostModel.of(reads, bandwidth, crossings),
        rate=rate,
        prices=Prices.of(core_year, gigabyte),
        needs=tuple(listed([needs])),
        trusted=not untrusted,
        formats=tuple(listed([formats])),
        interop=interop,
        allow_loss=allow_loss,
        corpora=corpora,
        codec=codec,
    )
    paths = list(files) or [Path("bakeoff.json")]
    if write and codec is not None and not files and not _is_measured(codec, paths[0]):
        made = _without_results(codec, schema, include, trusted=not untrusted)
        return _lock.write(made, place, [], force=force)
    if schema is not None:
        raise UsageError("--schema belongs to --choose NAME --write, where NAME was not measured")
    results = load_all(paths)
    _check_formats(requirements.formats, results)
    noun = block_noun(results)
    groups = by_machine(results)
    if write and len(groups) > 1:
        raise UsageError(f"--write takes the results of one {noun}: the one that will run the codec")
    files_of = {id(result): str(path) for result, path in zip(results, paths, strict=True)}
    choices, texts = [], []
    for label, group in groups:
        asked, adapted = in_place(*elsewhere(group, requirements, asked_readers, tuple(LANGUAGES)), reads)
        choice = pick(asked, adapted, files_of[id(group[0])])
        why = reasons(choice, said(asked, choice), explain=explain, **layout(None))
        texts += ["\n", f"{label}\n" * bool(label), why]
        choices.append((label, choice))
    if requirements.prices and requirements.prices.gigabyte and adapted.cost.reads != 1 and crossings is None:
        texts.append("assumed: each payload crosses the network once; else use --crossings per-read\n")
    _check_agreement(choices, noun)
    put(Styled.joined([f"{plain_name(choice.winner.name)}\n", *texts]), None)
    if write:
        _lock.write(lock_of(choice, paths, results), place, paths, force=force)
    return None


def _require_nothing_else(files: Sequence[Path]) -> None:
    """Refuse what has no meaning with ``--check``.

    Raises:
        UsageError: It names what to remove.
    """
    others = {*typed(click.get_current_context()), *map(str, files)}
    others -= {"--check", "--max-age", "--lock", "files"}
    if others:
        raise UsageError(
            f"--check only reads the lock file, and chooses nothing; remove {', '.join(sorted(others))}"
        )


def _without_results(codec: str, schema: str | None, include: Sequence[str], *, trusted: bool) -> Lock:
    """Return the lock of a codec that no result includes.

    Raises:
        UsageError: An option asks for a decision, which needs results.
    """
    from ..reports.decide.lock import decided
    from . import _lock

    if others := set(typed(click.get_current_context())) - _OF_DECISIONS:
        raise UsageError(f"{', '.join(sorted(others))} needs a result file that includes {codec}")
    given = None if schema is None else named(schema, include)
    return decided(codec, _lock.who(), trusted=trusted, schema=given)


def _check_agreement(choices: Sequence[tuple[str, PickedCodec]], noun: str) -> None:
    """Refuse to choose among the choices of several machines or interpreters.

    Raises:
        RunError: They differ.
    """
    from ..reports.model.names import plain_name

    if len({plain_name(choice.name) for _, choice in choices}) > 1:
        lines = [f"  {label}: {choice.sentence}" for label, choice in choices]
        way = f"{noun}s disagree; name only the results of the {noun} that will run the codec"
        raise RunError("\n".join([way, *lines]))


_OF_DECISIONS = {
    "--choose",
    "--schema",
    "--include",
    "--write",
    "--force",
    "--lock",
    "--trusted",
    "--untrusted",
}
"""Options that also apply to a codec that was not measured."""


def _is_measured(codec: str, path: Path) -> bool:
    """Whether the default result file of this folder contains a codec."""
    from ..reports.model.files import load

    return path.exists() and any(known.name == codec for known in load(path).codecs)


def _check_formats(wanted: Sequence[str], results: Sequence[ResultData]) -> None:
    """Refuse formats that neither bakeoff nor the results know, as no codec could match."""
    from ..codecs import describe, names

    known = {describe(name).format for name in names()}
    known |= {codec.format for result in results for codec in result.codecs}
    known.discard("")
    for name in wanted:
        if name not in known:
            there = f"there are {', '.join(sorted(known))}"
            raise UsageError(f"no wire format {name!r}; {hint(near(name, known), there)}")
