"""Arrays and frames: compared by type, dtype, shape, labels and values, and written by convention."""

from __future__ import annotations

import array
import dataclasses
import datetime as dt
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bakeoff
from bakeoff import codecs
from bakeoff.bench.equality.equal import differences, equal, first_difference
from bakeoff.bench.equality.losses import find_losses
from bakeoff.bench.worker.records import array_kinds, caches_text
from bakeoff.codecs import EncodeError
from bakeoff.codecs.conventions.arrays import kind_of
from hurried import HURRIED

np = pytest.importorskip("numpy", reason="missing here: numpy; pip install numpy")
pd = pytest.importorskip("pandas", reason="missing here: pandas; pip install pandas")
pl = pytest.importorskip("polars", reason="missing here: polars; pip install polars")

DTYPES = (
    "?", "i1", "u1", "<i4", ">i4", "i8", "u8", "f2", "<f4", ">f4", "f8", "g", "c8", "c16",
    "S3", "U3", "M8[D]", "M8[us]", "M8[ns]", "m8[s]", "m8[ns]",
)  # fmt: skip

FINE = "2024-01-02T03:04:05.123456789"

VALUES: dict[str, Any] = {
    **{f"array {dtype}": np.ones(3, "i8").astype(dtype) for dtype in DTYPES},
    "array V3": np.array([b"abc"], "V3"),
    "structured": np.array([(1, [2.5, np.nan], "x")], [("a", "i4"), ("b", "f8", (2,)), ("c", "U1")]),
    "nested records": np.array([((1,),)], [("a", [("b", "i4")])]),
    "objects": np.array([1, "a", None, dt.date(2024, 1, 1), float("nan")], object),
    "0-d": np.array(2.5),
    "empty": np.zeros((0, 3)),
    "strided": np.arange(10.0)[::2],
    "reversed": np.arange(10.0)[::-1],
    "Fortran": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "NaN": np.array([np.nan, np.inf, -0.0]),
    "NaT": np.array(["NaT", "2024"], "M8[s]"),
    "masked": np.ma.array([1, 2], mask=[True, False]),
    "int64": np.int64(5),
    "uint64": np.uint64(2**64 - 1),
    "float32": np.float32(0.1),
    "float64": np.float64(0.1),
    "NaN scalar": np.float32("nan"),
    "bool_": np.bool_(True),
    "str_": np.str_("é"),
    "datetime64": np.datetime64(FINE),
    "timedelta64": np.timedelta64(3, "ns"),
    "void": np.array([(1, 2.5)], "i4,f8")[0],
    "array.array": array.array("d", [1.5, float("nan")]),
    "Timestamp": pd.Timestamp(FINE, tz="Europe/Berlin"),
    "Timestamp s": pd.Timestamp("2024-01-02").as_unit("s"),
    "Timedelta": pd.Timedelta(1, "ns"),
    "pandas NaT": pd.NaT,
    "NA": pd.NA,
    "Period": pd.Period("2024-01"),
    "DataFrame": pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": pd.to_datetime(["2024", None])}),
    "labelled": pd.DataFrame({"a": [1.0, np.nan]}, index=pd.Index(["x", "y"], name="key")),
    "MultiIndex": pd.DataFrame({"a": [1, 2]}, index=pd.MultiIndex.from_tuples([("x", 1), ("y", 2)])),
    "Series": pd.Series([1, None], dtype="Int64", name="n"),
    "category": pd.Series(["a", "b", None], dtype="category"),
    "Index": pd.Index(["a", "b"]),
    "Categorical": pd.Categorical(["a", None]),
    "polars": pl.DataFrame({"a": [1, None], "b": [dt.datetime(2024, 1, 1), None], "c": [[1], []]}),
    "polars Series": pl.Series("s", [float("nan"), -0.0, None]),
    "polars ns": pl.Series([1, 1_000]).cast(pl.Datetime("ns")),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_copy_is_the_same(value: Any) -> None:
    record = {"v": value, "l": [value, {"x": (value,)}]}

    assert first_difference(value, pickle.loads(pickle.dumps(value, 5))) is None
    assert equal(record, pickle.loads(pickle.dumps(record, 5)), order=True)
    assert find_losses(record, pickle.loads(pickle.dumps(record, 5)), ()).wrong is None


@pytest.mark.parametrize(
    ("expected", "found", "words"),
    [
        (np.zeros(3), [0.0, 0.0, 0.0], "`ndarray` came back as `list` at `$.v`"),
        (np.zeros(3), np.zeros(3, "f4"), "`float64[3]` came back as `float32[3]` at `$.v`"),
        (np.zeros(3, ">f8"), np.zeros(3), "`>f8[3]` came back as `float64[3]` at `$.v`"),
        (np.zeros(3), np.zeros((3, 1)), "`float64[3]` came back as `float64[3,1]` at `$.v`"),
        (np.zeros((2, 2)), np.array([[0, 0], [1.0, 0]]), "`0.0` came back as `1.0` at `$.v[1][0]`"),
        (np.array([0.0]), np.array([-0.0]), "`0.0` came back as `-0.0` at `$.v[0]`"),
        (np.array([1j]), np.array([complex(-0.0, 1)]), "`1j` came back as `(-0+1j)` at `$.v[0]`"),
        (np.array([1, True], object), np.array([1, 1], object), "`True` came back as `1` at `$.v[1]`"),
        (np.float32(1), np.float64(1), "`float32` came back as `float64` at `$.v`"),
        (np.datetime64(1, "s"), np.datetime64(1, "ms"), "`datetime64[s] "),
        (np.array([(1, 2)], "i4,i4"), np.array([(1, 3)], "i4,i4"), "came back as `(1, 3)` at `$.v[0]`"),
        (np.array([(1, 2)], "i4,i4"), np.array([(1, 2)], [("a", "i4"), ("b", "i4")]), "`[('f0', '<i4')"),
        (
            np.ma.array([1, 2], mask=[True, False]),
            np.ma.array([1, 2], mask=[False, False]),
            "`None` came back as `1` at `$.v[0]`",
        ),
        (array.array("i", [1]), array.array("h", [1]), "`array('i')[1]` came back as `array('h')[1]`"),
        (array.array("d", [0.0]), array.array("d", [-0.0]), "`0.0` came back as `-0.0` at `$.v[0]`"),
        (pd.Timestamp(1, unit="ns"), pd.Timestamp(2, unit="ns"), "`Timestamp("),
        (pd.Timestamp("2024").as_unit("s"), pd.Timestamp("2024").as_unit("ns"), "`Timestamp("),
        (pd.Timedelta(1, "ns"), pd.Timedelta(2, "ns"), "`Timedelta("),
        (pd.NaT, None, "`NaTType` came back as `NoneType` at `$.v`"),
        (pd.Series([1]), pd.Series([1.0]), "`Series int64[1]` came back as `Series float64[1]` at `$.v`"),
        (pd.Series([1], name="a"), pd.Series([1], name="b"), "`the name 'a'` came back as `the name 'b'`"),
        (pd.Series([1], index=[1]), pd.Series([1], index=[2]), "`1` came back as `2` at `$.v.index[0]`"),
        (pd.DataFrame({"a": [1, 2]}), pd.DataFrame({"a": [1, 3]}), "`2` came back as `3` at `$.v.a[1]`"),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]}), "at `$.v.columns[0]`"),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": ["1"]}), "at `$.v.a`"),
        (pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1, 2]}), "came back as `DataFrame[2, 1]`"),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [2]}), "`1` came back as `2` at `$.v.a[0]`"),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1.0]}), "came back as `Series Float64[1]`"),
        (pl.Series([0.0]), pl.Series([-0.0]), "`0.0` came back as `-0.0` at `$.v[0]`"),
        (VALUES["polars ns"], pl.Series([1, 1_001]).cast(pl.Datetime("ns")), "`Series Datetime("),
        (pl.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]}), "at `$.v`"),
        (np.zeros(3), np.zeros(2), "`float64[3]` came back as `float64[2]` at `$.v`"),
        (array.array("i", [1, 2]), array.array("i", [1]), "`array('i')[2]` came back as `array('i')[1]`"),
        (pd.Series([1, 2]), pd.Series([1]), "`Series int64[2]` came back as `Series int64[1]` at `$.v`"),
        (pd.Index([1, 2]), pd.Index([1]), "`Index int64[2]` came back as `Index int64[1]` at `$.v`"),
        (pd.array([1, None]), pd.array([1]), "at `$.v`"),
        (pl.Series([1, 2]), pl.Series([1]), "`Series Int64[2]` came back as `Series Int64[1]` at `$.v`"),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1, 2]}), "came back as `DataFrame[2, 1]` at `$.v`"),
        (pl.DataFrame({"a": [1]}), pl.DataFrame({"b": [1]}), "`columns 'a'` came back as `columns 'b'`"),
        (pl.Series("a", [1]), pl.Series("b", [1]), "`the name 'a'` came back as `the name 'b'` at `$.v`"),
    ],
)  # fmt: skip
def test_a_difference_is_named(expected: Any, found: Any, words: str) -> None:
    (difference,) = differences({"v": expected}, {"v": found})

    assert words in str(difference)
    if type(found) is not list and found is not None:
        assert words in str(find_losses({"v": expected}, {"v": found}, ()).wrong)


