# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Where the value of a payload ends, for libraries that do not notice what follows it, and how much it holds.

A finder reads heads and lengths, never past the payload, and does not recurse; what stands between the
heads is left to the library. It gives the length of the first value in bytes, or -1 where that is cut short
or no value (`UNSAFE` where the library must not see it either), and counts the values within: keys, too, and containers. Budget: 3 ns a value.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr, memcmp

from ..errors import TooMuchError

cdef enum:
    # CBOR's tag of a value that stands elsewhere, too (http://cbor.schmorp.de/value-sharing).
    SHARED = 29
    # The same of text (http://cbor.schmorp.de/stringref).
    SHARED_TEXT = 25
    # That of a set (http://cbor.schmorp.de/set in the registry of IANA).
    SET = 258
    # Items of a list that are worth looking whether they are alike.
    MANY = 16
    # Items one after another that are not, after which that is no list of such.
    LONE = 64

cdef uint64_t UNKNOWN = <uint64_t>1 << 62
"""Items of a container that ends by a mark: an even number, as of keys and values."""

LONGEST_KEY = 1024
"""Bytes of a key that is not plain; its own keys could be what takes time."""


cdef extern from *:
    """
    /* Which of eight bytes is the first zero, the lowest of the number first; 8 where none is. */
    static inline int bakeoff_first_zero(unsigned long long bytes) {
        unsigned long long zeros = (bytes - 0x0101010101010101ULL) & ~bytes & 0x8080808080808080ULL;
        if (!zeros) return 8;
    #if defined(__GNUC__)
        return __builtin_ctzll(zeros) >> 3;
    #else
        int place = 0;
        for (; bytes & 0xff; bytes >>= 8) place++;
        return place;
    #endif
    }
    """
    int _first_zero "bakeoff_first_zero"(uint64_t number) noexcept nogil


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


