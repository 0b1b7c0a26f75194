"""pickle: preserves nearly all types, is readable by Python only, and runs code from the payload.

Decoding is refused unless the codec is created with ``trusted=True``.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..conventions.arrays import ARRAYS, FRAMES
from ..conventions.tokens import NAMES
from ..registry import declare
from ..safety.policies import Policies
from ..spec import Format, Frames, RawCalls, Spec
from ..streams.framing import Values
from . import buffers

PRESERVES = frozenset(NAMES)


PICKLE = Format(
    name="pickle",
    media_type="application/x-python-serialize",
    media_type_aliases=("application/python-pickle",),
    file_extension=".pickle",
    trusted_only=True,
    interoperable=False,
    framing=Values("pickle"),
    files=(".pickle", ".pkl", ".pck"),
)

BUFFERS = replace(
    PICKLE,
    media_type="application/vnd.bakeoff.pickle-buffers",
    media_type_aliases=(),
    syntax="pickle-buffers",
    file_extension=".pickle5",
    framing=None,
    files=(),
)
"""A pickle with its buffers, see `buffers`."""


def _pickle(protocol: int, dumps: Any = pickle.dumps, loads: Any = pickle.loads) -> Spec:
    framed = protocol >= 4

    def enforce(values: Mapping[str, str]) -> Mapping[str, Any]:
        return {"whole": "pickle" if values["trailing"] == "reject" else None}

    return Spec.of(
        encode=dumps,
        encode_arguments=(protocol,),
        decode=loads,
        raw=RawCalls(dumps if protocol == 5 else lambda record: dumps(record, protocol), loads),
        # Reading the frames' content costs nothing.
        whole="pickle" if framed else None,
        accelerated=pickle.Pickler.__module__ == "_pickle",
        preserves=PRESERVES,
        # Classes in a payload have already run code before the record could be checked.
        policies=Policies(
            duplicate_keys="none/last",
            nonfinite="allow",
            surrogates="allow",
            big_integers="exact",
            trailing="reject" if framed else "ignore",
            options={"trailing": ("reject",)},
            enforce=enforce,
            extensions="keep",
            nesting="library",
        ),
    )


@declare("pickle", PICKLE)
def _protocol_5() -> Spec:
    return _pickle(5)


@declare("pickle/2", PICKLE, in_default_set=False)
def _protocol_2() -> Spec:
    """Use protocol 2, as in 2011."""
    return _pickle(2).changed(
        preserves=PRESERVES - {"datetime_fold"},
        losses=("datetimes in a repeated hour lose their fold",),
    )


@declare("pickle/pure", PICKLE, in_default_set=False)
def _pure() -> Spec:
    return _pickle(5, pickle._dumps, pickle._loads).changed(  # type: ignore[attr-defined]
        accelerated=False,
    )


@declare("pickle/buffers", BUFFERS, values=(*ARRAYS, *FRAMES, "array.array"))
def _buffers() -> Spec:
    spec = _pickle(5)
    return spec.changed(
        encode=buffers.encode,
        encode_arguments=(),
        decode=buffers.decode,
        raw=RawCalls(buffers.encode, buffers.decode),
        whole=None,
        frames=Frames(buffers.encode_frames, buffers.decode_frames),
        notes=("arrays are decoded as read-only views of the payload",),
        policies=replace(spec.facts.policies, trailing="reject", options={}, enforce=None),
    )


@declare("cloudpickle", PICKLE, library="cloudpickle", extra="cloudpickle", in_default_set=False)
def _cloudpickle() -> Spec:
    import cloudpickle

    return _pickle(5, cloudpickle.dumps, cloudpickle.loads).changed(
        too_deep=("excessively deep recursion",),
        notes=("also takes functions and classes of the main program, as code; pickle reads its payloads",),
    )


@declare("dill", PICKLE, library="dill", extra="dill", in_default_set=False)
def _dill() -> Spec:
    loaded = "dill" in sys.modules
    import dill

    if not loaded:
        # When imported, it adds its types to pickle's own Pickler in Python.
        dill.extend(use_dill=False)
    return _pickle(4, dill.dumps, dill.loads).changed(
        accelerated=False,
        notes=("also takes functions, classes, generators and modules, as code",),
    )
