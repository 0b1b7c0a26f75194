"""YAML 1.1, by PyYAML; always the safe loader.

The loader in C recurses without a limit and ends the process on some 25,000 nested brackets, and
merge keys multiply: both are bounded before they can do harm (PyYAML issues 895 and 604).
"""

from __future__ import annotations

import codecs
import datetime as dt
import decimal
import enum
import re
import uuid
from collections.abc import Mapping
from typing import Any

from ._codec import DEFAULT_DEPTH
from .conventions import FAMILIES, wire
from .registry import Format, RawCalls, declare
from .streams import Documents

YAML = Format(
    "yaml",
    "application/yaml",
    ".yaml",
    Documents(),
    media_type_aliases=("application/x-yaml", "text/yaml", "text/x-yaml"),
    content_encoding="utf-8",
)
CARRIES = frozenset(
    {
        "none", "bool", "int", "bigint", "float", "nonfinite", "str", "bytes", "list", "dict", "set",
        "datetime", "datetime_aware", "datetime_offset", "date", "int_keys", "key_order",
    }
)  # fmt: skip
MERGED_PAIRS = 100_000

_family = FAMILIES["yaml"]
# Wherever they stand: libyaml takes CR, NEL, LS and PS for line breaks, too, and passes over a BOM.
# Possessive, as the matcher would remember every repeat: 32 MiB of spaces took it 4 GiB.
_indicators = re.compile(rb"[ \t](?:[ \t]|[-?:][ \t])++")


def _bounded(yaml: Any, loader: Any) -> Any:
    """Return a loader class whose merge keys have a budget."""

    class BoundedLoader(loader):  # type: ignore[misc]
        merged = 0

        def flatten_mapping(self, node: Any) -> None:
            before = len(node.value)
            super().flatten_mapping(node)
            self.merged += max(0, len(node.value) - before)
            if self.merged > MERGED_PAIRS:
                raise yaml.YAMLError(f"merge keys add more than {MERGED_PAIRS:,} pairs")

    return BoundedLoader


def _depth_check(yaml: Any) -> Any:
    """Return a check that costs two searches on ordinary input, and a scan only on suspicious one."""

    def check(data: bytes) -> None:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise ValueError("UTF-16 text; expected UTF-8")
        flow = data.count(b"[") + data.count(b"{")
        block = max(map(len, _indicators.findall(data)), default=0)
        if flow + block <= DEFAULT_DEPTH:
            return
        depth = 0
        for event in yaml.parse(data, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > DEFAULT_DEPTH:
                    raise RecursionError(f"nested more than {DEFAULT_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    return check


def _yaml(*, accelerated: bool) -> Mapping[str, Any]:
    import yaml

    dumper: Any = yaml.CSafeDumper if accelerated else yaml.SafeDumper
    loader: Any = yaml.CSafeLoader if accelerated else yaml.SafeLoader

    class ConventionDumper(dumper):  # type: ignore[misc]
        """Writes what YAML lacks by the family's conventions."""

        def represent_mapping(self, *arguments: Any, **options: Any) -> Any:
            node = super().represent_mapping(*arguments, **options)
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    raise TypeError("a key, or an item of a set, that holds others would not come back")
            return node

    def represent(self: Any, value: Any) -> Any:
        return self.represent_data(_family.leaf(value))

    for kind in (dt.time, dt.timedelta, decimal.Decimal, uuid.UUID, frozenset, bytearray, memoryview, None):
        ConventionDumper.add_representer(kind, represent)
    ConventionDumper.add_multi_representer(enum.Enum, represent)

    options: dict[str, Any] = {"encoding": "utf-8", "allow_unicode": True, "sort_keys": False}
    return {
        "encode": yaml.dump,
        "encode_options": {"Dumper": ConventionDumper, **options},
        "decode": yaml.load,
        "raw": RawCalls(
            lambda record: yaml.dump(record, Dumper=dumper, **options),
            lambda data: yaml.load(data, Loader=loader),
        ),
        "decode_options": {"Loader": _bounded(yaml, loader)},
        "check_payload": _depth_check(yaml),
        "encode_depth": DEFAULT_DEPTH,
        "lower": _family.lower,
        "accelerated": accelerated,
        "carries": CARRIES,
        "wire": wire("yaml", CARRIES),
        "notes": ("a truncated payload is often still valid YAML",),
    }


@declare("yaml", YAML, library="PyYAML", module="yaml")
def _libyaml() -> Mapping[str, Any]:
    import yaml

    return _yaml(accelerated=yaml.__with_libyaml__)


@declare("yaml/pure", YAML, library="PyYAML", module="yaml")
def _pure() -> Mapping[str, Any]:
    return _yaml(accelerated=False)
