"""Digits, units and ratios."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.reports.model import numbers
from bakeoff.reports.model.profiled import profile_lines


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (1.23456, 0.012, "1.23"),
        (1.23456, 0.4, "1.2"),
        (1.23456, 0.0001, "1.235"),
        (123456.7, 80.0, "123,457"),
        (12.3456, None, "12.3"),
        (0.0012345, 0.00001, "0.00123"),
        (0.0, None, "0"),
    ],
)
def test_digits_follow_the_interval(value, half, text):
    assert text == numbers.quantity(value, half)


@given(value=st.floats(1e-12, 1e12), share=st.floats(1e-6, 10))
def test_rounding_stays_inside_the_interval(value, share):
    shown = float(numbers.quantity(value, value * share).replace(",", ""))
    digit = 10.0 ** math.floor(math.log10(value))

    assert abs(shown - value) <= max(value * share, digit * 0.05) * 1.0001


@pytest.mark.parametrize(
    ("values", "unit", "name"),
    [
        ([2e-6, 800e-6, 3e-6], "second", "µs"),
        ([2e-9], "second", "ns"),
        ([2.0, 3.0], "second", "s"),
        ([5e-12], "second", "ns"),
        ([512], "byte", "B"),
        ([3 * 2**20, 5 * 2**20], "byte", "MiB"),
        ([], "second", "ns"),
        ([0.0], "byte", "B"),
    ],
)
def test_one_unit_for_a_column(values, unit, name):
    assert name == numbers.scale(values, unit)[1]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.254, "1.25×"), (0.0025, "0.0025×"), (9.999, "10.0×"), (86.5, "86.5×"), (269.1, "269×")],
)
def test_ratios(value, text):
    assert text == numbers.ratio(value)


@pytest.mark.parametrize(
    ("share", "text"), [(0.0123, "1.2%"), (0.0005, "<0.1%"), (0.5, "50%"), (0.0999, "10%"), (3.0, "300%")]
)
def test_percent(share, text):
    assert text == numbers.percent(share)


@pytest.mark.parametrize(
    ("limit", "column", "text"),
    [
        (65536, None, "<64 KiB"),
        (65536, (2.0**-10, "KiB"), "<64"),
        (65536, (2.0**-20, "MiB"), "<0.0625"),
        (65536, (2.0**-30, "GiB"), "<64 KiB"),
        (3 * 2**40, (2.0**-10, "KiB"), "<3,221,225,472"),
    ],
)
def test_limits_are_ordinary_numbers(limit, column, text):
    assert text == numbers.below(limit, "byte", column)


@pytest.mark.parametrize(("mean", "text"), [(1, "1 byte"), (1.25, "1.2 bytes"), (1_000, "1,000 bytes")])
def test_a_payload_has_one_byte_or_several(mean, text):
    assert text == numbers.payload(mean)


def test_a_profile_in_words():
    profile = {
        "bytes_mean": 1_234.5,
        "zlib_ratio": 2.51,
        "values_mean": 14.7,
        "depth_max": 3,
        "type_str": 0.75,
        "type_int": 0.25,
        "text_median": 12,
        "ascii_share": 0.995,
        "keys_distinct": 10,
        "key_share": 0.41,
        "key_other": 0.125,
        "list_median": 1_000,
        "record_other": 0.5,
        "objects": 0.0625,
        "unknown": "text",
    }

    assert {
        "bytes as JSON": "1,234.5 on average, zlib makes them 2.51 times smaller",
        "values": "14.7 a record, nested 3 deep",
        "types": "str 75.0%, int 25.0%",
        "texts": "12 characters (median), 99.5% of them ASCII",
        "keys": "10 distinct, 41.0% of the JSON, 12.5% of them not text",
        "lists": "1,000 items (median)",
        "rare": "50.0% of the records are not dicts, 6.25% of the values are objects of classes",
    } == dict(profile_lines(profile))


def test_a_profile_of_tiny_records_in_words():
    profile = {"bytes_mean": 7, "zlib_ratio": 0.47, "text_median": 1, "list_median": 1}

    assert {
        "bytes as JSON": "7 on average, zlib makes them 2.13 times larger",
        "texts": "1 character (median)",
        "lists": "1 item (median)",
    } == dict(profile_lines(profile))


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (257, "257 B"),
        (1_023, "1 KiB"),
        (1_500, "1.5 KiB"),
        (262_144, "256 KiB"),
        (2**20 - 1, "1 MiB"),
        (2**30, "1 GiB"),
        (5 * 2**40, "5,120 GiB"),
    ],
)
def test_sizes_in_round_numbers(size, text):
    assert text == numbers.bytes_said(size)
