"""Codecs as serializers of aiocache."""

from __future__ import annotations

from ._counters import Counters

integration = Counters
