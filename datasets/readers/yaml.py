"""Read YAML: each document is a record. If the only document is a list, its items are the records."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from ...codecs import DecodeError, codec
from ...codecs.limits import OWN_DATA
from .encoding import not_utf8
from .json_window import RECORD_LIMIT
from .problems import Problems


def read_yaml(file: io.BufferedReader, problems: Problems) -> Iterator[Any]:
    """Iterate over the documents, without empty ones."""
    decode = codec("yaml").with_limits(**OWN_DATA).decode
    number = 0
    for line, document in _documents(file, problems):
        number += 1
        try:
            record = decode(document)
        except DecodeError as error:
            cause = f"not YAML: {error.reason}"
            try:
                document.decode()
            except UnicodeDecodeError as wrong:
                cause = not_utf8(wrong)
            problems.add(f"document {number}, which starts at line {line:,}", cause, error)
            continue
        yield record


def _documents(file: io.BufferedReader, problems: Problems) -> Iterator[tuple[int, bytes]]:
    """Iterate over (number of the first line, text). Markers count at the start of every line."""
    lines: list[bytes] = []
    first = number = size = 0
    filled = False
    while line := file.readline(RECORD_LIMIT + 1):
        number += 1
        if line.startswith((b"---", b"...")) and line[3:4] in (b"", b" ", b"\t", b"\r", b"\n"):
            if filled:
                yield first, b"".join(lines)
            # Directives (%YAML, %TAG) belong to the document that starts here.
            heading = [] if filled else [one for one in lines if one[:1] == b"%"]
            lines, filled = [], False
            if line.startswith(b"---"):
                lines, filled = [*heading, line], bool(line[3:].split(b"#")[0].strip())
            first, size = number, len(line)
            continue
        if not lines:
            first, size = number, 0
        lines.append(line)
        filled = filled or line.strip()[:1] not in (b"", b"#", b"%")
        size += len(line)
        if size > RECORD_LIMIT:
            problems.add(
                f"document that starts at line {first:,}",
                f"longer than {RECORD_LIMIT >> 20} MiB; the rest cannot be read",
            )
            return
    if filled:
        yield first, b"".join(lines)