def test_values_in_sets_and_keys_are_compared() -> None:
    """Where `==` alone would take one scalar for another."""
    assert equal({np.float32("nan"): 1, pd.NaT: 2}, {np.float32("nan"): 1, pd.NaT: 2})
    assert not equal({np.int64(1)}, {np.int32(1)})
    assert not equal({np.int64(1): 1}, {1: 1})


CARRIERS = [name for name in codecs.available() if name != "marshal"]


@dataclasses.dataclass(frozen=True)
class Tagged:
    """Hashable whatever it holds."""

    name: str
    held: Any = dataclasses.field(hash=False)


@pytest.mark.parametrize(
    ("held", "other"),
    [
        (np.array([1, 2]), np.array([1, 3])),
        (np.arange(5_000), np.arange(5_000) % 4_000),
        (np.array([1, 2], "i4"), np.array([1, 2], "i8")),
        (np.array([[1, 2]]), np.array([1, 2])),
        (array.array("i", [1]), array.array("i", [2])),
        (array.array("i", [1]), array.array("l", [1])),
        (np.float32(0.5), np.float32(0.25)),
        (np.float32(0.5), np.float64(0.5)),
        (pd.Timestamp("2024-01-01").as_unit("s"), pd.Timestamp("2024-01-01").as_unit("ns")),
        (pd.Series([1, 2]), pd.Series([1, 3])),
        (pl.Series("a", [1]), pl.Series("b", [1])),
    ],
)
def test_what_items_of_sets_and_keys_hold_is_compared(held: Any, other: Any) -> None:
    tagged, same, different = (
        Tagged("x", value) for value in (held, pickle.loads(pickle.dumps(held)), other)
    )

    for of in (lambda item: {item}, lambda item: {item: 1}, lambda item: frozenset([("y", item)])):
        assert equal(of(tagged), of(same))
        assert not equal(of(tagged), of(different))


