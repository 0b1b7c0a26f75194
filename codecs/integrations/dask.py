"""Codecs for data that Dask's workers exchange."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from distributed.diagnostics.plugin import WorkerPlugin
from distributed.protocol.serialize import register_serialization

from ..errors import CodecError, EncodeError

if TYPE_CHECKING:
    from distributed import Worker

    from ..core.base import CodecBase


class Batches(WorkerPlugin):
    """Sends a class of yours, a list or dict of records, as the codec's payloads instead of pickle's.

    It is registered in this process, and by ``client.register_plugin`` on all workers, including those that
    join later. The class is then used wherever Dask sends such an object or spills it to disk. Families of
    serializers (``register_serialization_family``) only apply to data that a client gathers: workers ask each
    other for ``dask`` and ``pickle`` (``get_data_from_worker`` of distributed 2026.8).

    Args:
        codec: Encodes and decodes. Records are decoded with its types.
        batch: A subclass of list or dict that can be called to convert its base type.

    Raises:
        CodecError: Another class. Python's own classes are handled by Dask.
    """

    def __init__(self, codec: CodecBase, batch: type[Any]) -> None:
        plain = next((kind for kind in (list, dict) if issubclass(batch, kind) and batch is not kind), None)
        if plain is None:
            raise CodecError(
                codec.name,
                f"bakeoff.integrations.dask expects a subclass of list or dict, got {batch.__name__}",
            )
        self.codec, self.batch, self.plain = codec, batch, plain
        self.name = f"bakeoff-{codec.name}-{batch.__qualname__}"
        self.register()

    def setup(self, worker: Worker) -> None:
        """Register in a worker."""
        self.register()

    def register(self) -> None:
        """Register in this process."""
        register_serialization(self.batch, self.dumps, self.loads)  # type: ignore[no-untyped-call]

    def dumps(self, batch: Any) -> tuple[dict[str, str], list[bytes]]:
        """Return an empty header and the one frame.

        Raises:
            NotImplementedError: The codec cannot write it; Dask then uses pickle.
        """
        try:
            return {}, [self.codec.encode(self.plain(batch))]
        except EncodeError as error:
            raise NotImplementedError(str(error)) from error

    def loads(self, header: dict[str, str], frames: Sequence[bytes | bytearray | memoryview]) -> Any:
        """Return the batch; Dask splits large frames."""
        return self.batch(self.codec.decode(frames[0] if len(frames) == 1 else b"".join(frames)))


integration = Batches
