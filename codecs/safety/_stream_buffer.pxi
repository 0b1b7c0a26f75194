# Buffer the bytes of a stream, and find the end of the first value.
#
# A scan stops at the end of the bytes and resumes there, so a value received byte by byte is scanned once.

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from libc.string cimport memcpy, memmove

cdef enum:
    # Maximum bytes of a buffer that is kept when it is empty.
    KEPT = 256 * 1024


cdef class StreamBuffer:
    """The bytes of a stream that were received and not yet taken.

    Attributes:
        start: Offset in the stream of the bytes that were taken last.
        position: Offset in the stream of the bytes to take next.
        ended: Whether the stream has ended.
    """

    cdef public Py_ssize_t start
    cdef readonly Py_ssize_t position
    cdef readonly bint ended
    cdef unsigned char *_data
    cdef Py_ssize_t _capacity
    cdef Py_ssize_t _first
    cdef Py_ssize_t _last
    # The scan of the first value; for a line, only its `at` is used.
    cdef scan_t _scan

    def __cinit__(self):
        self._scan.left = 1

    def __dealloc__(self):
        PyMem_Free(self._data)
        PyMem_Free(self._scan.outer)

    def __len__(self):
        return self._last - self._first

    def feed(self, chunk, /):
        """Add received bytes: any object with a contiguous buffer.

        Raises:
            TypeError: It has no buffer.
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
        """Mark the stream as ended."""
        self.ended = True

    cdef int _make_room(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t held = self._last - self._first, wanted
        if size <= self._capacity - self._last:
            return 0
        # Move the bytes only if no more than that were taken, so that a byte is moved once on average.
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
        self._scan.at, self._scan.left, self._scan.depth, self._scan.lines = 0, 1, 0, 0
        if self._first == self._last:
            self._first = self._last = 0
            if self._capacity > KEPT:
                PyMem_Free(self._data)
                self._data, self._capacity = NULL, 0
        return 0

    def peek(self, Py_ssize_t size, /):
        """Return up to `size` bytes from the beginning, without taking them."""
        return self._bytes(min(max(size, 0), self._last - self._first))

    def take(self, Py_ssize_t size, /):
        """Take and return up to `size` bytes from the beginning."""
        taken = self.peek(size)
        self._drop(len(taken))
        return taken

    def drop(self, Py_ssize_t size, /):
        """Drop up to `size` bytes from the beginning, and return how many."""
        size = min(max(size, 0), self._last - self._first)
        self._drop(size)
        return size

    cdef bytes _bytes(self, Py_ssize_t size):
        return PyBytes_FromStringAndSize(<char *>self._data + self._first, size) if size else b""

    def line(self):
        """Take the next line with its newline, or the rest of an ended stream; None if there is neither."""
        cdef Py_ssize_t held = self._last - self._first
        cdef const unsigned char *found = NULL
        if <Py_ssize_t>self._scan.at < held:
            found = <const unsigned char *>memchr(
                self._data + self._first + self._scan.at, c"\n", held - self._scan.at
            )
        if found is NULL:
            self._scan.at = held
            return self.take(held) if self.ended and held else None
        return self.take(found - self._data - self._first + 1)

    def skip_to(self, bytes mark not None, /):
        """Drop all bytes before a mark, and return whether it was found."""
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
        # The bytes that are left may be the beginning of the mark.
        self._drop(at - self._first)
        return length == 0

    def value(self, str kind, Py_ssize_t limit, /):
        """Take and return the payload of the first value, or None if it is not complete yet.

        Args:
            kind: One of `kinds` that has ``"resume"``.
            limit: Maximum bytes of the payload.

        Raises:
            TooMuchError: The payload is longer, or states a greater length.
            ValueError: Malformed value, or unknown kind.
        """
        cdef const unsigned char *data = self._data + self._first
        cdef Py_ssize_t size = self._last - self._first
        cdef scan_t *scan = &self._scan
        cdef kind_t *known = _kind(kind)
        cdef held_t held = held_t(0, 0, False, False, False)
        cdef int state
        if scan.outer is NULL:
            scan.outer = <uint64_t *>PyMem_Malloc(DEEPEST * sizeof(uint64_t))
            if scan.outer is NULL:
                raise MemoryError
        if known is NULL or known.resume is NULL:
            raise ValueError(f"nothing finds the ends of {kind!r} in a stream")
        state = known.resume(data, size, scan, &held)
        if state == NO_VALUE:
            raise ValueError(f"no value goes on with the byte 0x{data[scan.at]:02x} there")
        # Each value takes at least one byte.
        if scan.at > <uint64_t>limit or scan.left > limit - scan.at:
            raise TooMuchError
        return self.take(scan.at) if state == WHOLE else None
