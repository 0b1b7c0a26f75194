"""An integration with Python's own logging, as a package of its own publishes it."""

import logging

import bakeoff


class Formatter(logging.Formatter):
    """Writes each event as a record of a codec whose payloads are text."""

    def __init__(self, codec: bakeoff.Codec) -> None:
        super().__init__()
        self._text = codec.text

    def format(self, record: logging.LogRecord) -> str:
        return self._text.dumps({"level": record.levelname, "message": record.getMessage()})


def formatter(codec: bakeoff.Codec) -> logging.Formatter:
    """Return a formatter for ``handler.setFormatter``."""
    return Formatter(codec)
