"""Every registered codec."""

from __future__ import annotations

import pytest

import bakeoff
from bakeoff import codecs

# Unguarded codecs promise less: tests/codecs/test_raw.py.
NAMES = [name for name in codecs.names() if not codecs.describe(name).unguarded]


@pytest.fixture(params=NAMES)
def codec(request: pytest.FixtureRequest) -> codecs.Codec:
    """Return each codec in turn; the test environment installs all of them."""
    return bakeoff.codec(request.param, trusted=True)
