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

LONGEST_KEY = 1024
"""Maximum bytes of a key that is a container or tagged; the keys in a longer one could be slow to decode."""


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


include "_vectors.pxi"
include "_kinds.pxi"

include "_msgpack.pxi"
include "_cbor.pxi"
include "_json.pxi"
include "_bson.pxi"
include "_pickle.pxi"
include "_marshal.pxi"
include "_plist.pxi"
include "_thrift.pxi"
include "_avro.pxi"

include "_fields.pxi"
include "_stream_buffer.pxi"
include "_budget.pxi"
