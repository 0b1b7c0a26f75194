"""What is measured, ranked and can fail alone, as fields and as text."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Self

__all__ = ["Cell", "operation_name", "split_operation"]


def operation_name(operation: str, variant: str = "", place: str = "", parameter: str = "") -> str:
    """Write what is measured as text: ``OPERATION[-VARIANT][@PLACE][:PARAMETER]``."""
    return f"{operation}{variant and '-'}{variant}{place and '@'}{place}{parameter and ':'}{parameter}"


def split_operation(name: str) -> tuple[str, str, str]:
    """Return the operation with its variant, the place and the parameter that an `operation_name` has."""
    rest, _, parameter = name.partition(":")
    stem, _, place = rest.partition("@")
    return stem, place, parameter


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One operation of one codec on one corpus: the unit that is measured, ranked and can fail alone.

    Attributes:
        corpus: Name of the corpus.
        operation: Name of the operation, for instance "get".
        variant: Other way in which it is carried out, for instance "codec"; empty for the operation itself.
        place: Store or transport in which it takes place, for instance "lmdb"; empty where it has none.
        parameter: What it was asked for with, for instance "MDx100"; empty for its default.
        codec: Name of the codec.
    """

    corpus: str
    operation: str
    variant: str = field(default="", kw_only=True)
    place: str = field(default="", kw_only=True)
    parameter: str = field(default="", kw_only=True)
    codec: str

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
        """Read a cell's text.

        Args:
            name: As `name` writes it; the codec may contain slashes.
            operations: Names of operations without variants, places and parameters. The longest that the
                text begins with is the operation; what follows its hyphen is the variant.

        Raises:
            ValueError: It has fewer than three parts.
        """
        corpus, measured, codec = name.split("/", 2)
        stem, place, parameter = split_operation(measured)
        known = (each for each in operations if f"{stem}-".startswith(f"{each}-"))
        operation = max(known, key=len, default=stem)
        variant = stem[len(operation) + 1 :]
        return cls(corpus, operation, codec, variant=variant, place=place, parameter=parameter)
