# cython: language_level=3, embedsignature=True, embedsignature.format=clinic, binding=False, auto_pickle=False
"""The compiled part of `Codec`: a thin, immutable shell around a library's own callables.

Budget: 10 ns a call in addition to the raw library call, including error mapping, and 3 % of that call for all
checks of a payload of 1.5 KB. A check that costs more is a policy, or is declared with its codec (`guards`).
The directive ``binding`` is off, because calls of methods would take 3 ns more.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Check, PyDict_CheckExact
from cpython.exc cimport PyErr_Occurred
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8String, PyUnicode_DecodeUTF8

from ..safety._scan cimport (
    DEEPEST, DEEPER, UNSAFE, at_most_t, bounder, container_key, deeper, deeper_t, end_t, finder, held_t, leveler,
    levels_t,
)
from .._stack cimport RESERVE, stack_left
from ..safety._walk cimport Rules, check_record

from ...errors import BakeoffError, SchemaError
from .._stack import call_with_stack
from ..binding import Bound
from ..errors import (
    CodecError, DecodeError, EncodeError, LimitError, MissingField, PolicyError, TooMuchError,
)
from ..limits import DEFAULT_DEPTH
from ..safety.policies import held as content_of
from ..spec import Spec

from libc.string cimport memcmp

cdef extern from "Python.h":
    Py_ssize_t PY_SSIZE_T_MAX
    int PyUnicode_CheckExact(object text)
    bint bytes_exactly "PyBytes_CheckExact"(PyObject *made) noexcept

cdef extern from *:
    """
    /* Have the hash of new bytes computed when it is first needed. The field is deprecated for others. */
    static inline void bakeoff_forget_hash(PyObject *made) {
        _Py_COMP_DIAG_PUSH
        _Py_COMP_DIAG_IGNORE_DEPR_DECLS
        ((PyBytesObject *)made)->ob_shash = -1;
        _Py_COMP_DIAG_POP
    }
    """
    void forget_hash "bakeoff_forget_hash"(PyObject *made) noexcept

cdef extern from *:
    """
    /* Return whether JSON has a text such as "01:02:03.45678", of a time whose fraction has five digits. */
    static int bakeoff_has_short_time(PyObject *payload) {
        const char *begin = PyBytes_AS_STRING(payload), *end = begin + PyBytes_GET_SIZE(payload), *at = begin;
        while ((at = (const char *)memchr(at, '.', end - at)) != NULL) {
            if (at - begin >= 9 && end - at >= 7 && at[6] == '"' && at[-9] == '"' && at[-6] == ':' && at[-3] == ':')
                return 1;
            at++;
        }
        return 0;
    }
    """
    bint has_short_time "bakeoff_has_short_time"(PyObject *payload) noexcept

cdef extern from *:
    """
    #ifdef _MSC_VER
    static __declspec(thread) int bakeoff_doubted;
    #else
    static _Thread_local int bakeoff_doubted;
    #endif
    """
    bint doubted "bakeoff_doubted"

cdef extern from *:
    """
    /* Levels of C calls after which the interpreter refuses the next: before 3.12 this is the recursion limit, then
       a constant, which since 3.14 is no more needed, as it watches the stack itself. A library may count by the
       recursion limit on its own. */
    static inline Py_ssize_t bakeoff_interpreter_levels(void) {
        Py_ssize_t levels = Py_GetRecursionLimit();
    #if PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030E0000
    #ifdef Py_C_RECURSION_LIMIT
        if (levels < Py_C_RECURSION_LIMIT) levels = Py_C_RECURSION_LIMIT;
    #else
        if (levels < C_RECURSION_LIMIT) levels = C_RECURSION_LIMIT;
    #endif
    #endif
        return levels;
    }
    """
    Py_ssize_t interpreter_levels "bakeoff_interpreter_levels"() noexcept

cdef enum:
    # Within this much stack, every library reaches its own limit of depth and stops.
    STACK = 768 * 1024
    # The same for those that stop where the interpreter does. Of JSON, msgspec takes up to 410 bytes, simplejson 160,
    # json 130 and rapidjson 50 (CPython 3.11 and 3.13, x86-64).
    INTERPRETER_LEVEL = 640
    # A record with this many values, and one more for so many bytes of its payload, is looked through faster than
    # the payload.
    FEW = 16
    SPARSE = 256
    # Encoders keep a buffer as large as their largest payload. They are not kept after a larger one than this.
    POOLED = 1024 * 1024
    # A payload of up to this many bytes has too few keys to take long, whatever their hashes.
    FEW_KEYS = 16 * 1024
    # Bytes that any payload may decompress to (`streams.compression.FREE`).
    FREE = 1024 * 1024
    # Levels of a record that are looked at, where nothing limits them but the stack.
    GREATEST = 1 << 30

LEAST = {"json": 2, "bson": 7}
"""Minimum bytes of a nesting level, for formats in which it is more than one."""

JSON_TYPES = frozenset({str, int, float, bool, type(None)})
"""Types that JSON has, in addition to lists and dicts of them."""
PLAIN = JSON_TYPES | {bytes}
"""Types that every library writes without recursion, in addition to lists and dicts of them."""

include "_call.pxi"
include "_records.pxi"
include "_peek.pxi"


cdef inline Py_ssize_t _end(end_t find, bytes data, held_t *held) noexcept:
    held.values, held.containers, held.tagged, held.shared = 0, 0, False, False
    return find(<const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), held)


def _unmade(subject):
    raise ValueError("not made: a subclass that has an __init__ calls super().__init__(...)")


UNMADE = Spec.of(encode=_unmade, decode=_unmade)


cdef class Core:
    """The compiled part of `Codec`: its calls, and the mapping of errors.

    Attributes:
        spec: All options of the codec.
    """

    cdef readonly object spec
    cdef readonly str name
    cdef object __weakref__

    # What was asked for.
    cdef readonly object schema
    cdef readonly object bound
    cdef readonly object compression
    cdef readonly object limits

    # How is a record written, and a payload read?
    cdef _Call _encode
    cdef _Call _decode
    # Without the options for payloads with tags, which most have not.
    cdef _Call _decode_untagged
    cdef object _decode_again
    cdef object _lower
    # Types that the library writes as they are; None if every one.
    cdef object _scan
    # Rewrites what the library would write otherwise; None if there is nothing.
    cdef object _exact
    cdef object _pool_factory
    cdef object _spare
    cdef object _compress
    cdef object _decompress
    cdef str _wrap
    cdef bytes _wrapper
    cdef object _subclass
    cdef bint _text
    cdef bint _is_text
    cdef bint _unhashed
    cdef bint _short_times
    cdef readonly object _fix

    # May the call take a short way? Quick: only checks, and the library's call.
    cdef bint _quick_encode
    cdef bint _quick_decode
    cdef bint _plain_encode
    cdef bint _plain_decode
    # Only plain objects do: nesting is checked, or the library writes some values otherwise.
    cdef bint _inspects

    # Up to how many bytes does a payload need no check: none at all, ...
    cdef Py_ssize_t _check_free_size
    # ... none but that of nesting, ...
    cdef Py_ssize_t _nesting_only_size
    # ... none of nesting, ...
    cdef Py_ssize_t _nesting_free_size
    # ... none of the number of values and keys, if it is not compressed, ...
    cdef Py_ssize_t _contents_free_size
    # ... none of the lengths of texts and integers in its record, ...
    cdef Py_ssize_t _texts_free_size
    # ... and none of whether `decode` will accept what was written, if it is not compressed?
    cdef Py_ssize_t _write_free_size

    # How much may a payload be, or hold?
    cdef Py_ssize_t _most_bytes
    cdef Py_ssize_t _most_items
    cdef object _most_decompressed
    cdef object _ratio
    cdef Py_ssize_t _deepest
    # Most levels of a record that is encoded; 0: not checked.
    cdef int _encode_depth
    # Levels that need neither a check nor a split: at most `_encode_depth`, if that is checked.
    cdef int _shallow
    # Maximum depth of a decoded record, which a walk checks if the payload cannot be checked; 0 without a walk.
    cdef int _walked_depth
    cdef bint _bounds_depth
    cdef bint _empty
    cdef bint _untrusted

    # Does the library itself stop before its stack ends: always, or where the interpreter does?
    cdef bint _stops_itself
    cdef bint _stops_as_interpreter
    # Most bytes of stack that the library takes for a level.
    cdef Py_ssize_t _level
    cdef tuple _too_deep

    # What looks through payloads and records?
    cdef deeper_t _is_deeper
    cdef end_t _count
    cdef at_most_t _count_at_most
    cdef end_t _find_end
    # The same for the codec's own format, within the limit of depth.
    cdef levels_t _levels
    cdef object _check_keys
    cdef object _check_payload
    cdef bytes _shared
    cdef bint _may_share
    cdef bint _plain_keys
    cdef object _split
    cdef object _inside
    cdef Rules _record_rules
    cdef Rules _write_rules
    cdef Rules _dump_rules
    cdef readonly Rules _load_rules
    # Bytes of payloads that are decoded before they are returned; None: no such payloads.
    cdef tuple _suspect

    # Which objects are refused?
    cdef bint _refuses
    cdef bint _no_dicts
    cdef object _only
    # The last class of objects that were of that class: `isinstance` takes longer than small records.
    cdef object _last_class
    cdef str _refusal

    # Where is a field?
    cdef str _walks
    cdef dict _paths

    cdef object _sampler
    # The same codec without the sampler, which keeps whole records only.
    cdef Core _unsampled
    # Records until the next one is kept.
    cdef Py_ssize_t _gap

    def __cinit__(self, *_arguments, **_options):
        # Defaults that calls need if `__init__` is never called.
        self._encode = self._decode = self._decode_untagged = _Call(_unmade, (), {})
        self._plain_encode = self._plain_decode = True
        self.spec, self.name, self._too_deep, self._check_free_size = UNMADE, type(self).__name__, (), PY_SSIZE_T_MAX
        self._level = UNMADE.guards.level

    def _make(self, spec):
        """Initialize the codec from a `Spec`, once."""
        # Compare names: a sandbox that imports modules again, such as Temporal's, has another class `Spec`.
        if type(spec).__name__ != "Spec":
            raise TypeError(f"expected a Spec, got {type(spec).__name__}")
        if self.spec is not UNMADE:
            raise ValueError(f"codec {self.name}: made already; with_limits and similar methods return another")
        _build(self, spec)

    # encode -----------------------------------------------------------------------------------

    def encode(self, obj, ctx=None, /):
        """Return the payload of one record as bytes.

        Args:
            obj: The record.
            ctx: Kafka's context, which Confluent's client passes. With one, None is returned for None, which
                deletes a key; it has no other effect.

        Raises:
            EncodeError: The format cannot represent the object, it is nested too deeply, or it would be written
                in a form that the schema does not read.
        """
        cdef PyObject *result
        if ctx is not None and obj is None:
            return None
        if self._quick_encode and stack_left() >= STACK and (
            not self._inspects or _is_shallow(<PyObject *>obj, self._shallow, PY_SSIZE_T_MAX)
        ) and (self._scan is None or _is_json(<PyObject *>obj, DEFAULT_DEPTH)):
            result = _raw_call(self._encode, obj)
            if result is not NULL and bytes_exactly(result):
                if self._unhashed:
                    forget_hash(result)
                payload = _owned(result)
                if self._suspect is not None:
                    self._read_again(payload, self._suspect)
                if PyBytes_GET_SIZE(payload) > self._write_free_size:
                    self._refuse_unreadable(obj, payload)
                return self._encode_rewritten(obj) if self._is_wrong(payload) else payload
            return self._finish(obj, result)
        return self._encode_slowly(obj)

    cdef inline bint _is_wrong(self, payload) noexcept:
        """Return whether the library may have written a `time` without a zero."""
        return self._short_times and PyBytes_CheckExact(payload) and has_short_time(<PyObject *>payload)

    cdef object _encode_rewritten(self, obj):
        """Encode the object rewritten by the conventions."""
        try:
            return self._as_bytes(_call(self._encode, self._lower(obj)))
        except BaseException as error:
            return self._encode_again(obj, error)

    cdef object _encode_slowly(self, obj):
        cdef object payload
        if stack_left() < STACK and not _only(obj, PLAIN, (stack_left() - RESERVE) // self._level):
            try:
                return call_with_stack(Core.encode, self, obj)
            except RuntimeError as error:
                raise EncodeError(self.name, _sentence(error)) from error
        if self._refuses:
            self._refuse(obj)
        if self._exact is not None and not _is_shallow(<PyObject *>obj, self._shallow, PY_SSIZE_T_MAX):
            try:
                obj = self._exact(obj)
            except BaseException as error:
                raise self._encode_error(error)
        if self._plain_encode:
            return self._finish(obj, _raw_call(self._encode, obj if self._wrap is None else self._wrapped(obj)))
        try:
            payload = self._encode_guarded(obj)
        except BaseException as error:
            payload = self._encode_again(obj, error)
        payload = self._as_bytes(payload)
        if self._compress is None and PyBytes_CheckExact(payload) and PyBytes_GET_SIZE(payload) > self._write_free_size:
            self._refuse_unreadable(obj, payload)
        if self._sampler is not None:
            self._count_down(obj)
        return payload

    cdef object _finish(self, obj, PyObject *result):
        """Convert the library's result, a new reference, to bytes. If it is NULL, handle the error."""
        payload = self._as_bytes(self._encode_failed(obj) if result is NULL else _owned(result))
        if self._suspect is not None:
            self._read_again(payload, self._suspect)
        if PyBytes_CheckExact(payload) and PyBytes_GET_SIZE(payload) > self._write_free_size:
            self._refuse_unreadable(obj, payload)
        return self._encode_rewritten(obj) if self._is_wrong(payload) else payload

    cdef object _compressed(self, obj, bytes plain):
        """Return a compressed payload that `decode` accepts."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(plain)
        if size > self._write_free_size:
            self._refuse_unreadable(obj, plain)
        payload = self._compress(plain)
        if len(payload) > self._most_bytes:
            raise self._too_large(len(payload), self._most_bytes)
        if size > FREE and size > self._ratio * len(payload):
            raise EncodeError(
                self.name, f"{size:,} bytes compress to {len(payload):,}, more than the limit of {self._ratio:,} times "
                           f"for reading (see with_limits, ratio)"
            )
        return payload

    def _too_large(self, size, most):
        return EncodeError(
            self.name, f"payload of {size:,} bytes, more than the limit of {most:,} for reading (see with_limits)"
        )

    cdef int _refuse_unreadable(self, obj, bytes payload) except -1:
        """Refuse an uncompressed payload that exceeds the limits of `decode`: the reader's by default, too."""
        cdef held_t held
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef Py_ssize_t most = self._most_bytes if self._compress is None else self._most_decompressed
        if size > most:
            raise self._too_large(size, most)
        if self._count_at_most is not NULL and self._count_at_most(
            <const unsigned char *>PyBytes_AS_STRING(payload), size, self._most_items
        ) <= <size_t>self._most_items:
            return 0
        if self._count is not NULL and _end(self._count, payload, &held) >= 0:
            if held.values > self._most_items:
                raise EncodeError(
                    self.name, f"holds {held.values:,} values, more than the limit of {self._most_items:,} for reading "
                               f"(see with_limits)"
                )
            if self.spec.guards.bounded is None:
                return 0
        try:
            if self.bound is not None and self.bound.give is not None:
                self.decode(payload)  # The library's object does not show its values.
            else:
                check_record(obj, self._write_rules)
        except LimitError as error:
            raise EncodeError(self.name, error.reason) from error
        except TooMuchError as error:
            raise EncodeError(self.name, f"holds {error}, the limit for reading (see with_limits)") from error
        return 0

    cdef int _read_again(self, payload, tuple suspect) except -1:
        """Refuse a payload that the library wrote, but does not read; it has one of the bytes if so."""
        if not any([part in payload for part in suspect]):
            return 0
        try:
            _call(self._decode, payload)
        except BaseException as error:
            if not _is_ours(error):
                raise
            raise EncodeError(self.name, f"would be refused when it is decoded: {_sentence(error)}") from error
        return 0

    cdef object _as_bytes(self, payload):
        if PyUnicode_CheckExact(payload):
            try:
                return PyUnicode_AsUTF8String(payload)
            except UnicodeEncodeError as error:
                raise EncodeError(self.name, f"text cannot be stored as UTF-8: {error}") from error
        if self._unhashed and PyBytes_CheckExact(payload):
            forget_hash(<PyObject *>payload)
        return payload

    cdef object _encode_guarded(self, obj):
        if self._dump_rules is not None:
            check_record(obj, self._dump_rules)
        if self._wrap is not None:
            obj = self._wrapped(obj)
        if self._encode_depth and not _is_shallow(<PyObject *>obj, self._shallow, PY_SSIZE_T_MAX):
            _check_depth(obj, self._encode_depth, self._inside)
            if self._split is not None:
                obj = self._split(obj)
        if self._scan is not None and not _only(obj, self._scan, DEFAULT_DEPTH):
            obj = self._lower(obj)
        cdef object payload
        if self._pool_factory is not None:
            # Take the encoder, so that neither another thread nor a hook in this one uses it at the same time.
            encoder, self._spare = self._spare, None
            if encoder is None:
                encoder = self._pool_factory()
            # An encoder that raised an error may contain half a payload, so it is not put back.
            payload = self._pooled(encoder, obj)
            if not PyBytes_CheckExact(payload) or PyBytes_GET_SIZE(payload) <= POOLED:
                self._spare = encoder
        else:
            payload = _call(self._encode, obj)
            if self._is_wrong(payload):
                payload = _call(self._encode, self._lower(obj))
        if self._compress is not None:
            payload = self._compressed(obj, PyUnicode_AsUTF8String(payload) if isinstance(payload, str) else payload)
        return payload

    cdef object _pooled(self, encoder, obj):
        global doubted
        # An object's own code may encode, too: what the call around this one has doubted stays so.
        cdef bint before = doubted
        doubted = False
        try:
            payload = encoder(obj)
            if doubted and self._plain_keys and container_key(payload):
                raise TypeError("a container as a dict key cannot be decoded")
            return payload
        finally:
            doubted = before

    cdef int _refuse(self, obj) except -1:
        if self._no_dicts and PyDict_Check(obj):
            raise EncodeError(self.name, "a dict cannot be decoded again; convert it with codec.bound.take(record)")
        if self._only is not None and type(obj) is not self._last_class:
            if not isinstance(obj, self._only):
                name = type(obj).__name__
                raise EncodeError(
                    self.name, f"an object of {name} cannot be decoded again; convert it with codec.bound.take(record)"
                )
            self._last_class = type(obj)
        if self._refusal is not None:
            raise EncodeError(self.name, self._refusal)
        return 0

    cdef inline object _wrapped(self, obj):
        if PyDict_CheckExact(obj) and not _is_wrapped(obj, self._wrap):
            return obj
        return {self._wrap: obj}

    cdef object _encode_failed(self, obj):
        try:
            _reraise()
        except BaseException as error:
            return self._encode_again(obj, error)

    cdef object _encode_again(self, obj, error):
        """Encode the object in the codec's other way, else rewritten by the conventions, or raise the error."""
        if not _is_ours(error) or isinstance(error, EncodeError):
            raise error
        deep = self._is_too_deep(error)
        if self._encode.again is not None and not deep:
            self._encode.remembered = REMEMBERED_CALLS
            try:
                return self._encode_guarded(obj)
            except BaseException as second:
                if not _is_ours(second):
                    raise
        if self._lower is not None and not deep and not isinstance(error, (MemoryError, LimitError, PolicyError)):
            try:
                lowered = self._lower(obj)
                if self._plain_encode:
                    payload = _call(self._encode, lowered if self._wrap is None else self._wrapped(lowered))
                    if self.bound is not None:
                        # The schema may not read the form that the conventions give a value.
                        self._read_again(payload, (b"",))
                    return payload
                return self._encode_guarded(lowered)
            except BaseException as second:
                if not _is_ours(second):
                    raise
                error, deep = second, self._is_too_deep(second)
        raise self._encode_error(error)

    cdef object _encode_error(self, error):
        """Return the error for the user, with the library's error as its cause."""
        if not _is_ours(error) or isinstance(error, EncodeError):
            return error
        reason = self._reason(error, self._encode_depth)
        ours = EncodeError(self.name, f"{reason}, or contains itself" if self._is_too_deep(error) else reason)
        ours.__cause__ = error
        return ours

    # decode -----------------------------------------------------------------------------------

    def decode(self, data, ctx=None, /):
        """Return the record of a payload.

        Args:
            data: bytes, bytearray or memoryview (also text if the format is text).
            ctx: As in `encode`: with one, None is returned for None.

        Raises:
            DecodeError: The payload is not exactly one well-formed value.
            LimitError: It is larger, is nested more deeply, or has more values than the limits allow.
        """
        cdef PyObject *result
        cdef held_t held
        if self._quick_decode and PyBytes_CheckExact(data) and stack_left() >= STACK:
            if not 0 < PyBytes_GET_SIZE(data) <= self._check_free_size and not self._is_clear(data):
                self._check_limits(data)
            result = _raw_call(self._decode, data) if self._find_end is NULL else self._called(data, &held)
            if result is NULL:
                return self._decode_failed(data)
            record = _owned(result)
            if PyBytes_GET_SIZE(data) > self._nesting_free_size and self._is_too_deep_record(data, <PyObject *>record):
                raise self._nested_too_deeply()
            if self._may_share and held.shared:
                self._check_record(record)
            return record
        if ctx is not None and data is None:
            return None
        return self._decode_slowly(data)

    cdef object _decode_slowly(self, data):
        cdef PyObject *result
        cdef held_t held
        if not PyBytes_CheckExact(data):
            data = self._to_bytes(data)
        # The nesting depth of a payload is at most its length.
        if stack_left() < STACK and PyBytes_GET_SIZE(data) > (stack_left() - RESERVE) // self._level:
            try:
                return call_with_stack(Core.decode, self, data)
            except RuntimeError as error:
                raise self._decode_error(error)
        if not 0 < PyBytes_GET_SIZE(data) <= self._check_free_size and not self._is_clear(data):
            self._check_limits(data)
        if self._plain_decode:
            result = self._called(data, &held)
            record = self._decode_failed(data) if result is NULL else _owned(result)
            if PyBytes_GET_SIZE(data) > self._nesting_free_size and self._is_too_deep_record(data, <PyObject *>record):
                raise self._nested_too_deeply()
            if held.shared or PyBytes_GET_SIZE(data) > self._most_items and self._count is NULL:
                self._check_record(record)
            return record if self._fix is None else self._fix(record)
        try:
            record = self._decode_opened(self._opened(data))
        except BaseException as error:
            raise self._decode_error(error)
        if self._fix is not None:
            record = self._fix(record)
        if self._sampler is not None:
            self._count_down(record)
        return record

    cdef PyObject *_called(self, bytes data, held_t *held) noexcept:
        """Return the library's result, or NULL: with its error set, or without one if a check failed."""
        held.shared = held.tagged = False
        if self._find_end is not NULL:
            if self._find(data, held) != PyBytes_GET_SIZE(data) or (
                PyBytes_GET_SIZE(data) > self._contents_free_size and self._holds_too_much(held)
            ):
                return NULL
        return _raw_call(self._decode if held.tagged else self._decode_untagged, data)

    cdef inline Py_ssize_t _find(self, bytes data, held_t *held) noexcept:
        """Return the end of the value, or a negative number if it is not whole or too deep."""
        if self._levels is NULL:
            return _end(self._find_end, data, held)
        held.wide = held.tagged = held.shared = False
        return self._levels(
            <const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data),
            self._deepest + self._is_wrapper(data), held
        )

    cdef inline bint _holds_too_much(self, held_t *held) noexcept:
        """Return whether a payload has more values than the limit, or maybe many keys of one hash."""
        return held.values > self._most_items or held.wide and self._check_keys is not None

    cdef inline bint _nests(self, bytes data, Py_ssize_t most) noexcept:
        return self._is_deeper(<const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), most)

    cdef int _count_down(self, record) except -1:
        """Count a record for the sampler, which keeps it if it is due."""
        self._gap -= 1
        if self._gap <= 0:
            self._gap = self._sampler.gap()
            self._sampler.keep(record, None if self.bound is None else self.bound.give)
        return 0

    cdef object _decode_failed(self, bytes data):
        try:
            return self._decode_otherwise(data)
        except BaseException as error:
            raise self._decode_error(error)

    cdef object _decode_otherwise(self, bytes data):
        """Decode a refused payload in another way, or raise. If the library refused it, its error is set."""
        cdef PyObject *result
        cdef held_t held
        if PyErr_Occurred() is NULL:
            end = self._find(data, &held)
            if end == DEEPER:
                raise self._nested_too_deeply()
            if end == UNSAFE:
                raise DecodeError(
                    self.name, "a name or length leads beyond the end of its document, or a type is unknown"
                )
            if end < 0:
                # Call the library for its error message, but not marshal: a length alone can take it seconds.
                if self.spec.guards.whole != "marshal":
                    _call(self._decode, data)
                raise DecodeError(self.name, "the end of the value cannot be found")
            if end < PyBytes_GET_SIZE(data):
                raise DecodeError(self.name, f"data after the end of the value, at byte {end}")
            self._refuse_contents(data, &held)
            result = _raw_call(self._decode, data)
            if result is not NULL:
                return _owned(result)
        if self._decode_again is None:
            _reraise()
        try:
            _reraise()
        except BaseException as error:
            if not _is_ours(error):
                raise
        return self._decode_again(data)

    def _decode_error(self, error, where=""):
        """Return the error for the user, with the library's error as its cause."""
        if not _is_ours(error) or isinstance(error, DecodeError):
            return error
        kind = LimitError if isinstance(error, TooMuchError) or self._is_too_deep(error) else DecodeError
        limits = self._bounds_depth or self.spec.guards.stops
        ours = kind(self.name, where + self._reason(error, self._deepest if limits else self._walked_depth))
        ours.__cause__ = error
        return ours

    cdef bint _is_too_deep(self, error):
        if isinstance(error, RecursionError):
            return True
        said = _sentence(error) if self._too_deep else ""
        return any(part in said for part in self._too_deep)

    cdef str _reason(self, error, int limit):
        """Describe an error in one sentence; if it is nesting, with our limit if that was exceeded."""
        if isinstance(error, TooMuchError):
            return f"holds {error} (see with_limits)"
        if isinstance(error, PolicyError):
            return str(error)
        if not self._is_too_deep(error):
            return _sentence(error)
        # No library's own limit is below the default, except those of some for recursive schemas. So if ours is not
        # above the default, it is ours that was exceeded.
        theirs = self.bound is not None and self.bound.deepest
        if type(error) is _TooDeepError or (0 < limit <= DEFAULT_DEPTH and not theirs):
            return f"nested more than {limit:,} deep"
        return f"nested more deeply than {self.spec.facts.library or self.name} goes"

    cdef bytes _opened(self, bytes data):
        """Return the payload decompressed and checked; refuse it if it is not trusted."""
        if self._untrusted:
            raise DecodeError(
                self.name, "decoding can run code that the payload brings along; "
                           "if you trust its source, ask for the codec with trusted=True"
            )
        if self._decompress is not None:
            data = self._decompress(data, self._most_decompressed, self._ratio)
            if PyBytes_GET_SIZE(data) == 0 and not self._empty:
                raise DecodeError(self.name, "empty payload")
            self._check_contents(data)
        return data

    cdef object _decode_opened(self, bytes data):
        """Decode an uncompressed payload and check the record, but do not apply the schema."""
        cdef object record
        cdef PyObject *result
        cdef held_t held
        held.shared = False
        if self._check_payload is not None:
            self._check_payload(data)
        if self._text:
            record = _call(self._decode, PyUnicode_DecodeUTF8(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), NULL))
        else:
            result = self._called(data, &held)
            record = self._decode_otherwise(data) if result is NULL else _owned(result)
        if PyBytes_GET_SIZE(data) > self._nesting_free_size and self._is_too_deep_record(data, <PyObject *>record):
            raise self._nested_too_deeply()
        if (
            held.shared or self._shared is not None and self._shared in data
            or PyBytes_GET_SIZE(data) > (self._texts_free_size if self._count is not NULL else min(self._texts_free_size, self._most_items))
        ):
            check_record(record, self._record_rules)
        if self._subclass is not None:
            record = _plain_ints(record, <PyObject *>self._subclass)
        if self._wrap is not None and _is_wrapped(record, self._wrap):
            record = record[self._wrap]
        if self._walked_depth:
            _check_depth(record, self._walked_depth, self._inside)
        if self._load_rules is not None:
            check_record(record, self._load_rules)
        return record

    cdef object _to_bytes(self, data):
        if isinstance(data, str):
            if not self._is_text:
                raise DecodeError(self.name, "expected bytes, got text")
            try:
                return PyUnicode_AsUTF8String(data)
            except UnicodeEncodeError as error:
                raise DecodeError(self.name, f"text cannot be read as UTF-8: {error}") from error
        if isinstance(data, (bytes, bytearray, memoryview)):
            try:
                return bytes(data)
            except ValueError as error:
                raise DecodeError(self.name, f"cannot be read: {error}") from error
        if data is None:
            raise DecodeError(
                self.name, "expected bytes, got None, as of a message that deletes its key (a tombstone); "
                           "check for None before decoding"
            )
        raise DecodeError(self.name, f"expected bytes, bytearray or memoryview, got {type(data).__name__}")

    cdef inline bint _is_clear(self, bytes data) noexcept:
        """Return whether a payload needs no check except nesting, and nests within the limit."""
        return 0 < PyBytes_GET_SIZE(data) <= self._nesting_only_size and (
            self._stops_in_time() or not self._nests(data, self._deepest)
        )

    cdef inline bint _stops_in_time(self) noexcept:
        """Return whether the library refuses a payload of any depth itself, within the stack that is left.

        Then nesting is checked after the call, which for most payloads takes less time.
        """
        return self._stops_itself or (
            self._stops_as_interpreter and interpreter_levels() * INTERPRETER_LEVEL <= stack_left() - RESERVE
        )

    cdef bint _is_too_deep_record(self, bytes data, PyObject *record) noexcept:
        """Return whether a decoded record is too deep, if that may not have been checked before the call."""
        return (
            (self._stops_itself or self._stops_as_interpreter)
            and not _is_shallow(record, self._deepest, FEW + PyBytes_GET_SIZE(data) // SPARSE)
            and self._nests(data, self._deepest + self._is_wrapper(data))
        )

    def _nested_too_deeply(self):
        return LimitError(self.name, f"nested more than {self._deepest:,} deep")

    cdef int _check_limits(self, bytes data, bint whole=True) except -1:
        """Check a payload that is empty or not short against the limits; `whole`: all of it is decoded next."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        if size == 0 and not self._empty:
            raise DecodeError(self.name, "empty payload")
        if size > self._most_bytes:
            raise LimitError(
                self.name, f"payload of {size:,} bytes, more than the limit of {self.limits.size:,} (see with_limits)"
            )
        if self.compression is None:
            self._check_contents(data, whole)
        return 0

    cdef int _check_contents(self, bytes data, bint whole=True) except -1:
        """Check a payload's nesting, values and keys, unless they are checked when the `whole` of it is decoded."""
        cdef held_t held
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        if self._levels is not NULL and size > self._contents_free_size:
            # One walk finds everything.
            if whole and self._find_end is not NULL:
                return 0
            if self._find(data, &held) == DEEPER:
                raise self._nested_too_deeply()
            held.wide &= whole
            return self._refuse_contents(data, &held)
        if size > self._nesting_free_size and not (whole and self._stops_in_time()) and self._nests(
            data, self._deepest + self._is_wrapper(data)
        ):
            raise self._nested_too_deeply()
        if self._count is NULL or size <= self._contents_free_size or whole and self._find_end == self._count:
            return 0
        if self._count_at_most is not NULL and self._count_at_most(
            <const unsigned char *>PyBytes_AS_STRING(data), size, self._most_items
        ) <= <size_t>self._most_items:
            return 0
        _end(self._count, data, &held)
        held.wide &= whole
        return self._refuse_contents(data, &held)

    cdef int _refuse_contents(self, bytes data, held_t *held) except -1:
        """Raise for more values than the limit, and for many keys of the same hash."""
        if held.values > self._most_items:
            raise LimitError(
                self.name, f"holds {held.values:,} values, more than the limit of {self._most_items:,} (see with_limits)"
            )
        if held.wide:
            self._check_hashes(data)
        return 0

    cdef int _check_hashes(self, bytes data) except -1:
        """Refuse bytes with many keys of the same hash, which are about to be decoded."""
        if self._check_keys is not None and PyBytes_GET_SIZE(data) > FEW_KEYS:
            try:
                self._check_keys(data)
            except BaseException as error:
                raise self._decode_error(error)
        return 0

    cdef bint _is_wrapper(self, bytes data) noexcept:
        """Return whether a BSON document is a record's wrapper, which does not count as a level of nesting."""
        return self._wrap is not None and PyBytes_GET_SIZE(data) > 5 + PyBytes_GET_SIZE(self._wrapper) and not memcmp(
            PyBytes_AS_STRING(data) + 5, PyBytes_AS_STRING(self._wrapper), PyBytes_GET_SIZE(self._wrapper) + 1
        )

    cdef int _check_record(self, record) except -1:
        try:
            check_record(record, self._record_rules)
        except BaseException as error:
            raise self._decode_error(error)
        return 0

    # fields -----------------------------------------------------------------------------------

    def peek(self, payload, path, default=...):
        """Return one field of a payload, with the value that `decode` returns, in a fraction of its time.

        Depending on `peeks`, a walk through the payload finds the field, and only its bytes are decoded. Then
        all headers, lengths and brackets are checked, but not the content of other fields: invalid UTF-8 or a
        number out of range is not detected there.

        Args:
            payload: As for `decode`.
            path: Keys and indices from 0, joined by dots, for instance ``order.lines.0.price``; or a sequence
                such as ``("order.lines", 0)`` if keys contain dots. Digits are an index in a list. In a dict they
                are a text key or, if there is none, an integer key.
            default: Returned for a payload without the field.

        Raises:
            MissingField: The field does not exist, and there is no default.
            DecodeError: As `decode`, for the part of the payload that is read.
            LimitError: As `decode`.
            UsageError: An invalid path.
        """
        return self._peek(payload, self._path(path), default)

    def peeker(self, path, default=...):
        """Return a callable that returns a payload's field: `peek` with the path parsed once.

        Raises:
            UsageError: An invalid path.
        """
        cdef Peeker made = Peeker.__new__(Peeker)
        made._codec, made._path, made._default = self, self._path(path), default
        made._given = path
        return made

    def replace(self, payload, path, value):
        """Return a payload with another value for a field, as if decoded, changed and encoded again.

        If the codec `splices`, only the new value is encoded.

        Args:
            payload: As for `decode`.
            path: As for `peek`.
            value: As for `encode`.

        Raises:
            MissingField: The field does not exist.
            DecodeError: As `peek`.
            EncodeError: As `encode`.
        """
        if self._unsampled is not None:
            return self._unsampled.replace(payload, path, value)
        cdef _Path path_ = self._path(path)
        cdef field_t field
        cdef bytes data
        if path_.way is not None and self._compress is None and path_.steps:
            data = self._readable(payload)
            if path_.way.locate(data, &field) == FOUND:
                if path_.way.kind == IN_BSON:
                    return self._spliced(_bson_replaced(data, &field, len(path_.steps), self.encode({"": value})))
                return self._spliced(_joined(
                    PyBytes_AS_STRING(data), field.start, self.encode(value),
                    PyBytes_AS_STRING(data) + field.end, PyBytes_GET_SIZE(data) - field.end
                ))
        return self._encode_changed(payload, path_, lambda _: value)

    def append(self, payload, path, item):
        """Return a payload with one more item at the end of a list, as if decoded, changed and encoded again.

        If the codec `splices`, only the item and the length of the list are encoded, and the rest is copied.
        The item can also be added to a set. A set that is written as a list is treated as a list, so it may then
        contain the item twice.

        Args:
            payload: As for `decode`.
            path: To the list, as for `peek`; empty if it is the record.
            item: As for `encode`.

        Raises:
            MissingField: The path does not lead to a list or set.
            DecodeError: As `peek`.
            EncodeError: As `encode`.
        """
        if self._unsampled is not None:
            return self._unsampled.append(payload, path, item)
        cdef _Path path_ = self._path(path)
        cdef field_t field
        cdef bytes data, longer = None
        if path_.way is not None and self._compress is None:
            data = self._readable(payload)
            if path_.way.locate(data, &field) == FOUND:
                if path_.way.kind == IN_BSON:
                    # A list that is the record must be the only value of its wrapper.
                    if path_.steps or field.head == 4 and field.end == PyBytes_GET_SIZE(data) - 1:
                        longer = _bson_longer(data, &field, path_.way.steps.count, self.encode({"": item}))
                else:
                    longer = _longer(path_.way.kind, data, &field, self.encode(item))
                if longer is not None:
                    return self._spliced(longer)

        def extend(value):
            if (made := extended(value, item)) is None:
                raise MissingField(self.name, f"no list at {path_.where}: it is a {type(value).__name__}")
            return made

        return self._encode_changed(payload, path_, extend)

    cdef bytes _spliced(self, bytes payload):
        if PyBytes_GET_SIZE(payload) > self._write_free_size:
            self._refuse_unreadable(None, payload)
        return payload

    cdef _Path _path(self, path):
        cdef _Path made
        try:
            return self._paths[path]
        except (KeyError, TypeError):
            pass
        made = _Path()
        made.steps = steps_of(path)
        made.where = written(made.steps)
        if self._walks is not None and len(made.steps) <= LONGEST_WAY:
            wrap = self._wrapper
            try:
                made.way = Way(self._walks, ((wrap, -1),), None) if wrap and not made.steps else Way(
                    self._walks,
                    tuple([
                        (None if step.key is None else step.key.encode(), -1 if step.index is None else step.index)
                        for step in made.steps
                    ]),
                    wrap,
                )
            except UnicodeEncodeError:
                pass  # a lone surrogate
        if len(self._paths) < REMEMBERED and isinstance(path, (str, tuple)):
            self._paths[path] = made
        return made

    cdef object _peek(self, data, _Path path, default):
        if self._unsampled is not None:
            return self._unsampled._peek(data, path, default)
        cdef field_t field
        cdef int result = UNSURE
        cdef bytes payload, value
        if path.way is not None and path.steps and stack_left() >= STACK:
            payload = self._readable(data)
            result = path.way.locate(payload, &field)
        if result == FOUND:
            if path.way.kind == IN_BSON:
                value = _document(
                    PyBytes_AS_STRING(payload) + field.start, field.end - field.start,
                    PyBytes_AS_STRING(payload)[field.head],
                )
            else:
                value = payload[field.start : field.end]
                self._check_hashes(value)
            try:
                found = self._decode_opened(value)
                return found[""] if path.way.kind == IN_BSON else found
            except BaseException as error:
                raise self._decode_error(error, f"at {path.where}: ")
        if result != UNSURE and default is not ...:
            return default
        record = self.decode(data)
        found = reach(record, path.steps, default)
        if found is ... and default is ...:
            raise absent(self.name, record, path.steps)
        return found

    cdef bytes _readable(self, data):
        """Return the payload decompressed, after the checks that `decode` makes first."""
        if not PyBytes_CheckExact(data):
            data = self._to_bytes(data)
        if not 0 < PyBytes_GET_SIZE(data) <= self._check_free_size:
            # The walk decodes nothing, so the field is checked when it is found.
            self._check_limits(data, False)
        if self._decompress is None and not self._untrusted:
            return data
        try:
            return self._opened(data)
        except BaseException as error:
            raise self._decode_error(error)

    cdef object _encode_changed(self, payload, _Path path, change):
        record = self.decode(payload)
        if reach(record, path.steps) is ...:
            raise absent(self.name, record, path.steps)
        return self.encode(changed(record, path.steps, change))

    @property
    def splices(self):
        """Whether `append` and `replace` copy the unchanged part without decoding it."""
        return self._walks is not None and self._compress is None

    @property
    def peeks(self):
        """How `peek` reads a field, by a full decode or by a walk to its bytes, which alone are decoded."""
        return "full decode" if self._walks is None else "walk to the field, decode of its bytes"

    # aliases ----------------------------------------------------------------------------------

    dumps = dumpb = serialize = encode
    loads = loadb = deserialize = decode_text = decode

    def encode_text(self, obj, /):
        """Return the payload as text, for formats that are text.

        Raises:
            EncodeError: As `encode`, or the format is binary.
        """
        if not self._is_text:
            raise EncodeError(self.name, f"{self.spec.format.name} is not a text format")
        return self.encode(obj).decode()

    def _made(self):
        return self.spec if self.spec is not UNMADE else _unmade(self)


include "_build.pxi"


cdef bint _is_ours(BaseException error):
    """Return whether an error is about the data, not Ctrl-C or exit. A panic of Rust is not an `Exception`."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"


def doubt():
    """Request a check of the payload that this thread is encoding for keys that cannot be decoded."""
    global doubted
    doubted = True


cdef str _sentence(BaseException error):
    kind = type(error).__name__
    try:
        text = str(error).strip()
    except Exception:
        # An object may raise an error of its own class, whose `__str__` raises.
        text = ""
    return f"{kind}: {text}" if text else kind