cdef Py_ssize_t _msgpack(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    # A local copy: the compiler must assume that what a pointer leads to aliases the payload.
    cdef held_t counted = held[0]
    cdef Py_ssize_t end = _msgpack_values(data, size, 0, 1, &counted)
    held[0] = counted
    return end


cdef inline Py_ssize_t _msgpack_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return where so many values that start at `at` are over."""
    cdef uint64_t end = size, count
    cdef unsigned int head, length
    while left:
        if at >= end:
            return -1
        head = data[at]
        at += 1
        left -= 1
        held.values += 1
        if head < 0x80 or head >= 0xE0:
            continue
        if head < 0xC0:
            if head >= 0xA0:
                at += head & 31
            else:
                left += (head & 15) << (head < 0x90)
                held.containers += 1
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
            held.containers += 1
        # No value takes less than a byte.
        if at > end or left > end - at:
            return -1
        if head <= 0xDD and head >= 0xDC and count >= MANY:
            count = _alike(data, end, &at, count, _MSGPACK_LENGTHS)
            left -= count
            held.values += count
    return at if at <= end else -1


cdef bint container_key(bytes payload) noexcept:
    """Whether a key in a whole MessagePack value is an array or map, read as a list or dict, which no key is."""
    return _msgpack_keys(payload, None)


cdef bint _msgpack_keys(bytes payload, list found) noexcept:
    """Whether a key is an array or map, or nested too deeply to tell; gather all such keys where asked for."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, count
    cdef uint64_t[DEEPEST] left
    cdef bint[DEEPEST] is_map
    cdef held_t held
    cdef unsigned int head, length
    cdef int depth = 0
    cdef bint is_key
    cdef Py_ssize_t size
    left[0], is_map[0] = 1, False
    while at < end:
        while left[depth] == 0:
            if depth == 0:
                return False
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
            if length > end - at:
                return False
            count = _big(data + at, length)
            at += length
            if head < 0xDC:
                at += count + (0xC7 <= head <= 0xC9)
                continue
        if is_key and found is not None:
            at -= 1 if head < 0xA0 else 1 + length
            size = _msgpack(data + at, end - at, &held)
            if size < 0:
                return False
            found.append(payload[at : at + size])
            at += size
            continue
        # The packer ends at 511 levels.
        if is_key or depth + 1 == DEEPEST:
            return True
        depth += 1
        is_map[depth] = head < 0x90 or head >= 0xDE
        left[depth] = count << is_map[depth]
    return False


# Lists of values of one length ------------------------------------------------------------------------

cdef unsigned char[256] _MSGPACK_LENGTHS
cdef unsigned char[256] _CBOR_LENGTHS


cdef int _fill_lengths() noexcept:
    """Note the bytes of a value, head included, by its head; 0 where that says another length, or one byte."""
    cdef unsigned int head, low
    for head in range(256):
        low = head & 31
        _MSGPACK_LENGTHS[head] = 1 + (low if 0xA0 < head < 0xC0 else _FIXED[low] if 0xCA <= head <= 0xD3 else 0)
        _CBOR_LENGTHS[head] = 1 + (
            low if 0x40 < head < 0x58 or 0x60 < head < 0x78
            else 1 << (low - 24) if 24 <= low < 28 and head < 0x40 or 0xF9 <= head <= 0xFB
            else 0
        )
        _MSGPACK_LENGTHS[head] *= _MSGPACK_LENGTHS[head] > 1
        _CBOR_LENGTHS[head] *= _CBOR_LENGTHS[head] > 1
    return 0


cdef uint64_t _alike(
    const unsigned char *data, uint64_t end, uint64_t *start, uint64_t count, const unsigned char *lengths
) noexcept nogil:
    """Go past the first items of a list as long as eight together have one head, and so one length; return how many.

    Their heads are compared without waiting for one another: ten times as quick as going from each to the next.
    """
    cdef const unsigned char *at
    cdef unsigned int length, lone = 0
    cdef unsigned char head
    cdef uint64_t gone = 0, first, most
    while gone < count and start[0] < end and lone < LONE:
        at = data + start[0]
        head = at[0]
        length = lengths[head]
        if length == 0 or length > end - start[0]:
            break
        first, most = gone, gone + min(count - gone, (end - start[0]) // length)
        while gone + 8 <= most and not (
            (at[0] ^ head) | (at[length] ^ head) | (at[2 * length] ^ head) | (at[3 * length] ^ head)
            | (at[4 * length] ^ head) | (at[5 * length] ^ head) | (at[6 * length] ^ head) | (at[7 * length] ^ head)
        ):
            gone += 8
            at += 8 * length
        lone = lone + 1 if gone == first else 0
        gone += gone == first
        start[0] += (gone - first) * length
    return gone


_fill_lengths()


# CBOR: RFC 8949, section 3 ----------------------------------------------------------------------------


cdef Py_ssize_t _cbor(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    # A local copy: the compiler must assume that what a pointer leads to aliases the payload.
    cdef held_t counted = held[0]
    cdef Py_ssize_t end = _cbor_values(data, size, 0, 1, &counted)
    held[0] = counted
    return end


cdef inline Py_ssize_t _cbor_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return where so many values that start at `at` are over."""
    cdef uint64_t end = size, count
    cdef uint64_t[DEEPEST] outer
    cdef unsigned int head, major, length
    cdef int depth = 0
    while True:
        if left == 0:
            if depth == 0:
                return at if at <= end else -1
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
        held.values += 1
        # Short text, and small numbers: most of all.
        if 0x60 <= head < 0x78:
            at += head & 31
            continue
        if head < 0x18:
            continue
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
                held.containers += 1
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
            held.containers += 1
            if major == 4 and count >= MANY:
                count = _alike(data, end, &at, count, _CBOR_LENGTHS)
                left -= count
                held.values += count
        elif major == 6:
            left += 1
            held.tagged = True
            if count == SHARED or count == SHARED_TEXT:
                held.shared = True


cdef int _cbor_keys(bytes payload, list found) except -1:
    """Gather the keys of maps and the items of sets that are arrays, maps or tagged."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, start, count
    cdef uint64_t[DEEPEST] left
    cdef char[DEEPEST] kind
    cdef held_t held
    cdef unsigned int head, major, length
    cdef int depth = 0
    cdef bint set_follows = False, is_key
    cdef Py_ssize_t size
    left[0], kind[0] = 1, c"["
    while True:
        while left[depth] == 0:
            if depth == 0:
                return 0
            depth -= 1
        if at >= end:
            return 0
        start = at
        head = data[at]
        at += 1
        if head == 0xFF:
            # The end of a container of no stated length, in place of a further item.
            left[depth] = 0
            continue
        major, count = head >> 5, head & 31
        is_key = kind[depth] == c"s" or kind[depth] == c"{" and left[depth] % 2 == 0
        if is_key and 4 <= major <= 6:
            size = _cbor(data + start, end - start, &held)
            if size < 0:
                return 0
            found.append(payload[start : start + size])
            at = start + size
            left[depth] -= 1
            continue
        if 24 <= count < 28:
            length = 1 << (count - 24)
            if length > end - at:
                return 0
            count = _big(data + at, length)
            at += length
        elif count == 31 and 2 <= major <= 5:
            count = UNKNOWN
        elif count >= 28:
            return 0
        if major == 6:
            set_follows = count == SET
            continue
        left[depth] -= 1
        if 2 <= major <= 3 and count != UNKNOWN:
            if count > end - at:
                return 0
            at += count
        elif 2 <= major <= 5:
            if depth + 1 == DEEPEST or count > end - at and count != UNKNOWN:
                return 0
            depth += 1
            kind[depth] = c"{" if major == 5 else c"s" if major == 4 and set_follows else c"["
            left[depth] = count << (major == 5 and count != UNKNOWN)
        set_follows = False


def odd_keys(str kind, bytes data not None, /):
    """Return the payloads of keys of dicts, and of items of sets, that are neither text, bytes nor plain numbers.

    Args:
        kind: ``"msgpack"`` or ``"cbor"``.
        data: The payload; of one that is cut short, the keys before.

    Raises:
        TooMuchError: One is so long that its own keys would have to be looked at.
    """
    cdef list found = []
    if kind == "msgpack":
        _msgpack_keys(data, found)
    else:
        _cbor_keys(data, found)
    if any(len(key) > LONGEST_KEY for key in found):
        raise TooMuchError(f"a key of more than {LONGEST_KEY:,} bytes that is no text")
    return found


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

cdef enum:
    # What a value of BSON is, where its type does not give its bytes.
    TEXT = -1
    WITHIN = -2
    BLOB = -3
    TWO_NAMES = -4
    REFERENCE = -5
    SCOPED = -6
    NO_TYPE = -7

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


cdef Py_ssize_t _pickle(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
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
        if <uint64_t>length > end - at:
            return -1
        count = data[at] if length == 1 else _little4(data + at) if length == 4 else _little8(data + at)
        at += length
        # Negative lengths are larger than any payload, too, as long as they are taken for what they are.
        if count > end - at:
            return -1
        at += count
    return -1


# marshal: r_object in CPython's Python/marshal.c ---------------------------------------------------------


cdef Py_ssize_t _marshal(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
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


cdef Py_ssize_t _nul(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef const unsigned char *found = <const unsigned char *>memchr(data, 0, size)
    return size if found is NULL else found - data


# JSON: RFC 8259 ------------------------------------------------------------------------------------------


cdef inline bint _is_delimiter(unsigned char byte) noexcept nogil:
    return byte <= c" " or byte == c"," or byte == c"]" or byte == c"}" or byte == c":"


cdef Py_ssize_t _json(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count values; every library finds the end by itself."""
    cdef Py_ssize_t at = 0
    cdef unsigned char byte
    while at < size:
        byte = data[at]
        at += 1
        if _is_delimiter(byte):
            continue
        held.values += 1
        if byte == c'"':
            while at < size and data[at] != c'"':
                at += 1 + (data[at] == c"\\")
            at += 1
        elif byte != c"[" and byte != c"{":
            while at < size and not _is_delimiter(data[at]):
                at += 1
    return size


# BSON: bsonspec.org --------------------------------------------------------------------------------------

cdef signed char[32] _BSON = [
    NO_TYPE, 8, TEXT, WITHIN, WITHIN, BLOB, 0, 12, 1, 8, 0, TWO_NAMES, REFERENCE, TEXT, TEXT, SCOPED,
    4, 8, 8, 16, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE,
    NO_TYPE, NO_TYPE,
]
"""Bytes of a value by its type, or what gives them."""


cdef inline Py_ssize_t _after_name(const unsigned char *data, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Return where a name that starts here is over, beyond the payload where it is not."""
    if at >= size:
        return size + 1
    cdef const unsigned char *end
    cdef int i, place
    # Most names are short: a call would take longer than they do.
    for i in range(2):
        if size - at < 8:
            break
        place = _first_zero(_little8(data + at))
        at += place
        if place < 8:
            return at + 1
    end = <const unsigned char *>memchr(data + at, 0, size - at)
    return size + 1 if end is NULL else end - data + 1


cdef Py_ssize_t _bson(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Hold names and lengths against the end as well: PyMongo's C decoder reads names beyond it."""
    cdef bint[DEEPEST] is_array
    cdef Py_ssize_t[DEEPEST] ends
    cdef Py_ssize_t at = 4
    cdef unsigned int kind
    cdef int depth = 0, what
    held.values = held.containers = 1
    if size < 5:
        return UNSAFE
    is_array[0], ends[0] = False, _little4(data)
    while at < size:
        kind = data[at]
        at += 1
        if kind == 0:
            if at != ends[depth]:
                return UNSAFE
            if depth == 0:
                return at
            depth -= 1
            continue
        held.values += 1 if is_array[depth] else 2
        at = _after_name(data, size, at)
        what = 0 if kind == 0xFF or kind == 0x7F else NO_TYPE if kind >= 32 else _BSON[kind]
        if what >= 0:
            at += what
            continue
        if what == TWO_NAMES:
            at = _after_name(data, size, _after_name(data, size, at))
            continue
        # Before each of the others stands a length.
        if what == NO_TYPE or size - at < 4:
            return UNSAFE
        if what == WITHIN or what == SCOPED:
            if depth + 1 == DEEPEST:
                # How deep is too deep, the library says.
                return size
            if what == SCOPED:
                at += 4
                if size - at < 4:
                    return UNSAFE
                at += 4 + _little4(data + at)
                if size - at < 4:
                    return UNSAFE
            depth += 1
            held.containers += 1
            is_array[depth], ends[depth] = kind == 4, at + _little4(data + at)
            at += 4
        else:
            at += 4 + _little4(data + at) + (what == BLOB) + 12 * (what == REFERENCE)
    return UNSAFE


# Property lists: CFBinaryPList.c of Apple's CoreFoundation -------------------------------------------------


cdef inline uint64_t _big_n(const unsigned char *at, unsigned int length) noexcept nogil:
    cdef uint64_t number = 0
    cdef unsigned int i
    for i in range(length):
        number = number << 8 | at[i]
    return number


cdef Py_ssize_t _plist(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count what the containers of a binary one refer to; those of XML are counted by their parser."""
    cdef uint64_t end = size, objects, table, offset, count, i
    cdef unsigned int width, head, length
    if size < 40 or memcmp(data, b"bplist", 6):
        return size
    width, objects, table = data[size - 26], _big_n(data + size - 24, 8), _big_n(data + size - 8, 8)
    held.values = 1
    if width == 0 or width > 8 or table > end or objects > (end - table) // width:
        return -1
    for i in range(objects):
        offset = _big_n(data + table + i * width, width)
        if offset >= end:
            return -1
        head = data[offset]
        # Lists, sets and dicts; beyond 14 entries their number follows as an integer.
        if head >> 4 not in (0xA, 0xC, 0xD):
            continue
        count = head & 15
        if count == 15:
            if offset + 1 >= end:
                return -1
            length = 1 << (data[offset + 1] & 15)
            if length > 8 or offset + 2 + length > end:
                return -1
            count = _big_n(data + offset + 2, length)
        if count > end:
            return -1
        held.values += count << (head >> 4 == 0xD)
    held.shared = held.values > <Py_ssize_t>objects
    return size


# Thrift's compact protocol: doc/specs/thrift-compact-protocol.md ----------------------------------------


cdef inline uint64_t _varint(const unsigned char *data, uint64_t end, uint64_t *at) noexcept nogil:
    """Return a number of seven bits a byte, or the length of the payload, if that is less, and go past it."""
    cdef uint64_t number = 0
    cdef unsigned int shift = 0
    while at[0] < end:
        if shift < 64:
            number |= <uint64_t>(data[at[0]] & 0x7F) << shift
        shift += 7
        at[0] += 1
        if data[at[0] - 1] < 0x80:
            return min(number, end)
    return 0


cdef Py_ssize_t _thrift(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef uint64_t end = size, at = 0, count
    # How many values a list, set or map has left, and their types, in maps those of every other one; 0 in structs.
    cdef uint64_t[DEEPEST] left
    cdef unsigned char[DEEPEST] first
    cdef unsigned char[DEEPEST] second
    cdef unsigned int head, kind
    cdef int depth = 0
    first[0] = 0
    held.values += 1
    while at < end:
        head = data[at]
        if first[depth] == 0:
            kind = head & 15
            at += 1
            if kind == 0:
                if depth == 0:
                    return at
                depth -= 1
                continue
            if head < 16:
                _varint(data, end, &at)
            # With its name, which is a key in a record.
            held.values += 2
            if kind < 3:
                # A bool stands in the head of its field.
                continue
        elif left[depth] == 0:
            depth -= 1
            continue
        else:
            kind = first[depth] if left[depth] % 2 == 0 else second[depth]
            left[depth] -= 1
            held.values += 1
        if kind <= 3:
            at += 1
        elif kind <= 6:
            _varint(data, end, &at)
        elif kind == 7:
            at += 8
        elif kind == 13:
            at += 16
        elif kind == 8:
            count = _varint(data, end, &at)
            at += count
        elif kind > 13 or depth + 1 == DEEPEST:
            return -1
        else:
            depth += 1
            if kind == 12:
                first[depth] = 0
                continue
            if at >= end:
                return -1
            if kind == 11:
                count = 2 * _varint(data, end, &at)
                # Of an empty map there are no types.
                head = 0x33 if count == 0 or at >= end else data[at]
                at += count > 0
                first[depth], second[depth] = head >> 4, head & 15
            else:
                head = data[at]
                at += 1
                count = head >> 4 if head < 0xF0 else _varint(data, end, &at)
                first[depth] = second[depth] = head & 15
            if first[depth] == 0 or second[depth] == 0:
                if count:
                    return -1
                first[depth] = 1
            left[depth] = count
    return -1


cdef end_t finder(str kind) except? NULL:
    """Return the finder of a format, or of ``"nul"``, text that a NUL ends; NULL where there is none."""
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
    if kind == "json":
        return _json
    if kind == "bson":
        return _bson
    if kind == "plist":
        return _plist
    if kind == "thrift":
        return _thrift
    if kind == "nul":
        return _nul
    return NULL


def end_of(str kind, const unsigned char[:] data not None, /):
    """Return the length in bytes of the value that data begin with, or -1 where they have none whole.

    Args:
        kind: ``"msgpack"``, ``"cbor"``, ``"pickle"``, ``"marshal"``, ``"plist"``, ``"bson"``,
            ``"thrift"``, or ``"nul"`` for text that a NUL ends.
        data: Bytes, or a view of them.

    Raises:
        ValueError: No such kind.
    """
    return _found(kind, data)[0]


def values_in(str kind, const unsigned char[:] data not None, /):
    """Return how many values a payload holds, and whether some may stand in several places.

    Args:
        kind: ``"msgpack"``, ``"cbor"``, ``"json"``, ``"bson"``, ``"plist"`` or ``"thrift"``.
        data: The payload; of one that is cut short, the values before.

    Raises:
        ValueError: No such kind.
    """
    return _found(kind, data)[1:]


cdef tuple _found(str kind, const unsigned char[:] data):
    cdef held_t held = held_t(0, 0, False, False)
    cdef end_t find = finder(kind)
    if find is NULL:
        raise ValueError(f"nothing finds the ends of {kind!r}")
    end = find(&data[0] if data.shape[0] else NULL, data.shape[0], &held)
    return end, held.values, held.shared


include "_nesting.pxi"
include "_fields.pxi"
include "_stream_buffer.pxi"
include "_avro.pxi"
include "_budget.pxi"
