"""Cells, the units that are measured, ranked and can fail separately, as fields and as text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Self

from .quantities import Line


def operation_name(operation: str, variant: str = "", place: str = "", parameter: str = "") -> str:
    """Return an operation as text: ``OPERATION[-VARIANT][@PLACE][:PARAMETER]``."""
    return f"{operation}{variant and '-'}{variant}{place and '@'}{place}{parameter and ':'}{parameter}"


def split_operation(name: str) -> tuple[str, str, str]:
    """Split the text of `operation_name` into operation with variant, place, and parameter."""
    rest, _, parameter = name.partition(":")
    stem, _, place = rest.partition("@")
    return stem, place, parameter


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One operation of one codec on one corpus: the unit that is measured, ranked and can fail separately.

    Attributes:
        corpus: Name of the corpus.
        operation: Name of the operation, for instance "get".
        variant: Name of the variant, for instance "codec"; empty for the operation itself.
        place: Store or transport of the operation, for instance "lmdb"; empty if it has none.
        parameter: The requested parameter, for instance "MDx100"; empty for the default.
        codec: Name of the codec.
    """

    corpus: Line
    operation: Line
    variant: Line = field(default="", kw_only=True)
    place: Line = field(default="", kw_only=True)
    parameter: Line = field(default="", kw_only=True)
    codec: Line

    @property
    def operation_name(self) -> str:
        """The operation as text, with variant, place and parameter (``get-codec@lmdb:LG``)."""
        return operation_name(self.operation, self.variant, self.place, self.parameter)

    @property
    def name(self) -> str:
        """The cell as text, the name of its benchmark (``CORPUS/OPERATION/CODEC``)."""
        return f"{self.corpus}/{self.operation_name}/{self.codec}"

    @classmethod
    def parse(cls, name: str, operations: Collection[str]) -> Self:
        """Parse the text of a cell.

        Args:
            name: As `name` writes it; the codec may contain slashes.
            operations: Names of operations without variants, places and parameters. The longest one that
                starts the text is the operation; after its hyphen comes the variant.

        Raises:
            ValueError: It has fewer than three parts.
        """
        corpus, measured, codec = name.split("/", 2)
        stem, place, parameter = split_operation(measured)
        known = (each for each in operations if f"{stem}-".startswith(f"{each}-"))
        operation = max(known, key=len, default=stem)
        variant = stem[len(operation) + 1 :]
        return cls(corpus, operation, codec, variant=variant, place=place, parameter=parameter)
