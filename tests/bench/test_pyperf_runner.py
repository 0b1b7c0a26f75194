"""One codec under pyperf's own scheduler: ``python -m bakeoff.bench``."""

from __future__ import annotations

import pytest

from bakeoff import codec
from bakeoff.bench.__main__ import _check


def test_a_lossy_codec_is_refused_with_the_number_of_the_record() -> None:
    """Records are counted from 1, as `bakeoff run` counts them."""
    with pytest.raises(SystemExit, match="json does not preserve record 2: "):
        _check(codec("json"), [{"a": 1}, {"a": (1,)}])
