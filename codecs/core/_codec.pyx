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

    cdef readonly str name
    cdef readonly object spec
    cdef readonly object schema
    cdef readonly object bound
    cdef readonly object compression
    cdef readonly object limits

    # A payload of up to this many bytes needs no checks.
    cdef Py_ssize_t _unasked
    # The same for all checks except nesting.
    cdef Py_ssize_t _uncounted
    # An uncompressed payload of up to this many bytes has no more values and keys than the limits allow.
    cdef Py_ssize_t _few
    # An uncompressed payload of up to this many bytes is not too large for `decode`, and what counts its values.
    cdef Py_ssize_t _modest
    cdef Rules _written
    # The same for the lengths of texts and integers in the decoded record, and for nesting.
    cdef Py_ssize_t _unseen
    cdef Py_ssize_t _flat
    cdef Py_ssize_t _most
    cdef Py_ssize_t _items
    cdef Py_ssize_t _deepest
    cdef deeper_t _is_deeper
    # Whether the library itself stops before its stack ends: always, or where the interpreter does.
    cdef bint _stops
    cdef bint _stops_as_interpreter
    # Most bytes of stack that the library takes for a level.
    cdef Py_ssize_t _level
    cdef at_most_t _count_at_most
    # Maximum depth of a decoded record, which a walk checks if the payload cannot be checked; 0 without a walk.
    cdef int _walked_depth
    cdef bint _bounds_depth
    cdef Rules _rules
    cdef bytes _shared
    cdef object _check_keys
    cdef end_t _count
    cdef Rules _dump_rules
    cdef readonly Rules _load_rules
    cdef _Call _encode
    cdef _Call _decode
    cdef object _pool_factory
    cdef object _spare
    cdef object _lower
    cdef object _scan
    cdef object _check_payload
    cdef bint _empty
    cdef readonly object _fix
    cdef object _compress
    cdef object _decompress
    cdef object _decompressed
    cdef object _ratio
    cdef end_t _find_end
    # The same for the codec's own format, within the limit of depth.
    cdef levels_t _levels
    cdef bint _may_share
    cdef _Call _decode_untagged
    cdef object _decode_again
    cdef object _subclass
    cdef str _wrap
    cdef bytes _wrapper
    cdef bint _text
    cdef bint _is_text
    cdef bint _untrusted
    cdef bint _plain_encode
    cdef bint _plain_decode
    # Whether calls take the fast path: only checks, and the library's call.
    cdef bint _quick_encode
    cdef bint _quick_decode
    cdef bint _no_dicts
    cdef object _only
    # The last class of objects that were of that class: `isinstance` takes longer than small records.
    cdef object _known
    cdef str _refusal
    cdef bint _asks
    cdef int _encode_depth
    # Bytes of payloads that are decoded before they are returned; None: no such payloads.
    cdef tuple _suspect
    # Rewrites what the library would write otherwise; None if there is nothing.
    cdef object _exact
    # Levels that need neither a check nor a split: at most `_encode_depth`, if that is checked.
    cdef int _shallow
    # Whether only plain objects take the fast path: nesting is checked, or the library writes some values otherwise.
    cdef bint _looks
    cdef object _split
    cdef object _inside
    cdef tuple _too_deep
    cdef bint _plain_keys
    cdef bint _unhashed
    cdef bint _short_times
    cdef str _walks
    cdef dict _paths
    cdef object _sampler
    # The same codec without the sampler, which keeps whole records only.
    cdef Core _unsampled
    # Records until the next one is kept.
    cdef Py_ssize_t _gap
    cdef object __weakref__

    def __cinit__(self, *_arguments, **_options):
        # Defaults that calls need if `__init__` is never called.
        self._encode = self._decode = self._decode_untagged = _Call(_unmade, (), {})
        self._plain_encode = self._plain_decode = True
        self.spec, self.name, self._too_deep, self._unasked = UNMADE, type(self).__name__, (), PY_SSIZE_T_MAX
        self._level = UNMADE.guards.level

    def _make(self, spec):
        """Initialize the codec from a `Spec`, once."""
        # Compare names: a sandbox that imports modules again, such as Temporal's, has another class `Spec`.
        if type(spec).__name__ != "Spec":
            raise TypeError(f"expected a Spec, got {type(spec).__name__}")
        if self.spec is not UNMADE:
            raise ValueError(f"codec {self.name}: made already; with_limits and similar methods return another")
        self.spec = spec
        calls, guards, settings = spec.calls, spec.guards, spec.settings
        bind = calls.bind
        self.schema, self.compression = settings.schema, settings.compression
        self._is_text, self._untrusted = spec.encoding is not None, spec.format.trusted_only and not settings.trusted
        self._check_keys, self._shared = guards.check_keys, guards.shared
        self._level = guards.level
        self._stops, self._stops_as_interpreter = guards.stops == "itself", guards.stops == "interpreter"
        self._count, self._count_at_most = finder(spec.format.name), bounder(spec.format.name)
        if spec.limits_depth or settings.limits.depth is not None or spec.rejects_nesting:
            self._is_deeper = deeper(spec.format.name)
        self._set_limits(settings.limits)
        self.name = spec.name + ("+schema" if self.schema is not None and bind is None else "")
        if self.compression is not None:
            self.name += f"|{self.compression.name}"

        encode, decode = calls.encode, calls.decode
        if bind is not None and self.schema is not None:
            try:
                self.bound = bind(self.schema) if settings.ids is None else bind(self.schema, settings.ids)
            except (BakeoffError, CodecError, ImportError, MemoryError):
                raise
            except Exception as error:
                raise SchemaError("$", f"{spec.name} cannot use it: {_sentence(error)}"[:300]) from error
            if not isinstance(self.bound, Bound):
                raise ValueError(f"codec {spec.name}: expected a Bound from bind, got {type(self.bound).__name__}")
            encode, decode = self.bound.encode, self.bound.decode
            self._no_dicts, self._suspect = not self.bound.dicts, self.bound.suspect or None
            self._only = self.bound.only
        self._encode = _Call(encode, tuple(calls.encode_arguments), dict(calls.encode_options), calls.encode_again)
        bounded = guards.bounded(settings.limits) if guards.bounded else {}
        # A library that is only given the limit of items does not check depth.
        self._bounds_depth = guards.bounded is not None and set(bounded) != {"items"}
        options = {**calls.decode_options, **bounded}
        self._decode = self._decode_untagged = _Call(decode, tuple(calls.decode_arguments), options)
        if guards.of_tags:
            untagged = {name: value for name, value in options.items() if name not in guards.of_tags}
            self._decode_untagged = _Call(decode, tuple(calls.decode_arguments), untagged)
        self._pool_factory = encode if calls.pooled else None
        self._text, self._lower, self._scan, self._wrap = calls.text, spec.rewrite, guards.scan, calls.wrap
        self._wrapper = None if calls.wrap is None else calls.wrap.encode()
        self._check_payload, self._plain_keys = guards.check_payload, guards.plain_keys
        self._unhashed, self._short_times = guards.unhashed, guards.short_times
        self._empty = spec.format.empty
        self._encode_depth, self._inside, self._too_deep = spec.checked_depth, guards.inside, tuple(guards.too_deep)
        if self.bound is not None and self.bound.deepest:
            self._deepest = min(self._deepest, self.bound.deepest)
            self._encode_depth = self._walked_depth = self._deepest
        self._split = guards.split
        self._shallow = min(self._encode_depth, guards.shallow) if guards.shallow else self._encode_depth or GREATEST
        self._exact = guards.exact
        self._looks = self._encode_depth != 0 or self._exact is not None
        self._find_end = NULL if guards.whole is None else finder(guards.whole)
        if guards.whole is not None and self._find_end is NULL:
            raise ValueError(f"codec {spec.name}: no finder of ends for {guards.whole!r}")
        self._levels = NULL if self._is_deeper is NULL else leveler(spec.format.name)
        # The search for the end of a value of the codec's own format replaces all checks of what it holds.
        if guards.whole == spec.format.name:
            if self._levels is not NULL or self._is_deeper is NULL:
                self._flat, self._unasked = PY_SSIZE_T_MAX, self._uncounted
        self._may_share = guards.whole == "cbor"
        self._decode_again, self._subclass = calls.decode_again, calls.subclass
        if self.bound is not None and self.bound.again is not None:
            self._decode_again = self.bound.again
        if self.compression is not None:
            self._compress, self._decompress = self.compression.compress, self.compression.decompress_within
        if settings.asked:
            from .policy_resolution import rules

            self._dump_rules, self._load_rules = rules(spec, "dump", self.from_spec), rules(spec, "load", self.from_spec)
        self._sampler = settings.sampler
        if self._sampler is not None:
            self._gap = self._sampler.gap()
            self._unsampled = self.from_spec(spec.changed(sampler=None))
        # Computed once, so that the paths of most codecs need no further checks in each call.
        plain = (
            self._pool_factory is None and self._compress is None
            and self._dump_rules is None and self._sampler is None
        )
        self._plain_encode = plain and self._scan is None and not self._encode_depth
        self._plain_decode = (
            not self._text and self._wrap is None and self._check_payload is None and self._decompress is None
            and self._shared is None and self._walked_depth == 0 and self._unseen == PY_SSIZE_T_MAX
            and self._subclass is None and not self._untrusted and self._load_rules is None and self._sampler is None
        )
        if self.schema is not None and bind is None:
            self._fix, self._refusal = self.schema.fixer(self), self.schema.refusal(self)
        self._asks = self._no_dicts or self._only is not None or self._refusal is not None
        self._quick_encode = (
            plain and (self._scan is None or JSON_TYPES <= self._scan) and not self._asks and self._wrap is None
        )
        self._quick_decode = (
            self._plain_decode and self._count is not NULL and self._fix is None
        )
        # Policies, a schema and limits of the record apply to the whole record, so they rule out walks.
        whole = self.schema is not None or settings.limits.depth is not None or self._unseen != PY_SSIZE_T_MAX
        self._walks, self._paths = None if whole or settings.asked else calls.walk, {}

    cdef int _set_limits(self, limits) except -1:
        self.limits, self._most, self._items = limits, limits.size, min(limits.items, PY_SSIZE_T_MAX)
        self._deepest = limits.deepest
        self._decompressed, self._ratio = limits.decompressed or limits.size, limits.ratio
        if self._deepest >= DEEPEST:
            self._is_deeper = NULL
        if self._is_deeper is NULL and (limits.depth is not None or self.spec.rejects_nesting or self.spec.guards.walked):
            self._walked_depth = self._deepest
        # A level takes at least its head; in JSON its two brackets, in BSON its length, type, name and end.
        self._flat = PY_SSIZE_T_MAX if self._is_deeper is NULL else self._deepest * LEAST.get(self.spec.format.name, 1)
        # A value takes at least one byte, except empty ones in YAML, which its loader counts. In JSON, a delimiter
        # comes before each but the first.
        self._few = self._items if self._count_at_most is NULL else min(self._items, PY_SSIZE_T_MAX // 2) * 2
        self._modest = min(limits.size if self.compression is None else self._decompressed, self._few)
        self._written = Rules(max_items=limits.items, inside=content_of)
        if self._check_keys is not None:
            self._few = min(self._few, FEW_KEYS)
        self._uncounted = min(limits.size, self._few) if self.compression is None else limits.size
        self._unasked = min(self._uncounted, self._flat) if self.compression is None else self._uncounted
        # A decimal digit of an integer takes at least 3.32 bits, and 3.2 are assumed.
        digits = PY_SSIZE_T_MAX if limits.digits is None else limits.digits * 2 // 5
        self._unseen = min(PY_SSIZE_T_MAX if limits.string is None else limits.string, digits)
        self._rules = Rules(max_items=limits.items, max_text=limits.string, max_digits=limits.digits)
        return 0

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
            not self._looks or _is_shallow(<PyObject *>obj, self._shallow, PY_SSIZE_T_MAX)
        ) and (self._scan is None or _is_json(<PyObject *>obj, DEFAULT_DEPTH)):
            result = _raw_call(self._encode, obj)
            if result is not NULL and bytes_exactly(result):
                if self._unhashed:
                    forget_hash(result)
                payload = _owned(result)
                if self._suspect is not None:
                    self._read_again(payload, self._suspect)
                if PyBytes_GET_SIZE(payload) > self._modest:
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
        if self._asks:
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
        if self._compress is None and PyBytes_CheckExact(payload) and PyBytes_GET_SIZE(payload) > self._modest:
            self._refuse_unreadable(obj, payload)
        if self._sampler is not None:
            self._count_down(obj)
        return payload

    cdef object _finish(self, obj, PyObject *result):
        """Convert the library's result, a new reference, to bytes. If it is NULL, handle the error."""
        payload = self._as_bytes(self._encode_failed(obj) if result is NULL else _owned(result))
        if self._suspect is not None:
            self._read_again(payload, self._suspect)
        if PyBytes_CheckExact(payload) and PyBytes_GET_SIZE(payload) > self._modest:
            self._refuse_unreadable(obj, payload)
        return self._encode_rewritten(obj) if self._is_wrong(payload) else payload

    cdef object _compressed(self, obj, bytes plain):
        """Return a compressed payload that `decode` accepts."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(plain)
        if size > self._modest:
            self._refuse_unreadable(obj, plain)
        payload = self._compress(plain)
        if len(payload) > self._most:
            raise self._too_large(len(payload), self._most)
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
        cdef Py_ssize_t most = self._most if self._compress is None else self._decompressed
        if size > most:
            raise self._too_large(size, most)
        if self._count_at_most is not NULL and self._count_at_most(
            <const unsigned char *>PyBytes_AS_STRING(payload), size, self._items
        ) <= <size_t>self._items:
            return 0
        if self._count is not NULL and _end(self._count, payload, &held) >= 0:
            if held.values > self._items:
                raise EncodeError(
                    self.name, f"holds {held.values:,} values, more than the limit of {self._items:,} for reading "
                               f"(see with_limits)"
                )
            if self.spec.guards.bounded is None:
                return 0
        try:
            if self.bound is not None and self.bound.give is not None:
                self.decode(payload)  # The library's object does not show its values.
            else:
                check_record(obj, self._written)
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
            global doubted
            doubted = False
            # An encoder that raised an error may contain half a payload, so it is not put back.
            payload = encoder(obj)
            if doubted and self._plain_keys and container_key(payload):
                raise TypeError("a container as a dict key cannot be decoded")
            if not PyBytes_CheckExact(payload) or PyBytes_GET_SIZE(payload) <= POOLED:
                self._spare = encoder
        else:
            payload = _call(self._encode, obj)
            if self._is_wrong(payload):
                payload = _call(self._encode, self._lower(obj))
        if self._compress is not None:
            payload = self._compressed(obj, PyUnicode_AsUTF8String(payload) if isinstance(payload, str) else payload)
        return payload

    cdef int _refuse(self, obj) except -1:
        if self._no_dicts and PyDict_Check(obj):
            raise EncodeError(self.name, "a dict cannot be decoded again; convert it with codec.bound.take(record)")
        if self._only is not None and type(obj) is not self._known:
            if not isinstance(obj, self._only):
                name = type(obj).__name__
                raise EncodeError(
                    self.name, f"an object of {name} cannot be decoded again; convert it with codec.bound.take(record)"
                )
            self._known = type(obj)
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
            if not 0 < PyBytes_GET_SIZE(data) <= self._unasked and not self._is_clear(data):
                self._ask(data)
            result = _raw_call(self._decode, data) if self._find_end is NULL else self._called(data, &held)
            if result is NULL:
                return self._decode_failed(data)
            record = _owned(result)
            if PyBytes_GET_SIZE(data) > self._flat and self._is_too_deep_record(data, <PyObject *>record):
                raise self._nested_too_deeply()
            if self._may_share and held.shared:
                self._look_through(record)
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
        if not 0 < PyBytes_GET_SIZE(data) <= self._unasked and not self._is_clear(data):
            self._ask(data)
        if self._plain_decode:
            result = self._called(data, &held)
            record = self._decode_failed(data) if result is NULL else _owned(result)
            if PyBytes_GET_SIZE(data) > self._flat and self._is_too_deep_record(data, <PyObject *>record):
                raise self._nested_too_deeply()
            if held.shared or PyBytes_GET_SIZE(data) > self._items and self._count is NULL:
                self._look_through(record)
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
                PyBytes_GET_SIZE(data) > self._few and self._holds_too_much(held)
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
        return held.values > self._items or held.wide and self._check_keys is not None

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
            self._refuse_what_it_holds(data, &held)
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
            data = self._decompress(data, self._decompressed, self._ratio)
            if PyBytes_GET_SIZE(data) == 0 and not self._empty:
                raise DecodeError(self.name, "empty payload")
            self._ask_what_it_holds(data)
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
        if PyBytes_GET_SIZE(data) > self._flat and self._is_too_deep_record(data, <PyObject *>record):
            raise self._nested_too_deeply()
        if (
            held.shared or self._shared is not None and self._shared in data
            or PyBytes_GET_SIZE(data) > (self._unseen if self._count is not NULL else min(self._unseen, self._items))
        ):
            check_record(record, self._rules)
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
        return 0 < PyBytes_GET_SIZE(data) <= self._uncounted and (
            self._stops_in_time() or not self._nests(data, self._deepest)
        )

    cdef inline bint _stops_in_time(self) noexcept:
        """Return whether the library refuses a payload of any depth itself, within the stack that is left.

        Then nesting is checked after the call, which for most payloads takes less time.
        """
        return self._stops or (
            self._stops_as_interpreter and interpreter_levels() * INTERPRETER_LEVEL <= stack_left() - RESERVE
        )

    cdef bint _is_too_deep_record(self, bytes data, PyObject *record) noexcept:
        """Return whether a decoded record is too deep, if that may not have been checked before the call."""
        return (
            (self._stops or self._stops_as_interpreter)
            and not _is_shallow(record, self._deepest, FEW + PyBytes_GET_SIZE(data) // SPARSE)
            and self._nests(data, self._deepest + self._is_wrapper(data))
        )

    def _nested_too_deeply(self):
        return LimitError(self.name, f"nested more than {self._deepest:,} deep")

    cdef int _ask(self, bytes data, bint whole=True) except -1:
        """Check a payload that is empty or not short against the limits; `whole`: all of it is decoded next."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        if size == 0 and not self._empty:
            raise DecodeError(self.name, "empty payload")
        if size > self._most:
            raise LimitError(
                self.name, f"payload of {size:,} bytes, more than the limit of {self.limits.size:,} (see with_limits)"
            )
        if self.compression is None:
            self._ask_what_it_holds(data, whole)
        return 0

    cdef int _ask_what_it_holds(self, bytes data, bint whole=True) except -1:
        """Check a payload's nesting, values and keys, unless they are checked when the `whole` of it is decoded."""
        cdef held_t held
        cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
        if self._levels is not NULL and size > self._few:
            # One walk finds everything.
            if whole and self._find_end is not NULL:
                return 0
            if self._find(data, &held) == DEEPER:
                raise self._nested_too_deeply()
            held.wide &= whole
            return self._refuse_what_it_holds(data, &held)
        if size > self._flat and not (whole and self._stops_in_time()) and self._nests(
            data, self._deepest + self._is_wrapper(data)
        ):
            raise self._nested_too_deeply()
        if self._count is NULL or size <= self._few or whole and self._find_end == self._count:
            return 0
        if self._count_at_most is not NULL and self._count_at_most(
            <const unsigned char *>PyBytes_AS_STRING(data), size, self._items
        ) <= <size_t>self._items:
            return 0
        _end(self._count, data, &held)
        held.wide &= whole
        return self._refuse_what_it_holds(data, &held)

    cdef int _refuse_what_it_holds(self, bytes data, held_t *held) except -1:
        """Raise for more values than the limit, and for many keys of the same hash."""
        if held.values > self._items:
            raise LimitError(
                self.name, f"holds {held.values:,} values, more than the limit of {self._items:,} (see with_limits)"
            )
        if held.wide:
            self._ask_keys(data)
        return 0

    cdef int _ask_keys(self, bytes data) except -1:
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

    cdef int _look_through(self, record) except -1:
        try:
            check_record(record, self._rules)
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
        if PyBytes_GET_SIZE(payload) > self._modest:
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
                self._ask_keys(value)
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
        if not 0 < PyBytes_GET_SIZE(data) <= self._unasked:
            # The walk decodes nothing, so the field is checked when it is found.
            self._ask(data, False)
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
        """How `peek` reads a field: by walking to its bytes and decoding these, or by a full decode."""
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
