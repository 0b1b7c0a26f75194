# Read, replace or extend one field of a payload: in its bytes if possible, else by decoding the whole record.

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.string cimport memcpy
from libc.stdint cimport uint64_t

from ..safety._scan cimport (
    FOUND, IN_BSON, IN_JSON, IN_MSGPACK, LONGEST_WAY, UNSURE, Way, bson_items, field_t, list_head,
)

from .fields import absent, changed, extended, reach, steps_of, written

cdef enum:
    # Number of paths whose steps a codec caches.
    REMEMBERED = 256


@cython.final
cdef class _Path:
    """The steps to a field, and the way through payloads, which is None if these are decoded in full."""

    cdef tuple steps
    cdef Way way
    cdef str where


@cython.final
cdef class Peeker:
    """A callable that returns the value of a payload's field; `Codec.peeker` makes it."""

    cdef Core _codec
    cdef _Path _path
    cdef object _default
    cdef object _given

    def __init__(self):
        raise TypeError(_UNMADE)

    def __call__(self, payload, /):
        if self._codec is None:
            raise TypeError(_UNMADE)
        return self._codec._peek(payload, self._path, self._default)

    def __repr__(self):
        if self._codec is None:
            return "<Peeker of no codec>"
        return f"<Peeker {written(self._path.steps)} of {self._codec.name}>"

    def __reduce__(self):
        if self._codec is None:
            raise TypeError(_UNMADE)
        return _peeker, (self._codec, self._given, self._default)


cdef str _UNMADE = "a Peeker without a codec; `codec.peeker(path)` makes one"


def _peeker(codec, path, default):
    """Make a peeker from the result of `Peeker.__reduce__`."""
    return codec.peeker(path, default)


cdef bytes _joined(const char *first, Py_ssize_t size, bytes middle, const char *last, Py_ssize_t rest):
    """Join three pieces and copy each only once, because they may be megabytes."""
    cdef Py_ssize_t within = PyBytes_GET_SIZE(middle)
    cdef bytes whole = PyBytes_FromStringAndSize(NULL, size + within + rest)
    cdef char *to = PyBytes_AS_STRING(whole)
    memcpy(to, first, size)
    memcpy(to + size, PyBytes_AS_STRING(middle), within)
    memcpy(to + size + within, last, rest)
    return whole


cdef inline void _put_little4(char *to, Py_ssize_t number) noexcept:
    cdef int i
    for i in range(4):
        to[i] = <char>(number >> 8 * i)


cdef inline Py_ssize_t _get_little4(const char *at) noexcept:
    cdef const unsigned char *byte = <const unsigned char *>at
    return byte[0] | byte[1] << 8 | byte[2] << 16 | <Py_ssize_t>byte[3] << 24


# BSON: a value other than a document is read and written as the only value of a document, with an empty name.


cdef bytes _document(const char *value, Py_ssize_t size, char kind):
    cdef bytes made = PyBytes_FromStringAndSize(NULL, size + 7)
    cdef char *to = PyBytes_AS_STRING(made)
    _put_little4(to, size + 7)
    to[4], to[5], to[size + 6] = kind, 0, 0
    memcpy(to + 6, value, size)
    return made


cdef bytes _in_documents(bytes payload, field_t *field, int within, bytes grown):
    """Return `grown`, a changed `payload`, after correcting the lengths of the `within` documents around it."""
    cdef char *to = PyBytes_AS_STRING(grown)
    cdef Py_ssize_t more = PyBytes_GET_SIZE(grown) - PyBytes_GET_SIZE(payload)
    cdef int i
    for i in range(within):
        _put_little4(to + field.outer[i], _get_little4(to + field.outer[i]) + more)
    return grown


cdef bytes _bson_replaced(bytes payload, field_t *field, int within, bytes single):
    cdef const char *data = PyBytes_AS_STRING(payload)
    cdef bytes grown = _joined(
        data, field.start, single[6:-1], data + field.end, PyBytes_GET_SIZE(payload) - field.end
    )
    PyBytes_AS_STRING(grown)[field.head] = PyBytes_AS_STRING(single)[4]
    return _in_documents(payload, field, within, grown)


cdef bytes _bson_longer(bytes payload, field_t *field, int within, bytes single):
    cdef const char *data = PyBytes_AS_STRING(payload)
    if data[field.head] != 4:
        return None
    # The name of an item is its index.
    count = bson_items(data + field.start, field.end - field.start)
    if count < 0:
        return None
    name = b"%d" % count
    added = single[4:5] + name + single[5:-1]
    field.outer[within] = field.start
    return _in_documents(payload, field, within + 1, _joined(
        data, field.end - 1, added, data + field.end - 1, PyBytes_GET_SIZE(payload) - field.end + 1
    ))


# Other formats: containers do not store their length in bytes. A list begins with its count or ends with a mark.


cdef bytes _longer(int kind, bytes payload, field_t *field, bytes item):
    """Return a payload with an item at the end of the list in the field; None if that is not a list."""
    cdef const char *data = PyBytes_AS_STRING(payload)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(payload), last = field.end - 1, head
    cdef unsigned char first = data[field.start]
    cdef uint64_t count
    if kind == IN_JSON:
        if first != c"[":
            return None
        head = field.start + 1
        while head < last and data[head] in b" \t\n\r":
            head += 1
        return _joined(data, last, item if head == last else b"," + item, data + last, size - last)
    head = list_head(kind, <const unsigned char *>data + field.start, &count)
    if head < 0:
        return None
    if head == 0:
        return _joined(data, last, item, data + last, size - last)
    opened = _opened(kind, count + 1)
    cdef Py_ssize_t new = PyBytes_GET_SIZE(opened), within = field.end - field.start - head
    cdef bytes whole = PyBytes_FromStringAndSize(NULL, size + new - head + PyBytes_GET_SIZE(item))
    cdef char *to = PyBytes_AS_STRING(whole)
    memcpy(to, data, field.start)
    to += field.start
    memcpy(to, PyBytes_AS_STRING(opened), new)
    memcpy(to + new, data + field.start + head, within)
    to += new + within
    memcpy(to, PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item))
    memcpy(to + PyBytes_GET_SIZE(item), data + field.end, size - field.end)
    return whole


cdef bytes _opened(int kind, uint64_t count):
    """Return the shortest head of a list of `count` items, which every library writes."""
    cdef object number = count
    if kind == IN_MSGPACK:
        if count < 16:
            return bytes((0x90 | count,))
        return b"\xdc" + number.to_bytes(2, "big") if count < 1 << 16 else b"\xdd" + number.to_bytes(4, "big")
    if count < 24:
        return bytes((0x80 | count,))
    width = 1 if count < 1 << 8 else 2 if count < 1 << 16 else 4 if count < <uint64_t>1 << 32 else 8
    return bytes((0x98 + (width // 2 if width < 8 else 3),)) + number.to_bytes(width, "big")