@pytest.mark.parametrize("name", CARRIERS)
def test_every_codec_writes_what_they_hold(name: str) -> None:
    codec = bakeoff.codec(name, trusted=True)
    for kind, value in VALUES.items():
        record = {"v": value, "l": [value]}
        try:
            payload = codec.encode(record)
        except EncodeError as error:
            if "complex" not in error.reason:
                raise
            continue

        wrong = find_losses(record, codec.decode(payload), codec.preserves, codec.losses).wrong
        dtype = getattr(value, "dtype", None)
        # numpy itself turns the bytes around, and orjson says in its notes what it does to nanoseconds.
        turned = name in ("pickle/2", "dill") and getattr(dtype, "byteorder", "") == ">"
        cut = name == "orjson/numpy" and dtype == "M8[ns]"
        assert (wrong is not None) is (turned or cut), kind


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.float32(0.5), 0.5),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (np.array(3.5), 3.5),
        (np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), [{"a": 1, "b": 2.5}]),
        (np.array(["2024-01-02T03:04:05", "NaT"], "M8[ns]"), ["2024-01-02T03:04:05", None]),
        (np.array([FINE, "2024"], "M8[ns]"), [FINE, "2024-01-01T00:00:00.000000000"]),
        (np.datetime64("20240-01-01"), "20240-01-01"),
        (np.timedelta64(1, "ns"), "PT0.000000001S"),
        (np.timedelta64(-90_000_000_000_001, "ns"), "-P1DT3600.000000001S"),
        (np.timedelta64(3, "Y"), "P3Y"),
        (np.timedelta64(2**63 - 1, "us"), "P106751991DT14454.775807S"),
        (np.timedelta64(100_000_000_000_000_000, "ms"), "P1157407407DT35200S"),
        (np.timedelta64(100_000_000_000_000, "s"), "P1157407407DT35200S"),
        (np.timedelta64(1_666_666_666_667, "m"), "P1157407407DT35220S"),
        (np.timedelta64(27_777_777_778, "h"), "P1157407407DT36000S"),
        (np.timedelta64(1_157_407_407, "D"), "P1157407407DT0S"),
        (np.timedelta64(165_343_915, "W"), "P1157407405DT0S"),
        (np.ma.array([1, 2], mask=[True, False]), [None, 2]),
        (array.array("h", [1, 2]), [1, 2]),
        (pd.Timestamp(FINE), FINE),
        (pd.Timestamp("2024-01-02 03:04:05", tz="UTC"), "2024-01-02T03:04:05+00:00"),
        (pd.Timedelta("1s"), "PT1S"),
        (pd.Timedelta(1, "ns"), "PT0.000000001S"),
        (pd.NaT, None),
        (pd.NA, None),
        (VALUES["DataFrame"], {"a": [1, 2], "b": ["x", None], "c": ["2024-01-01T00:00:00", None]}),
        (VALUES["labelled"].fillna(2), {"key": ["x", "y"], "a": [1.0, 2.0]}),
        (pd.Series([1, None], dtype="Int64"), [1, None]),
        (pl.DataFrame({"a": [1, None]}), {"a": [1, None]}),
        (VALUES["polars ns"], ["1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000001000"]),
        ({np.int64(3): 1, pd.Timestamp("2024-01-02"): 2}, {"3": 1, "2024-01-02T00:00:00": 2}),
    ],
)
def test_what_is_written(value: Any, written: Any) -> None:
    codec = bakeoff.codec("json")

    assert written == codec.decode(codec.encode({"v": value}))["v"]


