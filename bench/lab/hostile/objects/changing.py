"""Objects that change during encoding: by a hook that the encoder calls, or in another thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..cases import HostileCase
from .kinds import Box, GivenMapping

if TYPE_CHECKING:
    from .....codecs import Codec

_case = partial(HostileCase, "encode", reads_back=False)


def _changes(
    make: Callable[[Callable[[], Any]], tuple[Any, Callable[[], Any]]],
) -> Callable[[Codec], Iterator[Any]]:
    def subjects(codec: Codec) -> Iterator[Any]:
        change: list[Callable[[], Any]] = []

        def act() -> Any:
            for step in change:
                step()
            return iter(())

        for _ in range(20):
            subject, step = make(act)
            change[:] = [step]
            yield subject
            change.clear()

    return subjects


def _emptied_list(act: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    subject = [[str(n) * 9] for n in range(50)]
    subject.insert(1, GivenMapping(iter=act, items=act, keys=act))  # type: ignore[arg-type]
    return subject, subject.clear


def _emptied_dict(act: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    subject: dict[Any, Any] = {"a": GivenMapping(iter=act, items=act, keys=act)}
    subject |= {f"key {n}": [str(n) * 9] for n in range(50)}
    return subject, subject.clear


def _grown_dict(act: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    subject: dict[Any, Any] = {"a": GivenMapping(iter=act, items=act, keys=act), "b": [1]}
    return subject, lambda: subject.update((f"new {n}", n) for n in range(500))


def _lost_fields(act: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    subject = Box([GivenMapping(iter=act, items=act, keys=act), ["x" * 99]])
    return [subject], lambda: vars(subject).clear()


def _emptied_set(act: Callable[[], Any]) -> tuple[Any, Callable[[], Any]]:
    subject: set[Any] = {str(n) * 9 for n in range(50)}

    class Hook:
        def __iter__(self) -> Iterator[Any]:
            return act()  # type: ignore[no-any-return]

    subject.add(Hook())
    return [subject], subject.clear


def _threads(codec: Codec) -> Iterator[Any]:
    """Change the object continuously in another thread."""
    for make in (_shared_list, _shared_dict, _shared_box):
        subject, change = make()
        stop = threading.Event()

        def work(change: Callable[[], Any] = change, stop: threading.Event = stop) -> None:
            while not stop.is_set():
                change()

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            for _ in range(20):
                yield subject
        finally:
            stop.set()
            thread.join()


def _shared_list() -> tuple[Any, Callable[[], Any]]:
    items = [[n] for n in range(2_000)]

    def change() -> None:
        items.clear()
        items.extend([n] for n in range(2_000))

    return {"items": items, "box": [Box(n) for n in range(100)]}, change


def _shared_dict() -> tuple[Any, Callable[[], Any]]:
    items = {f"key {n}": [n] for n in range(2_000)}

    def change() -> None:
        items.clear()
        items.update((f"key {n}", [n]) for n in range(2_000))

    return {"items": items, "box": [Box(n) for n in range(100)]}, change


def _shared_box() -> tuple[Any, Callable[[], Any]]:
    boxes = [Box([n]) for n in range(500)]

    def change() -> None:
        for box in boxes:
            box.content = [1, 2]
        boxes.reverse()

    return boxes, change


CASES: tuple[HostileCase, ...] = (
    _case("emptied-list", "a list that a hook empties while it is written", _changes(_emptied_list)),
    _case("emptied-dict", "a dict that a hook empties while it is written", _changes(_emptied_dict)),
    _case("emptied-set", "a set that a hook empties while it is written", _changes(_emptied_set)),
    _case("grown-dict", "a dict that a hook fills while it is written", _changes(_grown_dict)),
    _case("lost-fields", "a dataclass that loses its fields while it is written", _changes(_lost_fields)),
    _case("threads", "objects that another thread changes while they are written", _threads),
)
