# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Find the end of a payload's value, for libraries that ignore trailing data, and count its values.

A finder reads only heads and lengths, never past the payload, and does not recurse. It leaves the contents
to the library. It returns the length of the first value in bytes, or -1 if it is cut short or malformed
(`UNSAFE` if the library must not read it either). It counts all values, including keys and containers.
Budget: 3 ns a value.

For formats that are read as streams, a scan does the work. It stops at the end of the bytes, and a
`StreamBuffer` resumes it there. A scan copies its counters to local variables, because the compiler must
assume that a pointer aliases the payload.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memchr, memcmp

from ..errors import TooMuchError

cdef enum:
    # CBOR tag of a reference to a shared value (http://cbor.schmorp.de/value-sharing).
    SHARED = 29
    # The same for strings (http://cbor.schmorp.de/stringref).
    SHARED_TEXT = 25
    # CBOR tag of a set (https://github.com/input-output-hk/cbor-sets-spec).
    SET = 258
    # Shorter lists are not checked for items of the same size.
    MANY = 16
    # The check ends after this many items in a row that are not among eight of the same size.
    LONE = 64

cdef enum:
    # Results of a scan.
    WHOLE
    SHORT
    NO_VALUE

ctypedef struct scan_t:
    # Offset of the scan; values still to come; the same for each of `depth` outer containers that end with a
    # mark, at most `DEEPEST`; and lines of a pickle's text still to come.
    uint64_t at
    uint64_t left
    uint64_t *outer
    int depth
    int lines

cdef uint64_t BEYOND = <uint64_t>1 << 40
"""More bytes than any limit; adding it several times does not overflow."""
cdef uint64_t UNKNOWN = <uint64_t>1 << 62
"""Count of a container that ends with a mark: even, like a count of keys and values."""

LONGEST_KEY = 1024
"""Maximum bytes of a key that is a container or tagged; the keys in a longer one could be slow to decode."""


