# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False
"""Where the value of a payload ends, for libraries that do not notice what follows it.

A finder reads heads and lengths, never past the payload, and does not recurse; what stands between the
heads is left to the library. It gives the length of the first value in bytes, or -1 where that is cut short
or no value. Budget: 3 ns a value.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr

cdef enum:
    # Containers that end by a mark, one within another: more than cbor2 reads (400) and marshal (2,000).
    DEEPEST = 2048


cdef inline uint64_t _little4(const unsigned char *at) noexcept nogil:
    return at[0] | at[1] << 8 | at[2] << 16 | <uint64_t>at[3] << 24


cdef inline uint64_t _little8(const unsigned char *at) noexcept nogil:
    return _little4(at) | _little4(at + 4) << 32


cdef inline uint64_t _big4(const unsigned char *at) noexcept nogil:
    return <uint64_t>at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3]


cdef inline uint64_t _big(const unsigned char *at, unsigned int length) noexcept nogil:
    """Return a number of 1, 2, 4 or 8 bytes."""
    if length == 1:
        return at[0]
    if length == 2:
        return at[0] << 8 | at[1]
    if length == 4:
        return _big4(at)
    return _big4(at) << 32 | _big4(at + 4)


# MessagePack: msgpack/spec.md, "Overview" of formats, from 0xc0 on -----------------------------------

cdef unsigned char[32] _FIXED = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0,
]
"""Bytes after the head, where no length stands there."""
cdef unsigned char[32] _LENGTH = [
    0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4,
]
"""Bytes of the length."""


cdef Py_ssize_t _msgpack(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t end = size, at = 0, left = 1, count
    cdef unsigned int head, length
    while left:
        if at >= end:
            return -1
        head = data[at]
        at += 1
        left -= 1
        if head < 0x80 or head >= 0xE0:
            continue
        if head < 0xC0:
            if head >= 0xA0:
                at += head & 31
            else:
                left += (head & 15) << (head < 0x90)
            continue
        if head == 0xD9 and at < end:
            at += 1 + data[at]
            continue
        length = _LENGTH[head & 31]
        if length == 0:
            if head == 0xC1:
                return -1
            at += _FIXED[head & 31]
            continue
        if at + length > end:
            return -1
        count = _big(data + at, length)
        at += length
        if head < 0xDC:
            at += count + (0xC7 <= head <= 0xC9)
        else:
            left += count << (head >= 0xDE)
        # No value takes less than a byte.
        if at > end or left > end - at:
            return -1
    return at if at <= end else -1


cdef bint container_key(bytes payload) noexcept:
    """Whether a key in a whole MessagePack value is an array or map, read as a list or dict, which no key is."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, count
    cdef uint64_t[DEEPEST] left
    cdef bint[DEEPEST] is_map
    cdef unsigned int head, length
    cdef int depth = 0
    cdef bint is_key
    left[0], is_map[0] = 1, False
    while at < end:
        while left[depth] == 0:
            depth -= 1
        is_key = is_map[depth] and left[depth] % 2 == 0
        left[depth] -= 1
        head = data[at]
        at += 1
        if head < 0x80 or head >= 0xE0:
            continue
        if 0xA0 <= head < 0xC0:
            at += head & 31
            continue
        if head < 0xA0:
            count = head & 15
        else:
            length = _LENGTH[head & 31]
            if length == 0:
                at += _FIXED[head & 31]
                continue
            count = _big(data + at, length)
            at += length
            if head < 0xDC:
                at += count + (0xC7 <= head <= 0xC9)
                continue
        # The packer ends at 511 levels.
        if is_key or depth + 1 == DEEPEST:
            return True
        depth += 1
        is_map[depth] = head < 0x90 or head >= 0xDE
        left[depth] = count << is_map[depth]
    return False


# CBOR: RFC 8949, section 3 ----------------------------------------------------------------------------