@pytest.mark.parametrize(
    "value", [np.array([1j]), np.clongdouble(1j), np.longdouble(1) + np.finfo("g").eps], ids=str
)
@pytest.mark.parametrize("name", ["json", "orjson", "msgpack", "bson", "cbor2", "yaml"])
def test_what_no_format_holds_is_refused(name: str, value: Any) -> None:
    with pytest.raises(EncodeError):
        bakeoff.codec(name).encode({"v": value, "w": np.longdouble(1) / 3})


def test_columns_of_one_name_are_refused() -> None:
    """A dict would keep one of them."""
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])

    with pytest.raises(EncodeError, match="two columns"):
        bakeoff.codec("json").encode(frame)


@given(st.lists(st.floats(width=32, allow_nan=False)))
def test_float32_may_be_written_short(values: list[float]) -> None:
    """orjson writes the shortest text of a float32; read as a float64 that is another number."""
    short = [float(str(np.float32(value))) for value in values]

    assert find_losses({"v": np.array(values, "f4")}, {"v": short}, {"list", "float", "dict"}).wrong is None


def test_a_rounded_value_that_is_another_one_is_wrong() -> None:
    assert find_losses([np.array([0.1], "f4")], [[0.11]], {"list", "float"}).wrong is not None
    assert find_losses([np.float32(0.1)], [0.11], {"list", "float"}).wrong is not None


