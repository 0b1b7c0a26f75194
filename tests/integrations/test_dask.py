"""Codecs between workers of Dask, over TCP."""

from __future__ import annotations

import pytest

import bakeoff

CODEC = bakeoff.codec("msgpack")


class Orders(list):
    """Records that travel as a payload."""


class Index(dict):
    """A record that does."""


@pytest.fixture(scope="module")
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def passed(client, make):
    one, other = client.scheduler_info()["workers"]
    made = client.submit(make, workers=[one], allow_other_workers=False, pure=False)
    return client.submit(repr, made, workers=[other], allow_other_workers=False).result(), made.result()


def orders():
    """This codec decodes a tuple as a list, and pickle as a tuple."""
    return Orders([{"n": (1, 2), "b": b"\x00"}])


def index():
    return Index(tea=(1, 2))


def unwritable():
    return Orders([(1, complex)])


def plain():
    return [(1, 2)]


def test_a_class_travels_by_the_codec(client):
    client.register_plugin(bakeoff.integrations.dask(CODEC, Orders))
    client.register_plugin(bakeoff.integrations.dask(CODEC, Index))

    assert ("[{'n': [1, 2], 'b': b'\\x00'}]", Orders([{"n": [1, 2], "b": b"\x00"}])) == passed(client, orders)
    seen, found = passed(client, index)
    assert ("{'tea': [1, 2]}", {"tea": [1, 2]}, Index) == (seen, found, type(found))


def test_all_else_goes_as_before(client):
    client.register_plugin(bakeoff.integrations.dask(CODEC, Orders))

    assert ("[(1, 2)]", [(1, 2)]) == passed(client, plain)
    assert ("[(1, <class 'complex'>)]", [(1, complex)]) == passed(client, unwritable)


def test_a_damaged_frame_has_the_codecs_error():
    from distributed.protocol import deserialize, serialize

    bakeoff.integrations.dask(CODEC, Orders)
    header, frames = serialize(orders())

    assert [CODEC.encode([*orders()])] == frames
    with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
        deserialize(header, [b"\xc1"])


@pytest.mark.parametrize("wrong", [list, dict, set])
def test_python_s_own_classes_are_left_alone(wrong):
    with pytest.raises(bakeoff.CodecError, match="a subclass of list or dict, got "):
        bakeoff.integrations.dask(CODEC, wrong)