cdef Py_ssize_t _cbor(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t end = size, at = 0, left = 1, count
    cdef uint64_t[DEEPEST] outer
    cdef unsigned int head, major, length
    cdef int depth = 0
    while True:
        if left == 0:
            if depth == 0:
                return at
            if at < end and data[at] == 0xFF:
                at += 1
                depth -= 1
                left = outer[depth]
                continue
            left = 1
        if at >= end:
            return -1
        head = data[at]
        at += 1
        left -= 1
        major, count = head >> 5, head & 31
        if count >= 24:
            if count < 28:
                length = 1 << (count - 24)
                if length > end - at:
                    return -1
                count = _big(data + at, length)
                at += length
            elif count == 31 and 2 <= major <= 5 and depth < DEEPEST:
                # Of no stated length. Text comes in pieces, which the loop takes for items.
                outer[depth] = left
                depth += 1
                left = 0
                continue
            else:
                return -1
        if major == 2 or major == 3:
            if count > end - at:
                return -1
            at += count
        elif major == 4 or major == 5:
            # No item takes less than a byte.
            if count > end - at:
                return -1
            left += count << (major == 5)
        elif major == 6:
            left += 1


# pickle: pickletools -----------------------------------------------------------------------------------

cdef enum:
    # What follows an opcode: so many bytes, or one of these.
    TO_NEWLINE = -1
    LENGTH_1 = -2
    SIGNED_4 = -3
    LENGTH_4 = -4
    LENGTH_8 = -5
    TWO_LINES = -6
    NO_OPCODE = -7

cdef signed char[256] _ARGUMENT


cdef int _read_opcodes() except -1:
    """Fill the table from the standard library's own."""
    import pickletools

    for code in range(256):
        _ARGUMENT[code] = NO_OPCODE
    for opcode in pickletools.opcodes:
        argument = opcode.arg
        two = argument is not None and argument.name.endswith("_pair")
        _ARGUMENT[ord(opcode.code)] = 0 if argument is None else TWO_LINES if two else argument.n
    return 0


cdef inline bint _is_one_frame(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    """Whether a pickle is a protocol header and exactly one frame (PEP 3154), hence ends where it should."""
    return size > 11 and data[0] == 0x80 and data[2] == 0x95 and _little8(data + 3) == <uint64_t>(size - 11)


cdef Py_ssize_t _pickle(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t end = size, at = 0, count
    cdef const unsigned char *line
    cdef int head, argument, length, lines
    if _is_one_frame(data, size):
        return size
    while at < end:
        head = data[at]
        at += 1
        # A text and its number in the memo, most of all opcodes; what a table says would have to be waited for.
        if head == c"X" and end - at >= 4:
            count = _little4(data + at)
            at += 4
            if count > end - at:
                return -1
            at += count
            if at < end and data[at] == c"q":
                at += 2
            continue
        argument = _ARGUMENT[head]
        if argument >= 0:
            if head == c".":
                return at
            at += argument
            continue
        if argument == NO_OPCODE:
            return -1
        if argument == TO_NEWLINE or argument == TWO_LINES:
            for lines in range(1 if argument == TO_NEWLINE else 2):
                line = <const unsigned char *>memchr(data + at, c"\n", end - at)
                if line is NULL:
                    return -1
                at = line - data + 1
            continue
        length = 1 if argument == LENGTH_1 else 8 if argument == LENGTH_8 else 4
        if length > end - at:
            return -1
        count = data[at] if length == 1 else _little4(data + at) if length == 4 else _little8(data + at)
        at += length
        # Negative lengths are larger than any payload, too, as long as they are taken for what they are.
        if count > end - at:
            return -1
        at += count
    return -1


# marshal: r_object in CPython's Python/marshal.c ---------------------------------------------------------


cdef Py_ssize_t _marshal(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    cdef uint64_t end = size, at = 0, left = 1, count
    cdef uint64_t[DEEPEST] outer
    cdef int64_t digits
    cdef int depth = 0, head
    cdef unsigned int length
    while True:
        if left == 0:
            if depth == 0:
                return at
            if at < end and data[at] & 0x7F == c"0":  # NULL ends a dict
                at += 1
                depth -= 1
                left = outer[depth]
                continue
            left = 2
        if at >= end:
            return -1
        head = data[at] & 0x7F  # without FLAG_REF
        at += 1
        left -= 1
        if head in (c"N", c"T", c"F", c"S", c"."):
            continue
        if head in (c"i", c"r"):
            at += 4
        elif head in (c"g", c"I"):
            at += 8
        elif head == c"y":
            at += 16
        elif head in (c"z", c"Z", c"f", c"x"):
            if head == c"x" and at < end:  # two numbers as text
                at += 1 + data[at]
            if at >= end:
                return -1
            at += 1 + data[at]
        elif head in (c"a", c"A", c"u", c"t", c"s", c"l"):
            if end - at < 4:
                return -1
            count = _little4(data + at)
            if head == c"l":
                # Digits of two bytes each; their number is negative where the int is.
                digits = <int32_t>count
                count = 2 * <uint64_t>(digits if digits >= 0 else -digits)
            at += 4
            if count > end - at:
                return -1
            at += count
        elif head in (c"(", c"[", c"<", c">", c")"):
            length = 1 if head == c")" else 4
            if end - at < length:
                return -1
            count = data[at] if length == 1 else _little4(data + at)
            at += length
            if count > end - at:
                return -1
            left += count
        elif head == c"{":
            if depth == DEEPEST:
                return -1
            outer[depth] = left
            depth += 1
            left = 0
        else:
            return -1
        if at > end:
            return -1


# RapidJSON takes NUL for the end of its text --------------------------------------------------------------


cdef Py_ssize_t _nul(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    cdef const unsigned char *found = <const unsigned char *>memchr(data, 0, size)
    return size if found is NULL else found - data


cdef end_t finder(str kind) except NULL:
    """Return the finder of a kind, see `end_of`."""
    if kind == "msgpack":
        return _msgpack
    if kind == "cbor":
        return _cbor
    if kind == "pickle":
        if _ARGUMENT[0] != NO_OPCODE:
            _read_opcodes()
        return _pickle
    if kind == "marshal":
        return _marshal
    if kind == "nul":
        return _nul
    raise ValueError(f"no finder of ends for {kind!r}")


def end_of(str kind, bytes data not None, /):
    """Return the length in bytes of the value that a payload begins with, or -1 where it has none whole.

    Args:
        kind: ``"msgpack"``, ``"cbor"``, ``"pickle"``, ``"marshal"``, or ``"nul"`` for text that a NUL ends.
        data: The payload.

    Raises:
        ValueError: No such kind.
    """
    return finder(kind)(data, len(data))