cdef extern from *:
    """
    /* Return the index of the first zero byte, from the least significant one, or 8 if there is none. */
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
    """Read a big-endian number of 1, 2, 4 or 8 bytes."""
    if length == 1:
        return at[0]
    if length == 2:
        return at[0] << 8 | at[1]
    if length == 4:
        return _big4(at)
    return _big4(at) << 32 | _big4(at + 4)


# MessagePack: msgpack/spec.md, "Overview" of formats ---------------------------------------------------

cdef unsigned char[32] _FIXED = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0,
]
"""Bytes after the head byte, for heads from 0xc0 on that have no length."""
cdef unsigned char[32] _LENGTH = [
    0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4,
]
"""Bytes of the length after these heads."""


cdef enum:
    # Kinds of MessagePack heads. `NOTHING` is a head that is cut short or invalid.
    NOTHING
    LEAF
    EXTENSION
    LIST
    MAP


cdef inline int _msgpack_head(
    const unsigned char *data, uint64_t end, uint64_t *at, uint64_t *count
) noexcept nogil:
    """Skip the head of a container and set the number of its entries; skip any other value entirely."""
    cdef unsigned int head = data[at[0]], length
    at[0] += 1
    if head < 0x80 or head >= 0xE0:
        return LEAF
    if head < 0xA0:
        count[0] = head & 15
        return MAP if head < 0x90 else LIST
    if head < 0xC0:
        at[0] += head & 31
        return LEAF
    length = _LENGTH[head & 31]
    if length == 0:
        at[0] += _FIXED[head & 31]
        return NOTHING if head == 0xC1 else EXTENSION if head >= 0xD4 else LEAF
    if length > end - at[0]:
        return NOTHING
    count[0] = _big(data + at[0], length)
    at[0] += length
    if head >= 0xDC:
        return MAP if head >= 0xDE else LIST
    at[0] += count[0]
    if 0xC7 <= head <= 0xC9:
        at[0] += 1
        return EXTENSION
    return LEAF


cdef Py_ssize_t _msgpack(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    return _msgpack_values(data, size, 0, 1, held)


cdef inline Py_ssize_t _msgpack_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return the end of `left` values that start at `at`, or -1."""
    cdef scan_t scan = scan_t(at, left, NULL, 0, 0)
    return scan.at if _scan_msgpack(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_msgpack(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef Py_ssize_t values = held.values, containers = held.containers
    cdef unsigned int head, length
    cdef bint is_value = True, wide = held.wide
    while left and at < end:
        head = data[at]
        at += 1
        left -= 1
        values += 1
        if head < 0x80 or head >= 0xE0:
            continue
        if head < 0xC0:
            if head >= 0xA0:
                at += head & 31
            else:
                left += (head & 15) << (head < 0x90)
                containers += 1
            continue
        if head == 0xD9 and at < end:
            at += 1 + data[at]
            continue
        length = _LENGTH[head & 31]
        if length == 0:
            if head == 0xC1:
                is_value = False
                at -= 1
                break
            at += _FIXED[head & 31]
            continue
        if at + length > end:
            at, left = at - 1, left + 1  # read again when more bytes arrive
            break
        count = _big(data + at, length)
        at += length
        if head < 0xDC:
            at += count + (0xC7 <= head <= 0xC9)
        else:
            left += count << (head >= 0xDE)
            containers += 1
            wide |= head >= 0xDE and count > SAME
        # Each value takes at least one byte.
        if at > end or left > end - at:
            break
        if head <= 0xDD and head >= 0xDC and count >= MANY:
            count = _alike(data, end, &at, count, _MSGPACK_LENGTHS)
            left -= count
            values += count
    scan.at, scan.left = at, left
    held.values, held.containers, held.wide = values, containers, wide
    return NO_VALUE if not is_value else WHOLE if left == 0 and at <= end else SHORT


def refuse_wide(bytes data, /):
    """Refuse UTF-16 and UTF-32, which `json.loads` detects, and in which guards would not see the structure.

    Raises:
        ValueError: The payload is in one of them, or begins with a byte order mark.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    if size and (at[0] > 0x7f or memchr(at, 0, min(size, 4)) != NULL):
        raise ValueError("is not UTF-8 without a byte order mark")


cdef bint container_key(bytes payload) noexcept:
    """Return whether a key of a complete MessagePack value is an array or map: no dict key when decoded."""
    return _msgpack_keys(payload, None)


cdef int _collect_msgpack_keys(bytes payload, list found) except -1:
    """Collect the keys of maps that are arrays or maps."""
    return _msgpack_keys(payload, found)


cdef bint _msgpack_keys(bytes payload, list found) noexcept:
    """Return whether a key is a container or nested too deeply to check; with `found`, collect such keys."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, start, count
    cdef uint64_t[DEEPEST] left
    cdef bint[DEEPEST] is_map
    cdef held_t held
    cdef int depth = 0, what
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
        start = at
        what = _msgpack_head(data, end, &at, &count)
        if what == NOTHING:
            return False
        if what < LIST:
            continue
        if is_key and found is not None:
            size = _msgpack(data + start, end - start, &held)
            if size < 0:
                return False
            found.append(payload[start : start + size])
            at = start + size
            continue
        # The packer writes at most 511 levels.
        if is_key or depth + 1 == DEEPEST:
            return True
        depth += 1
        is_map[depth] = what == MAP
        left[depth] = count << is_map[depth]
    return False


# Lists of values of one size --------------------------------------------------------------------------

cdef unsigned char[256] _MSGPACK_LENGTHS
cdef unsigned char[256] _CBOR_LENGTHS
cdef unsigned char[256] _MSGPACK_SIZES
cdef unsigned char[256] _CBOR_SIZES
"""Bytes of a value whose head byte determines them, including the head; 0 for all others."""


cdef int _fill_lengths() noexcept:
    """Fill the tables of value sizes by head byte, which they include; 0 if they vary, or are 1."""
    cdef unsigned int head, low
    for head in range(256):
        low = head & 31
        _MSGPACK_LENGTHS[head] = 1 + (low if 0xA0 < head < 0xC0 else _FIXED[low] if 0xCA <= head <= 0xD3 else 0)
        _CBOR_LENGTHS[head] = 1 + (
            low if 0x40 < head < 0x58 or 0x60 < head < 0x78
            else 1 << (low - 24) if 24 <= low < 28 and head < 0x40 or 0xF9 <= head <= 0xFB
            else 0
        )
        _MSGPACK_SIZES[head] = _MSGPACK_LENGTHS[head]
        if 0x80 <= head < 0xA0 or 0xC0 <= head < 0xE0 and (_LENGTH[low] or head == 0xC1):
            _MSGPACK_SIZES[head] = 0
        elif 0xD4 <= head < 0xD9:
            _MSGPACK_SIZES[head] = 1 + _FIXED[low]
        _CBOR_SIZES[head] = _CBOR_LENGTHS[head]
        if 0x58 <= head < 0x60 or head >= 0x78 and not (0xE0 <= head < 0xFC) or head < 0x40 and low >= 28:
            _CBOR_SIZES[head] = 0
        if head == 0xF8:
            _CBOR_SIZES[head] = 2
        _MSGPACK_LENGTHS[head] *= _MSGPACK_LENGTHS[head] > 1
        _CBOR_LENGTHS[head] *= _CBOR_LENGTHS[head] > 1
    return 0


cdef uint64_t _alike(
    const unsigned char *data, uint64_t end, uint64_t *start, uint64_t count, const unsigned char *lengths
) noexcept nogil:
    """Skip the first items of a list while their head bytes determine their sizes, and return their number.

    Eight items with the same head byte are skipped at once. Their heads are compared independently, which is
    ten times as fast as going from each item to the next. It stops after `LONE` single items in a row.
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


cdef inline int _cbor_head(
    const unsigned char *data, uint64_t end, uint64_t *at, uint64_t *count
) noexcept nogil:
    """Skip a head and return its major type, or -1 if invalid. The count is `UNKNOWN` if it has none."""
    if at[0] >= end:
        return -1
    cdef unsigned int head = data[at[0]], length
    at[0] += 1
    count[0] = head & 31
    if 24 <= count[0] < 28:
        length = 1 << (count[0] - 24)
        if length > end - at[0]:
            return -1
        count[0] = _big(data + at[0], length)
        at[0] += length
    elif count[0] == 31 and 0x40 <= head < 0xC0:
        count[0] = UNKNOWN
    elif count[0] >= 28:
        return -1
    return head >> 5


cdef Py_ssize_t _cbor(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    return _cbor_values(data, size, 0, 1, held)


cdef Py_ssize_t _cbor_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return the end of `left` values that start at `at`, or -1."""
    cdef uint64_t[DEEPEST] outer
    cdef scan_t scan = scan_t(at, left, &outer[0], 0, 0)
    return scan.at if _scan_cbor(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_cbor(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef held_t counted = held[0]
    cdef unsigned int head, major, length
    cdef int depth = scan.depth
    cdef bint is_value = True
    while (left or depth) and at < end:
        head = data[at]
        at += 1
        if left:
            left -= 1
        elif head == 0xFF:
            depth -= 1
            left = scan.outer[depth]
            continue
        counted.values += 1
        # Most values are short texts and small numbers.
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
                    at, left = at - 1, left + 1  # read again when more bytes arrive
                    break
                count = _big(data + at, length)
                at += length
            elif count == 31 and 2 <= major <= 5 and depth < DEEPEST:
                # Indefinite length. The loop counts the chunks of a string as items.
                scan.outer[depth] = left
                depth += 1
                left = 0
                counted.containers += 1
                counted.wide |= major == 5
                continue
            else:
                is_value = False
                at -= 1
                break
        if major == 2 or major == 3:
            if count > end - at:
                at += min(count, BEYOND)
                break
            at += count
        elif major == 4 or major == 5:
            # Each item takes at least one byte.
            if count > end - at:
                left += min(count, BEYOND) << (major == 5)
                break
            left += count << (major == 5)
            counted.containers += 1
            counted.wide |= major == 5 and count > SAME
            if major == 4 and count >= MANY:
                count = _alike(data, end, &at, count, _CBOR_LENGTHS)
                left -= count
                counted.values += count
        elif major == 6:
            left += 1
            counted.tagged = True
            if count == SHARED or count == SHARED_TEXT:
                counted.shared = True
            elif count == SET:
                counted.wide = True
    scan.at, scan.left, scan.depth = at, left, depth
    held[0] = counted
    return NO_VALUE if not is_value else WHOLE if left == 0 and depth == 0 and at <= end else SHORT


cdef int _collect_cbor_keys(bytes payload, list found) except -1:
    """Collect the keys of maps and the items of sets that are arrays, maps or tagged."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, start, count
    cdef uint64_t[DEEPEST] left
    cdef char[DEEPEST] kind
    cdef held_t held
    cdef int depth = 0, major
    cdef bint set_follows = False, is_key
    cdef Py_ssize_t size
    left[0], kind[0] = 1, c"["
    while True:
        while left[depth] == 0:
            if depth == 0:
                return 0
            depth -= 1
        if at < end and data[at] == 0xFF:
            # This byte ends a container of indefinite length.
            at += 1
            left[depth] = 0
            continue
        start = at
        major = _cbor_head(data, end, &at, &count)
        if major < 0:
            return 0
        is_key = kind[depth] == c"s" or kind[depth] == c"{" and left[depth] % 2 == 0
        if is_key and 4 <= major <= 6:
            size = _cbor(data + start, end - start, &held)
            if size < 0:
                return 0
            found.append(payload[start : start + size])
            at = start + size
            left[depth] -= 1
            continue
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


# pickle: pickletools -----------------------------------------------------------------------------------

cdef enum:
    # Argument of an opcode if it is not a fixed number of bytes. The first five are constants of pickletools.
    TO_NEWLINE = -1
    LENGTH_1 = -2
    SIGNED_4 = -3
    LENGTH_4 = -4
    LENGTH_8 = -5
    TWO_LINES = -6
    NO_OPCODE = -7

cdef enum:
    # Kinds of BSON values whose type does not determine their size.
    TEXT = -1
    WITHIN = -2
    BLOB = -3
    TWO_NAMES = -4
    REFERENCE = -5
    SCOPED = -6
    NO_TYPE = -7

cdef signed char[256] _ARGUMENT


cdef int _read_opcodes() except -1:
    """Fill the table from `pickletools`."""
    import pickletools

    for code in range(256):
        _ARGUMENT[code] = NO_OPCODE
    for opcode in pickletools.opcodes:
        argument = opcode.arg
        two = argument is not None and argument.name.endswith("_pair")
        _ARGUMENT[ord(opcode.code)] = 0 if argument is None else TWO_LINES if two else argument.n
    return 0


cdef inline bint _is_one_frame(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    """Return whether a pickle is a protocol header and exactly one frame (PEP 3154), taken as its end."""
    return size > 11 and data[0] == 0x80 and data[2] == 0x95 and _little8(data + 3) == <uint64_t>(size - 11)


cdef Py_ssize_t _pickle(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef scan_t scan = scan_t(0, 1, NULL, 0, 0)
    if _is_one_frame(data, size):
        return size
    return scan.at if _scan_pickle(data, size, &scan, held) == WHOLE else -1


cdef inline uint64_t _after_lines(const unsigned char *data, uint64_t end, uint64_t at, int *lines) noexcept nogil:
    """Return the end of `lines` lines from `at` on, or `end` if some are incomplete; subtract those found."""
    cdef const unsigned char *line
    while lines[0] and at < end:
        line = <const unsigned char *>memchr(data + at, c"\n", end - at)
        at = end if line is NULL else line - data + 1
        lines[0] -= line is not NULL
    return at


cdef inline int _scan_pickle(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = _after_lines(data, end, scan.at, &scan.lines), count
    cdef int head, argument, length, state = SHORT
    while at < end:
        head = data[at]
        at += 1
        # Most opcodes are texts and their memo numbers. Handling them here avoids waiting for the table.
        if head == c"X" and end - at >= 4:
            at += 4 + _little4(data + at)
            if at < end and data[at] == c"q":
                at += 2
            continue
        argument = _ARGUMENT[head]
        if argument >= 0:
            at += argument
            if head == c".":
                state = WHOLE
                break
        elif argument == NO_OPCODE:
            state = NO_VALUE
            at -= 1
            break
        elif argument == TO_NEWLINE or argument == TWO_LINES:
            scan.lines = 1 if argument == TO_NEWLINE else 2
            at = _after_lines(data, end, at, &scan.lines)
        else:
            length = 1 if argument == LENGTH_1 else 8 if argument == LENGTH_8 else 4
            if <uint64_t>length > end - at:
                at -= 1  # read again when more bytes arrive
                break
            # Signed lengths are read as unsigned, so a negative one exceeds any payload below 2 GiB.
            count = data[at] if length == 1 else _little4(data + at) if length == 4 else _little8(data + at)
            at += length + min(count, BEYOND)
    scan.at = at
    return state


# marshal: r_object in CPython's Python/marshal.c ---------------------------------------------------------


cdef Py_ssize_t _marshal(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef uint64_t[DEEPEST] outer
    cdef scan_t scan = scan_t(0, 1, &outer[0], 0, 0)
    return scan.at if _scan_marshal(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_marshal(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef int64_t digits
    cdef int depth = scan.depth, head
    cdef unsigned int length
    cdef bint is_value = True
    while (left or depth) and at < end:
        head = data[at] & 0x7F  # without FLAG_REF
        at += 1
        if left:
            left -= 1
        elif head == c"0":  # NULL ends a dict
            depth -= 1
            left = scan.outer[depth]
            continue
        else:
            left = 1  # the value of this key
        if head in (c"N", c"T", c"F", c"S", c"."):
            continue
        if head in (c"i", c"r"):
            at += 4
        elif head in (c"g", c"I"):
            at += 8
        elif head == c"y":
            at += 16
        elif head == c"{" and depth < DEEPEST:
            scan.outer[depth] = left
            depth += 1
            left = 0
        elif head in (c"z", c"Z", c"f", c"x", c")", c"a", c"A", c"u", c"t", c"s", c"l", c"(", c"[", c"<", c">"):
            length = 1 if head in (c"z", c"Z", c"f", c"x", c")") else 4
            count = 0
            if length <= end - at:
                count = data[at] if length == 1 else _little4(data + at)
            if length > end - at or head == c"x" and count + 2 > end - at:
                at, left = at - 1, left + 1  # read again when more bytes arrive
                break
            if head in (c"(", c"[", c"<", c">", c")"):
                left += count
                count = 0
            elif head == c"x":  # two numbers as text
                count += 1 + data[at + 1 + count]
            elif head == c"l":
                # Digits of two bytes each. Their number is negative if the int is.
                digits = <int32_t>count
                count = 2 * <uint64_t>(digits if digits >= 0 else -digits)
            at += length + count
        else:
            is_value = False
            at -= 1
            break
    scan.at, scan.left, scan.depth = at, left, depth
    return NO_VALUE if not is_value else WHOLE if left == 0 and depth == 0 and at <= end else SHORT


# RapidJSON ends its text at a NUL -------------------------------------------------------------------------


cdef Py_ssize_t _nul(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef const unsigned char *found = <const unsigned char *>memchr(data, 0, size)
    return size if found is NULL else found - data


# JSON: RFC 8259 ------------------------------------------------------------------------------------------


cdef inline bint _is_delimiter(unsigned char byte) noexcept nogil:
    return byte <= c" " or byte == c"," or byte == c"]" or byte == c"}" or byte == c":"


cdef Py_ssize_t _json(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count the values. Return the size, because every library finds the end itself."""
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


cdef size_t _json_at_most(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil:
    """Return an upper bound for the number of values.

    Before each value but the first comes one of ``,:[{``; the first count also counts those within texts.
    """
    cdef size_t found = _vectors.json_delimits(data, size, most) + 1
    return found if found <= most else _vectors.json_values(data, size)


# BSON: bsonspec.org --------------------------------------------------------------------------------------

cdef signed char[256] _BSON
"""Bytes of a value by its type, or its kind."""


cdef int _fill_bson() except -1:
    for kind in range(256):
        _BSON[kind] = NO_TYPE
    for kind, what in enumerate((
        NO_TYPE, 8, TEXT, WITHIN, WITHIN, BLOB, 0, 12, 1, 8, 0, TWO_NAMES, REFERENCE, TEXT, TEXT, SCOPED, 4, 8, 8, 16,
    )):
        _BSON[kind] = what
    _BSON[0x7F] = _BSON[0xFF] = 0  # MaxKey and MinKey
    return 0


_fill_bson()


cdef inline Py_ssize_t _after_name(const unsigned char *data, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Return the offset after the name at `at`, or more than `size` if it does not end in the payload."""
    if at >= size:
        return size + 1
    cdef const unsigned char *end
    cdef int i, place
    # Most names are short, and take less time than a call of memchr.
    for i in range(2):
        if size - at < 8:
            break
        place = _first_zero(_little8(data + at))
        at += place
        if place < 8:
            return at + 1
    end = <const unsigned char *>memchr(data + at, 0, size - at)
    return size + 1 if end is NULL else end - data + 1


cdef Py_ssize_t _bson_levels(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, held_t *held
) noexcept nogil:
    """Return the length of a document, `DEEPER` if it has more levels than `most`, or `UNSAFE`.

    Names and lengths must not exceed the payload, because PyMongo's C decoder reads names past its end.
    """
    cdef bint[DEEPEST] is_array
    cdef Py_ssize_t[DEEPEST] ends
    cdef Py_ssize_t at = 4, end = UNSAFE, values = 1, containers = 1
    cdef unsigned int kind
    cdef int depth = 0, what
    if size >= 5:
        is_array[0], ends[0] = False, _little4(data)
    while at < size:
        kind = data[at]
        at += 1
        if kind == 0:
            if at != ends[depth]:
                break
            if depth == 0:
                end = at
                break
            depth -= 1
            continue
        values += 1 if is_array[depth] else 2
        at = _after_name(data, size, at)
        what = _BSON[kind]
        if what >= 0:
            at += what
            continue
        if what == TWO_NAMES:
            at = _after_name(data, size, _after_name(data, size, at))
            continue
        # All other values begin with a length.
        if what == NO_TYPE or size - at < 4:
            break
        if what == WITHIN or what == SCOPED:
            if depth + 1 == most:
                end = DEEPER
                break
            if what == SCOPED:
                at += 4
                if size - at < 4:
                    break
                at += 4 + _little4(data + at)
                if size - at < 4:
                    break
            depth += 1
            containers += 1
            is_array[depth], ends[depth] = kind == 4, at + _little4(data + at)
            at += 4
        else:
            at += 4 + _little4(data + at) + (what == BLOB) + 12 * (what == REFERENCE)
    held.values, held.containers = values, containers
    return end


cdef Py_ssize_t _bson(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef Py_ssize_t end = _bson_levels(data, size, DEEPEST, held)
    # The library itself refuses documents that are nested this deeply.
    return size if end == DEEPER else end


# Property lists: CFBinaryPList.c of Apple's CoreFoundation -------------------------------------------------


cdef inline uint64_t _big_n(const unsigned char *at, unsigned int length) noexcept nogil:
    cdef uint64_t number = 0
    cdef unsigned int i
    for i in range(length):
        number = number << 8 | at[i]
    return number


cdef Py_ssize_t _plist(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count the references of containers in a binary property list. For XML, the parser counts the values."""
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
        # Lists, sets and dicts. With more than 14 entries, the count follows as an integer.
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
    """Read a number with seven bits in each byte, and limit it to the length of the payload."""
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
    # Values that a list, set or map has left, and their types: in maps, of keys and values; 0 in structs.
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
            # The field, and its name, which is a key in the record.
            held.values += 2
            if kind < 3:
                # The head of the field contains the bool.
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
                # An empty map has no types.
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


include "_vectors.pxi"
include "_nesting.pxi"
include "_kinds.pxi"
include "_fields.pxi"
include "_stream_buffer.pxi"
include "_avro.pxi"
include "_budget.pxi"
