"""The result of a run for programs and notebooks: tables, the best codec, data frames, comparisons."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from .bench.results import ResultData, write
from .errors import UsageError
from .reports.decide.compare import Comparison
from .reports.model.flat import Rank, ResultCell, cells, ranks, rows

if TYPE_CHECKING:
    import os

    import pandas
    import polars

    from .reports.decide.pick import PickedCodec


@dataclass(frozen=True, slots=True, repr=False)
class Result:
    """The result of a run. It prints as the table of the command; a notebook shows table and chart.

    Attributes:
        data: The complete data, as in the result file.
    """

    data: ResultData

    @property
    def cells(self) -> tuple[ResultCell, ...]:
        """All figures with their cells; figures of the harness's baseline are only in `data`."""
        return cells(self.data)

    @property
    def ranks(self) -> tuple[Rank, ...]:
        """The ranks by the default cost (dump + load), the cheapest codec first."""
        return ranks(self.data)

    def table(self, format: str = "text", **options: Any) -> str:  # noqa: A002 - as `reports.render` has it
        """Return the table, as ``bakeoff report`` writes it.

        Args:
            format: "text", "md", "csv", "json", "latex", "rst" or "html".
            **options: `reads`, `bandwidth`, `crossings`, `columns`, `sort`, `relative_to`, `scale_to`,
                `group_by`, `layout`; for text also `width` and `color`.

        Raises:
            UsageError: There is no such format or option, or nothing to show.
        """
        from .reports import render

        return render([self.data], format, **options)

    def best(
        self,
        *,
        reads: float | None = None,
        bandwidth: str | float | None = None,
        crossings: Literal["once", "per-read"] | None = None,
        reads_by: str = "",
        rate: str | float | None = None,
        core_year: float | None = None,
        gigabyte: float | None = None,
        needs: Collection[str] = (),
        formats: Collection[str] = (),
        trusted: bool = False,
        interop: bool = False,
        allow_loss: bool = False,
        corpora: Collection[str] = (),
    ) -> PickedCodec:
        """Pick the codec with the lowest cost for a use, as ``bakeoff pick`` does.

        Args:
            reads: Reads for each write; 1 by default.
            bandwidth: Bandwidth of the network for payloads, such as "1Gbit"; a number is in bytes per
                second; none by default.
            crossings: Whether a payload crosses the network "once" (the default) or "per-read".
            reads_by: Reads for each write by language instead of `reads`, such as "go*20,node*4". The run
                must have measured them.
            rate: Records that are written, such as "3000/s" or "10M/day"; a number is per second.
            core_year: Price of one core for a year. With it, the codec with the lowest price wins; `rate` is
                needed, too.
            gigabyte: Price of sending 10⁹ bytes over the network once; 0 by default.
            needs: Types that must be preserved, such as ("datetime",).
            formats: Allowed wire formats; all if empty.
            trusted: Allow codecs that run code from their input, such as pickle.
            interop: Require that other languages read the records exactly, as the readers of the run did. If
                it tried none, require a format that they can read.
            allow_loss: Allow codecs that lose data.
            corpora: Use only these corpora.

        Returns:
            The codec, with `name`, `sentence`, `runners_up` and the excluded codecs; with prices also
            `yearly` and `saving`.

        Raises:
            UsageError: There is no such type or corpus, or a text is given instead of a list of names.
            RunError: No codec fits.
        """
        from .bench.foreign.builds import LANGUAGES
        from .reports.decide.eligible import Requirements, names_in
        from .reports.decide.pick import pick
        from .reports.decide.pick_placed import in_place
        from .reports.decide.pick_readers import elsewhere, parse_readers
        from .reports.model.cost import CostModel
        from .reports.model.prices import Prices, parse_rate

        requirements = Requirements(
            cost=CostModel.of(reads, bandwidth, crossings),
            rate=parse_rate(rate) if isinstance(rate, str) else rate,
            prices=Prices.of(core_year, gigabyte),
            needs=names_in("needs", needs),
            trusted=trusted,
            formats=names_in("formats", formats),
            interop=interop,
            allow_loss=allow_loss,
            corpora=names_in("corpora", corpora),
        )
        if reads_by and reads is not None:
            raise UsageError("reads_by counts the reads of each language; remove reads")
        named = parse_readers(reads_by) if reads_by else ()
        results, requirements = in_place(
            *elsewhere([self.data], requirements, named, tuple(LANGUAGES)), reads
        )
        return pick(results, requirements, file="")

    def to_pandas(self) -> pandas.DataFrame:
        """Return the cells as a data frame of pandas, one row each.

        Raises:
            UsageError: pandas is not installed.
        """
        frame: pandas.DataFrame = _library("pandas").DataFrame(rows(self.data))
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Return the cells as a data frame of polars, one row each.

        Raises:
            UsageError: polars is not installed.
        """
        frame: polars.DataFrame = _library("polars").DataFrame(rows(self.data), infer_schema_length=None)
        return frame

    def compare(self, other: Result, *, force: bool = False) -> Comparison:
        """Compare a later run of the same work with this one.

        Args:
            other: The later run, which is checked.
            force: Compare although corpora or options differ.

        Raises:
            UsageError: Not a result, different corpora or options (without `force`), or no common cell.
        """
        if not isinstance(other, Result):
            raise UsageError(f"expected a Result, as bakeoff.load returns it, and not {other!r:.40}")
        return compared(self.data, other.data, force=force)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a result file, which all commands can read.

        Raises:
            UsageError: The folder is missing, or the ending is not that of JSON.
            RunError: It cannot be written.
        """
        target = Path(path)
        if target.suffix not in ("", ".json") and target.suffix[1:].isalpha():
            raise UsageError(f"{target}: a result file is JSON; name a .json file")
        write(self.data, target)

    def __str__(self) -> str:
        return self.table().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .reports.page.notebook import render

        return render(self.data)


@dataclass(frozen=True, slots=True, repr=False)
class ResultComparison(Comparison):
    """A comparison of two results. It prints as the table of ``bakeoff compare``."""

    def __str__(self) -> str:
        from .reports.decide.compare_output import table
        from .reports.tables.text import render

        return render(table(self)).rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .reports.decide.compare_output import table
        from .reports.page.notebook import styled

        return styled(table(self))


def compared(
    before: ResultData, after: ResultData, *, force: bool = False, counts: bool = False
) -> ResultComparison:
    """Compare two runs, with the differences between past runs on this machine.

    Raises:
        UsageError: As `Result.compare`.
    """
    from .bench.past import Past
    from .reports.decide.compare import compare

    found = compare(before, after, force=force, sessions=Past([before, after]).sessions(), counts=counts)
    return ResultComparison(**{each.name: getattr(found, each.name) for each in fields(found)})


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result file.

    Raises:
        UsageError: There is no such file, or it is no result file, damaged, or of a newer format.
    """
    from .reports.model.files import load as read

    return Result(read(Path(path)))


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} is not installed: pip install {name}") from error
