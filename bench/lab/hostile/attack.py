"""The worker's side: one codec, case after case, each reported before and after it is run."""

from __future__ import annotations

import gc
import math
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ....codecs import CodecError, DecodeError, EncodeError, LimitError, codec, split_name
from ...capabilities import here
from ...jobs import Answer, Done, Failed
from ...messages.hostile import Attack
from ...operations._memory import trim
from ...operations.peak import CLEAR_REFS, STATUS, kernel_bytes
from .cases import RECORD, HostileCase
from .collection import CASES, cases_of
from .objects import adversarial
from .promises import AttackOutcome, Seen

if TYPE_CHECKING:
    from ....codecs import Codec
    from ...worker.context import WorkerContext

_SCHEDULED = Path("/proc/thread-self/schedstat")
_LINE = 100

# From harmless to worst.
_WORSE: tuple[AttackOutcome, ...] = (
    "passed",
    "refused",
    "accepted",
    "unreadable",
    "swallowed",
    "foreign exception",
)


class _Call(NamedTuple):
    outcome: AttackOutcome
    said: str
    seconds: float
    memory: float


def built(name: str) -> Codec:
    """Return a codec as it is attacked: with a schema of an ordinary record if it needs one."""
    from ....codecs import describe
    from ....schemas import Schema

    base, with_schema, _ = split_name(name)
    wanting = with_schema or describe(base).needs_schema
    return codec(name, schema=Schema.infer([RECORD]) if wanting else None)


def run(job: Attack, context: WorkerContext) -> Answer:
    """Run the cases on one codec."""
    try:
        attacked = built(job.codec)
        cases = cases_of(attacked, job.patterns)
    except CodecError as error:
        return Failed(error.reason)
    me = os.getpid()
    # Deeply nested objects are never freed: for some types Python recurses to free them, and would crash.
    held: list[Any] = []
    context.note([CASES.index(case) for case in cases])
    for number, case in enumerate(cases[job.start :], job.start):
        context.beat(number)
        seen = attempt(attacked, case, context.beat, number, held)
        gc.freeze()  # Each collection would look at all that is held.
        if os.getpid() != me:
            os._exit(1)  # The codec forked, and the copy is not a worker.
        context.note({name: getattr(seen, name) for name in Seen.__slots__})
    return Done()


def attempt(
    attacked: Codec, case: HostileCase, beat: Callable[[int], object], number: int, held: list[Any]
) -> Seen:
    """Return the worst outcome of all calls of a case.

    Args:
        beat: Called with the number before each call.
        number: Number of the case.
        held: Keeps the encoded objects, so that they are never freed.
    """
    calls: list[_Call] = []
    subjects = iter(case.make(attacked))
    while True:
        beat(number)
        try:
            subject = next(subjects)
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001 - most are made by the codec itself
            return Seen("cannot be tried", _said(error))
        if case.direction == "encode":
            held.append(subject)
        beat(number)
        calls.append(_call(attacked, case, subject))
        del subject
    worst = max(calls, key=lambda call: (_WORSE.index(call.outcome), call.seconds))
    return Seen(
        worst.outcome,
        worst.said[:500],
        len(calls),
        sum(call.outcome == "accepted" for call in calls),
        max(call.seconds for call in calls),
        max(call.memory for call in calls),
        all(call.said.startswith(LimitError.__name__) for call in calls),
    )


def _call(attacked: Codec, case: HostileCase, subject: Any) -> _Call:
    call = attacked.decode if case.direction == "decode" else attacked.encode
    adversarial.raised.clear()
    settled = _settled()
    error: BaseException | None = None
    came: Any = None
    waited, started = _waited(), time.perf_counter()
    try:
        came = call(subject)
    except BaseException as raised:  # noqa: BLE001 - the errors are what is tested
        error = raised
    seconds = time.perf_counter() - started - (_waited() - waited)
    memory = math.nan if settled is None else kernel_bytes(STATUS, "VmHWM:") - settled
    outcome, said = _outcome(attacked, case, came, error)
    if outcome != "passed":
        said = f"{said}{', of ' if said else ''}{_described(subject)}"
    return _Call(outcome, said, max(0.0, seconds), memory)


def _outcome(
    attacked: Codec, case: HostileCase, came: Any, error: BaseException | None
) -> tuple[AttackOutcome, str]:
    interruption = next((each for each in adversarial.raised if not isinstance(each, Exception)), None)
    if interruption is not None:
        if error is not None and any(error is each for each in adversarial.raised):
            return "passed", ""
        return "swallowed", f"{type(interruption).__name__} became {_said(error)}"
    if error is not None:
        ours = DecodeError if case.direction == "decode" else EncodeError
        return ("refused" if isinstance(error, ours) else "foreign exception"), _said(error)
    if case.direction == "decode":
        return "accepted", ""
    if type(came) is not bytes:
        return "foreign exception", f"encode returned {type(came).__name__}, not bytes"
    if (
        case.reads_back
        and not attacked.trusted_only
        and not attacked.needs_schema
        and attacked.schema is None
    ):
        try:
            attacked.decode(came)
        except LimitError:
            pass  # Larger or deeper than the default limits for decoding: the error says so.
        except BaseException as refusal:  # noqa: BLE001 - as above
            return "unreadable", _said(refusal)
    return "accepted", ""


def _described(subject: Any, levels: int = 3) -> str:
    """Return a description of the payload or object, without calling its methods."""
    if type(subject) is bytes:
        return f"{subject[:40]!r}{' ...' if len(subject) > 40 else ''}"
    kind = type(subject).__name__
    if type(subject) in (list, tuple, dict) and subject and levels:
        first = next(iter(subject.values() if type(subject) is dict else subject))
        return f"{kind} of {_described(first, levels - 1)}"
    return kind


def _said(error: BaseException | None) -> str:
    if error is None:
        return "a payload"
    try:
        text = error.reason if isinstance(error, CodecError) else str(error)
    except Exception:  # noqa: BLE001 - its text may be an attack as well
        text = "(no text)"
    return f"{type(error).__name__}: {text}"


def _settled() -> int | None:
    """Reset the kernel's high-water mark and return the bytes in use; None if that is impossible."""
    trim()
    if not here().high_water_mark:
        return None
    CLEAR_REFS.write_text("5")
    return kernel_bytes(STATUS, "VmRSS:")


def _waited() -> float:
    """Return the seconds that this thread has waited for a core, which is not the codec's fault."""
    try:
        with _SCHEDULED.open("rb", buffering=0) as file:
            return int(file.read(_LINE).split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0
