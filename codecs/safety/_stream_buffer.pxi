# What has come of a stream, and where the first value in it ends, looked for bytes by bytes.
#
# A scanner stops where the bytes do and goes on there, so that a value that comes in single bytes is gone
# through once. It reads heads and lengths, as the finders do, which the tests hold it against.

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from libc.string cimport memcpy, memmove

cdef enum:
    # What a scanner says.
    WHOLE
    SHORT
    NO_VALUE

    # Bytes of a buffer that is kept when nothing is in it.
    KEPT = 256 * 1024
    LEAST_LEVELS = 32

cdef uint64_t BEYOND = <uint64_t>1 << 40
"""More bytes than any limit, however often it is added."""


cdef class StreamBuffer:
    """The bytes of a stream that have come and were not taken yet.

    Attributes:
        start: Where in the stream that begins which was taken last.
        position: Where in the stream that begins which is to be taken next.
        ended: Whether nothing more will come.
    """

    cdef public Py_ssize_t start
    cdef readonly Py_ssize_t position
    cdef readonly bint ended
    cdef unsigned char *_data
    cdef Py_ssize_t _capacity
    cdef Py_ssize_t _first
    cdef Py_ssize_t _last
    # How far the first value was looked through, what of it is to come, and what was left in the containers
    # around it that end by a mark.
    cdef uint64_t _at
    cdef uint64_t _left
    cdef uint64_t *_outer
    cdef int _depth
    cdef int _levels
    cdef int _lines

    def __cinit__(self):
        self._left = 1

    def __dealloc__(self):
        PyMem_Free(self._data)
        PyMem_Free(self._outer)

    def __len__(self):
        return self._last - self._first

    def feed(self, chunk, /):
        """Add what has come: any object with a buffer of contiguous bytes.

        Raises:
            TypeError: It has none.
        """
        cdef Py_buffer view
        PyObject_GetBuffer(chunk, &view, PyBUF_SIMPLE)
        try:
            self._make_room(view.len)
            memcpy(self._data + self._last, view.buf, view.len)
            self._last += view.len
        finally:
            PyBuffer_Release(&view)

    def end(self):
        """Note that nothing more will come."""
        self.ended = True

    cdef int _make_room(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t held = self._last - self._first, wanted
        if size <= self._capacity - self._last:
            return 0
        # Moved when no more than was taken, so that a byte is moved once on average.
        if held <= self._first:
            memmove(self._data, self._data + self._first, held)
            self._first, self._last = 0, held
            if size <= self._capacity - held:
                return 0
        wanted = max(self._last + size, 2 * self._capacity, 1024)
        data = <unsigned char *>PyMem_Realloc(self._data, wanted)
        if data is NULL:
            raise MemoryError
        self._data, self._capacity = data, wanted
        return 0

    cdef int _drop(self, Py_ssize_t size) except -1:
        self.start = self.position
        self.position += size
        self._first += size
        self._at, self._left, self._depth, self._lines = 0, 1, 0, 0
        if self._first == self._last:
            self._first = self._last = 0
            if self._capacity > KEPT:
                PyMem_Free(self._data)
                self._data, self._capacity = NULL, 0
        return 0

    def peek(self, Py_ssize_t size, /):
        """Return the first bytes, `size` of them or as many as there are, and leave them."""
        return self._bytes(min(max(size, 0), self._last - self._first))

    def take(self, Py_ssize_t size, /):
        """Return the first bytes, `size` of them or as many as there are."""
        taken = self.peek(size)
        self._drop(len(taken))
        return taken

    def drop(self, Py_ssize_t size, /):
        """Drop the first bytes, `size` of them or as many as there are; return how many."""
        size = min(max(size, 0), self._last - self._first)
        self._drop(size)
        return size

    cdef bytes _bytes(self, Py_ssize_t size):
        return PyBytes_FromStringAndSize(<char *>self._data + self._first, size) if size else b""

    def line(self):
        """Return the next line with its end, what is left of an ended stream, or None where neither is there."""
        cdef Py_ssize_t held = self._last - self._first
        cdef const unsigned char *found = NULL
        if <Py_ssize_t>self._at < held:
            found = <const unsigned char *>memchr(self._data + self._first + self._at, c"\n", held - self._at)
        if found is NULL:
            self._at = held
            return self.take(held) if self.ended and held else None
        return self.take(found - self._data - self._first + 1)

    def skip_to(self, bytes mark not None, /):
        """Drop what stands before a mark of some bytes; return whether it was found."""
        cdef Py_ssize_t length = PyBytes_GET_SIZE(mark), at = self._first
        cdef const unsigned char *wanted = <const unsigned char *>PyBytes_AS_STRING(mark)
        cdef const unsigned char *found
        while 0 < length <= self._last - at:
            found = <const unsigned char *>memchr(self._data + at, wanted[0], self._last - at - length + 1)
            if found is NULL:
                at = self._last - length + 1
                break
            at = found - self._data
            if memcmp(found, wanted, length) == 0:
                self._drop(at - self._first)
                return True
            at += 1
        # Its beginning may be there.
        self._drop(at - self._first)
        return length == 0

    def value(self, str kind, Py_ssize_t limit, /):
        """Return the payload of the first value, or None where it is not whole yet.

        Args:
            kind: ``"msgpack"``, ``"cbor"``, ``"pickle"`` or ``"marshal"``.
            limit: The most bytes that it may have.

        Raises:
            TooMuchError: It has more, or says so.
            ValueError: It is no value, or there is no such kind.
        """
        cdef int state
        if kind == "msgpack":
            state = self._scan_msgpack()
        elif kind == "cbor":
            state = self._scan_cbor()
        elif kind == "pickle":
            finder(kind)
            state = self._scan_pickle()
        elif kind == "marshal":
            state = self._scan_marshal()
        else:
            raise ValueError(f"nothing looks for the ends of {kind!r} in a stream")
        if state == NO_VALUE:
            raise ValueError(f"no value goes on with the byte 0x{self._data[self._first + self._at]:02x} there")
        # No value takes less than a byte.
        if self._at > <uint64_t>limit or self._left > limit - self._at:
            raise TooMuchError
        return self.take(self._at) if state == WHOLE else None

    cdef int _deepen(self) noexcept:
        """Note what is left around a container that ends by a mark; return whether there is place."""
        cdef uint64_t *outer
        if self._depth == self._levels:
            if self._levels == DEEPEST:
                return False
            outer = <uint64_t *>PyMem_Realloc(self._outer, 2 * max(self._levels, LEAST_LEVELS) * sizeof(uint64_t))
            if outer is NULL:
                return False
            self._outer, self._levels = outer, 2 * max(self._levels, LEAST_LEVELS)
        self._outer[self._depth] = self._left
        self._depth += 1
        self._left = 0
        return True

    cdef int _scan_msgpack(self) noexcept:
        cdef const unsigned char *data = self._data + self._first
        cdef uint64_t end = self._last - self._first, at = self._at, left = self._left, count
        cdef unsigned int head, length
        while left and at < end:
            head = data[at]
            if head < 0x80 or head >= 0xE0:
                at += 1
            elif head < 0xA0:
                at += 1
                left += (head & 15) << (head < 0x90)
            elif head < 0xC0:
                at += 1 + (head & 31)
            else:
                length = _LENGTH[head & 31]
                if head == 0xC1:
                    self._at = at
                    return NO_VALUE
                if at + length >= end:
                    break
                at += 1
                if length == 0:
                    at += _FIXED[head & 31]
                else:
                    count = _big(data + at, length)
                    at += length
                    if head < 0xDC:
                        at += count + (0xC7 <= head <= 0xC9)
                    else:
                        left += count << (head >= 0xDE)
            left -= 1
        self._at, self._left = at, left
        return WHOLE if left == 0 and at <= end else SHORT

    cdef int _scan_cbor(self) noexcept:
        cdef const unsigned char *data = self._data + self._first
        cdef uint64_t end = self._last - self._first, count
        cdef unsigned int head, major, length
        while True:
            if self._left == 0:
                if self._depth == 0:
                    return WHOLE if self._at <= end else SHORT
                if self._at >= end:
                    return SHORT
                if data[self._at] == 0xFF:
                    self._at += 1
                    self._depth -= 1
                    self._left = self._outer[self._depth]
                    continue
                self._left = 1
            if self._at >= end:
                return SHORT
            head = data[self._at]
            major, count = head >> 5, head & 31
            length = 0
            if count >= 24:
                if count == 31 and 2 <= major <= 5:
                    self._left -= 1
                    if not self._deepen():
                        return NO_VALUE
                    self._at += 1
                    continue
                if count >= 28:
                    return NO_VALUE
                length = 1 << (count - 24)
                if self._at + length >= end:
                    return SHORT
                count = _big(data + self._at + 1, length)
            self._at += 1 + length
            self._left -= 1
            if 2 <= major <= 5:
                if major < 4:
                    self._at += min(count, BEYOND)
                else:
                    self._left += min(count, BEYOND) << (major == 5)
                if count >= BEYOND:
                    return SHORT
            elif major == 6:
                self._left += 1

    cdef int _scan_pickle(self) noexcept:
        cdef const unsigned char *data = self._data + self._first
        cdef const unsigned char *line
        cdef uint64_t end = self._last - self._first, at = self._at, count
        cdef int argument, length
        while at < end:
            if self._lines:
                line = <const unsigned char *>memchr(data + at, c"\n", end - at)
                if line is NULL:
                    at = end
                    break
                at = line - data + 1
                self._lines -= 1
                continue
            argument = _ARGUMENT[data[at]]
            if argument >= 0:
                at += 1 + argument
                if data[at - 1 - argument] == c".":
                    self._at = at
                    return WHOLE
            elif argument == NO_OPCODE:
                self._at = at
                return NO_VALUE
            elif argument == TO_NEWLINE or argument == TWO_LINES:
                at += 1
                self._lines = 1 if argument == TO_NEWLINE else 2
            else:
                length = 1 if argument == LENGTH_1 else 8 if argument == LENGTH_8 else 4
                if at + length >= end:
                    break
                at += 1
                count = data[at] if length == 1 else _little4(data + at) if length == 4 else _little8(data + at)
                at += length + min(count, BEYOND)
        self._at = at
        return SHORT

    cdef int _scan_marshal(self) noexcept:
        cdef const unsigned char *data = self._data + self._first
        cdef uint64_t end = self._last - self._first, at, count
        cdef int64_t digits
        cdef int head
        cdef unsigned int length
        while True:
            at = self._at
            if self._left == 0:
                if self._depth == 0:
                    return WHOLE if at <= end else SHORT
                if at >= end:
                    return SHORT
                if data[at] & 0x7F == c"0":  # NULL ends a dict
                    self._at += 1
                    self._depth -= 1
                    self._left = self._outer[self._depth]
                    continue
                self._left = 2
            if at >= end:
                return SHORT
            head = data[at] & 0x7F  # without FLAG_REF
            count = 0
            length = 0
            if head in (c"i", c"r"):
                count = 4
            elif head in (c"g", c"I"):
                count = 8
            elif head == c"y":
                count = 16
            elif head in (c"z", c"Z", c"f", c"x", c")"):
                length = 1
            elif head in (c"a", c"A", c"u", c"t", c"s", c"l", c"(", c"[", c"<", c">"):
                length = 4
            elif head not in (c"N", c"T", c"F", c"S", c".", c"{"):
                return NO_VALUE
            if at + length >= end:
                return SHORT
            if length:
                count = data[at + 1] if length == 1 else _little4(data + at + 1)
            if head == c"x":  # two numbers as text
                if at + count + 2 >= end:
                    return SHORT
                count += 1 + data[at + count + 2]
            elif head == c"l":
                # Digits of two bytes each; their number is negative where the int is.
                digits = <int32_t>count
                count = 2 * <uint64_t>(digits if digits >= 0 else -digits)
            self._left -= 1
            if head == c"{":
                if not self._deepen():
                    return NO_VALUE
                self._at += 1
            elif head in (c"(", c"[", c"<", c">", c")"):
                self._at += 1 + length
                self._left += count
            else:
                self._at += 1 + length + count