@pytest.mark.slow
def test_no_library_is_imported_for_plain_records() -> None:
    program = (
        "import bakeoff, datetime, decimal, sys\n"
        "from bakeoff.bench.equality.losses import find_losses\n"
        "record = {'t': datetime.datetime.now(), 'd': decimal.Decimal(1), 's': {1}}\n"
        "codec = bakeoff.codec('json')\n"
        "find_losses(record, codec.decode(codec.encode(record)), codec.preserves, codec.losses)\n"
        "print(sorted({'numpy', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "[]\n" == run.stdout


def test_views_of_a_payload_are_not_copied() -> None:
    codec = bakeoff.codec("pickle/buffers", trusted=True)
    record = {"a": np.arange(5, dtype="i1"), "b": np.arange(1_000.0), "c": pd.DataFrame(np.ones((50, 3)))}
    payload = codec.encode(record)

    found = codec.decode(payload)

    whole = np.frombuffer(payload, "u1")
    assert equal(record, found)
    assert all(np.shares_memory(whole, value) for value in (found["a"], found["b"], found["c"].to_numpy()))
    assert found["b"].flags.aligned
    assert not found["b"].flags.writeable


def test_a_record_without_arrays_is_a_plain_pickle() -> None:
    codec = bakeoff.codec("pickle/buffers", trusted=True)

    assert codec.encode([1, "a"]) == pickle.dumps([1, "a"], 5)
    with pytest.raises(codecs.DecodeError, match="data after"):
        codec.decode(pickle.dumps(1, 5) + b"x")


@given(st.data())
def test_a_damaged_payload_is_refused(data: st.DataObject) -> None:
    codec = bakeoff.codec("pickle/buffers", trusted=True)
    payload = bytearray(codec.encode([np.arange(3.0), np.arange(4)]))
    place = data.draw(st.integers(4, 31))
    payload[place] ^= data.draw(st.integers(1, 255))

    with pytest.raises(codecs.DecodeError):
        codec.decode(bytes(payload))
    with pytest.raises(codecs.DecodeError):
        codec.decode(codec.encode([np.arange(3.0)])[: data.draw(st.integers(4, 60))])


def test_pickles_with_buffers_are_for_trusted_data() -> None:
    payload = bakeoff.codec("pickle/buffers").encode([np.arange(3)])

    with pytest.raises(codecs.DecodeError, match="trusted=True"):
        bakeoff.codec("pickle/buffers").decode(payload)


def _map_of(**parts: Any) -> bytes:
    import msgpack

    whole = {"nd": True, "type": "<f8", "kind": b"", "shape": [1], "data": bytes(8)} | parts
    packed: bytes = msgpack.packb({key.encode(): value for key, value in whole.items()})
    return packed


class Bomb:
    def __reduce__(self) -> Any:
        return exec, ("raise SystemExit('unpickled')",)


@pytest.mark.parametrize(
    "payload",
    [
        _map_of(kind=b"O", data=pickle.dumps(Bomb())),
        _map_of(kind=b"O", type=[["", "|O"]], data=pickle.dumps(Bomb())),
        _map_of(type="|O", data=bytes(8)),
        _map_of(kind=b"V", type=[["a", "|O"]], data=bytes(8)),
        _map_of(nd=False, type="|O"),
        _map_of(shape=[2]),
        _map_of(shape=[0]),
        _map_of(shape=[-1]),
        _map_of(shape=[2**62, 4]),
        _map_of(shape=["1"]),
        _map_of(data="text"),
        _map_of(data=bytes(9)),
        _map_of(type="nothing"),
        _map_of(type="i4," * 100_000),
        _map_of(type=5),
        _map_of(kind=b"V", type=[[1]]),
    ],
)
def test_an_array_of_a_stranger_is_not_unpickled(payload: bytes) -> None:
    with pytest.raises(codecs.DecodeError):
        bakeoff.codec("msgpack/numpy").decode(payload)


def test_a_message_of_zmq_has_a_frame_for_each_array() -> None:
    pytest.importorskip("zmq", reason="missing here: pyzmq; pip install pyzmq")
    codec = bakeoff.codec("pickle/buffers", trusted=True)
    integration, value = bakeoff.integrations.zmq(codec), np.arange(1_000.0)

    frames = integration.encode({"a": value})
    found = integration.decode(frames)["a"]

    assert 2 == len(frames)
    assert np.shares_memory(np.frombuffer(frames[1], "u1"), value)
    assert np.shares_memory(found, value)
    with pytest.raises(codecs.DecodeError, match="trusted=True"):
        bakeoff.integrations.zmq(bakeoff.codec("pickle/buffers")).decode([frames[0]])
    with pytest.raises(codecs.LimitError):
        bakeoff.integrations.zmq(codec.with_limits(size=100)).decode(frames)
    with pytest.raises(codecs.DecodeError):
        integration.decode(frames[:1])


@pytest.mark.parametrize(
    ("name", "frame"),
    [
        ("arrow/pandas", VALUES["DataFrame"]),
        ("arrow/pandas", VALUES["labelled"]),
        ("arrow/pandas", VALUES["MultiIndex"]),
        ("arrow/pandas", pd.DataFrame({"c": pd.Categorical(["x", None]), "i": pd.array([1, None], "Int64")})),
        ("arrow/pandas", pd.DataFrame({"t": pd.to_datetime(["2024"]).tz_localize("Europe/Berlin")})),
        ("arrow/polars", VALUES["polars"]),
        ("arrow/polars", pl.DataFrame({"c": pl.Series(["a"], dtype=pl.Categorical), "t": [dt.time(1)]})),
        ("arrow/polars", pl.DataFrame({"n": VALUES["polars ns"], "f": [0.5, None]})),
    ],
)
def test_frames_come_back_out_of_arrow(name: str, frame: Any) -> None:
    codec = bakeoff.codec(name)
    payload = codec.encode(frame)

    assert first_difference(frame, codec.decode(payload)) is None
    for other in ({"a": 1}, [frame], pa_table(frame)):
        with pytest.raises(EncodeError, match="expected a DataFrame of"):
            codec.encode(other)
    for broken in (payload[:-1], payload + b"x", payload[:40], b"x" * 100):
        with pytest.raises(codecs.DecodeError):
            codec.decode(broken)
    with pytest.raises(codecs.LimitError):
        codec.with_limits(items=1).decode(codec.encode(type(frame)({"a": [1, 2, 3]})))


def pa_table(frame: Any) -> Any:
    import pyarrow

    return pyarrow.table({"a": list(range(len(frame)))})


@pytest.mark.parametrize("name", ["arrow/pandas", "arrow/polars"])
@given(data=st.data())
def test_a_damaged_arrow_payload_is_refused_or_a_frame(name: str, data: st.DataObject) -> None:
    codec = bakeoff.codec(name)
    library = pd if name == "arrow/pandas" else pl
    payload = bytearray(codec.encode(library.DataFrame({"a": [1, 2], "b": ["x", "yz"], "c": [0.5, None]})))
    payload[data.draw(st.integers(0, len(payload) - 1))] ^= data.draw(st.integers(1, 255))

    try:
        codec.decode(bytes(payload))
    except codecs.DecodeError:
        pass


def test_codecs_for_frames_alone_are_listed_where_these_are_asked_for() -> None:
    """They carry no other records, so that nothing is to try them on all."""
    frames = {"arrow/pandas", "arrow/polars"}

    assert not frames & set(codecs.names(needs_schema=True))
    assert frames <= set(codecs.names(only_values=True))
    assert ["arrow/pandas"] == codecs.select(["arrow/pandas"])
    assert frames & set(codecs.specialists(["polars.DataFrame"])) == {"arrow/polars"}


@pytest.mark.parametrize(
    ("value", "caches"),
    [
        (np.zeros(2), False),
        (np.array(["é"]), False),
        (np.array(["é", 1], object), True),
        (pd.DataFrame({"a": [1]}), False),
        (pd.DataFrame({"a": ["é"]}, dtype=object), True),
        (pd.Series([1.5]), False),
        (pd.Index(["é"], dtype=object), True),
        (pl.DataFrame({"a": ["é"]}), False),
        (array.array("d", [1]), False),
        (np.int64(1), False),
        (pd.Timestamp("2024"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_objects_keep_what_encoders_ask_for(value: Any, caches: bool) -> None:
    """Other records need not be made again before each dump."""
    assert caches_text({"v": [value]}) is caches
    assert (kind_of(type(value)),) == array_kinds([{"v": [value]}])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "joined"),
    [
        ("{'id': n, 'vec': numpy.full(3, n / 7)}", {"orjson/numpy", "msgpack/numpy", "pickle/buffers"}),
        ("{'id': n, 'vec': [n / 7]}", set()),
    ],
)
def test_codecs_for_arrays_join_a_run_of_records_with_arrays(
    rows: str, joined: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bakeoff.bench.run.options import Options
    from bakeoff.bench.run.session import Session

    (tmp_path / f"held_{len(joined)}.py").write_text(
        f"import numpy\ndef rows():\n    return ({rows} for n in range(20))\n"
    )
    monkeypatch.chdir(tmp_path)
    options = Options((f"held_{len(joined)}:rows",), ("json", "pickle"), operations=("size",), budget=20.0)

    for joining, expected in ((tuple(codecs.specialists()), joined), ((), set())):
        output = tmp_path / f"{len(joining)}.json"
        result = Session(dataclasses.replace(options, joining=joining), output, pace=HURRIED).run()

        assert {"json", "pickle"} | expected == {cell.cell.codec for cell in result.cells}
        assert all(cell.outcome in ("ok", "lossy") for cell in result.cells), result.cells
