"""Handle records that cannot be read: stop, or count them and continue."""

from __future__ import annotations

from ..errors import BadRecord

KEPT = 100


class Problems:
    """The bad records of one pass over a corpus.

    Args:
        skip: Continue after a bad record.

    Attributes:
        source: The file being read.
        kept: (where, cause) of the first hundred, `where` with the file's name.
        total: Number of bad records.
        remarks: What may surprise the user about the records, with the file's name.
        repeats: A remark names a key that is twice in an object, in one of the files.
    """

    def __init__(self, *, skip: bool) -> None:
        self.skip = skip
        self.source = ""
        self.kept: list[tuple[str, str]] = []
        self.total = 0
        self.remarks: list[str] = []
        self.repeats = False

    def remark(self, text: str) -> None:
        """Record what may surprise the user about the records."""
        self.remarks.append(f"{self.source}: {text}")

    def add(self, where: str, cause: str, error: BaseException | None = None) -> None:
        """Record a bad record.

        Raises:
            BadRecord: Bad records are not skipped.
        """
        cause = " ".join(cause.split()) or "unreadable"
        if not self.skip:
            raise BadRecord(self.source, where, cause) from error
        self.total += 1
        if len(self.kept) < KEPT:
            self.kept.append((f"{self.source}, {where}", cause))
