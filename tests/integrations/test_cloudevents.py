"""Codecs in CloudEvents, by both of the SDK's interfaces."""

from __future__ import annotations

from importlib import import_module

import pytest

import bakeoff

DATA = {"n": 1, "b": b"\x00"}
ATTRIBUTES = {"id": "7", "type": "sold", "source": "shop", "specversion": "1.0"}
CODEC = bakeoff.codec("msgpack")


def event(data=DATA, **attributes):
    from cloudevents.core.v1.event import CloudEvent

    return CloudEvent({**ATTRIBUTES, "datacontenttype": CODEC.media_type, **attributes}, data)


@pytest.fixture(params=["kafka", "http", "amqp"])
def binding(request):
    return import_module(f"cloudevents.core.bindings.{request.param}")


def test_data_goes_both_ways_in_binary_mode(binding):
    form = bakeoff.integrations.cloudevents(CODEC)
    message = binding.to_binary(event(), form)

    found = binding.from_binary(message, form)

    assert (DATA, CODEC.media_type) == (found.get_data(), found.get_datacontenttype())
    assert CODEC.encode(DATA) in vars(message).values()


def test_data_goes_both_ways_in_structured_mode(binding):
    form = bakeoff.integrations.cloudevents(CODEC)

    found = binding.from_structured(binding.to_structured(event(), form), form)

    assert (DATA, CODEC.media_type) == (found.get_data(), found.get_datacontenttype())


@pytest.mark.parametrize("mode", ["binary", "structured"])
@pytest.mark.parametrize("media_type", [*CODEC.media_type_aliases, f"{CODEC.media_type}; charset=utf-8"])
@pytest.mark.parametrize("data", [DATA, 5, "53", []])
def test_types_that_are_read_are_written(binding, mode, media_type, data):
    """5, written by the SDK and read by the codec, was 53."""
    form = bakeoff.integrations.cloudevents(CODEC)
    write, read = getattr(binding, f"to_{mode}"), getattr(binding, f"from_{mode}")

    assert data == read(write(event(data, datacontenttype=media_type), form), form).get_data()


@pytest.mark.parametrize("mode", ["binary", "structured"])
def test_events_of_others_are_read_as_the_sdk_reads_them(binding, mode):
    """JSON and text of producers who have no codec."""
    from cloudevents.core.formats.json import JSONFormat

    for data, kind in (({"n": 1}, "application/json"), ("tea", "text/plain")):
        message = getattr(binding, f"to_{mode}")(event(data, datacontenttype=kind), JSONFormat())

        assert (
            data
            == getattr(binding, f"from_{mode}")(message, bakeoff.integrations.cloudevents(CODEC)).get_data()
        )


def test_a_poisoned_event_has_the_codecs_error(binding):
    from cloudevents.core.formats.json import JSONFormat

    message = binding.to_binary(event(b"\xc1"), JSONFormat())

    with pytest.raises(bakeoff.DecodeError, match="msgpack: "):
        binding.from_binary(message, bakeoff.integrations.cloudevents(CODEC))
