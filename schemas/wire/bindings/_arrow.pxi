# Convert the rows of a batch to Arrow's columns, and back.
#
# Buffers have the layout of the Arrow columnar format, and are passed through the C data interface, whose
# structs are stable: arrow.apache.org/docs/format/CDataInterface.html. So no object for each column and none of
# Arrow's headers are needed. A column is written and read as a whole.

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_SetItem
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE, PyList_GetSlice, PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.limits cimport INT_MAX
from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t,
)
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from ....codecs.safety.keys import FEW_KEYS, refuse_one_hash

cdef extern from "Python.h":
    int PyUnicode_CheckExact(object)
    int PyUnicode_IS_COMPACT_ASCII(object)
    const char *PyUnicode_AsUTF8AndSize(object, Py_ssize_t *) except NULL
    bytes PyUnicode_AsUTF8String(object)

cdef extern from *:
    """
    #include <stdint.h>

    struct ArrowArray {
        int64_t length;
        int64_t null_count;
        int64_t offset;
        int64_t n_buffers;
        int64_t n_children;
        void **buffers;
        struct ArrowArray **children;
        struct ArrowArray *dictionary;
        void (*release)(struct ArrowArray *);
        void *private_data;
    };
    """
    struct ArrowArray:
        int64_t length
        int64_t null_count
        int64_t offset
        int64_t n_buffers
        int64_t n_children
        void **buffers
        ArrowArray **children
        ArrowArray *dictionary
        void (*release)(ArrowArray *) noexcept nogil
        void *private_data

cdef object GAP = type("Gap", (), {"__repr__": lambda self: "nothing"})()
"""Placeholder in a column for absent values: missing fields, and everything below a null."""


cdef void _release(ArrowArray *array) noexcept nogil:
    cdef int64_t i
    for i in range(array.n_children):
        if array.children[i].release is not NULL:
            array.children[i].release(array.children[i])
        free(array.children[i])
    for i in range(array.n_buffers):
        free(array.buffers[i])
    free(array.children)
    free(array.buffers)
    array.release = NULL


cdef inline void *_room(void *before, size_t size) except NULL:
    """Return a buffer of `size` bytes, with the contents of `before`."""
    cdef void *made = realloc(before, size if size else 1)
    if made is NULL:
        raise MemoryError
    return made


cdef int _begin(ArrowArray *array, Py_ssize_t length, int buffers, int children) except -1:
    """Initialize an array without contents. Its release function frees all that is added to it."""
    cdef int i
    memset(array, 0, sizeof(ArrowArray))
    array.buffers = <void **>calloc(buffers + 1, sizeof(void *))
    array.children = <ArrowArray **>calloc(children + 1, sizeof(ArrowArray *))
    if array.buffers is NULL or array.children is NULL:
        free(array.buffers)
        free(array.children)
        raise MemoryError
    array.release, array.length, array.n_buffers = _release, length, buffers
    for i in range(children):
        array.children[i] = <ArrowArray *>calloc(1, sizeof(ArrowArray))
        if array.children[i] is NULL:
            raise MemoryError
        array.n_children = i + 1
    return 0


cdef int _clear(ArrowArray *array, Py_ssize_t row) except -1:
    """Mark a row as null."""
    cdef size_t size
    if array.buffers[0] is NULL:
        size = (array.length + 7) // 8
        array.buffers[0] = _room(NULL, size)
        memset(array.buffers[0], 0xFF, size)
    (<uint8_t *>array.buffers[0])[row >> 3] &= ~(1 << (row & 7))
    array.null_count += 1
    return 0


cdef bytearray _present(ArrowArray *array, int64_t start, int64_t count, bytearray mask):
    """Return a byte for each row that says whether it has a value; None if all have one.

    Args:
        mask: The same for the enclosing values.
    """
    cdef const uint8_t *valid = <const uint8_t *>array.buffers[0]
    cdef bytearray made
    cdef int64_t i, at = array.offset + start
    if array.null_count == 0 or valid is NULL:
        return mask
    made = PyByteArray_FromStringAndSize(NULL, count)
    for i in range(count):
        PyByteArray_AS_STRING(made)[i] = (
            (valid[(at + i) >> 3] >> ((at + i) & 7)) & 1
            and (mask is None or PyByteArray_AS_STRING(mask)[i] != 0)
        )
    return made


cdef inline bint _lacks(bytearray present, int64_t row) noexcept:
    return present is not None and not PyByteArray_AS_STRING(present)[row]


cdef inline int _put(list made, Py_ssize_t i, object value) except -1:
    Py_INCREF(value)
    PyList_SET_ITEM(made, i, value)
    return 0


cdef object _in_row(object error, Py_ssize_t row, str part=""):
    """Return the error of a row's value, with the row, and with `part` in front of the path."""
    made = placed(error, part)
    made.row = row
    return made


cdef class Column:
    """The values of one field in all rows of a batch.

    Attributes:
        nulls: Whether the values may be None, which is written as null. The default is False.
        gaps: Whether they may be missing, which is written as null. If both are possible, another column
            distinguishes them.
    """

    cdef public bint nulls
    cdef public bint gaps

    cdef inline bint empty(self, object value):
        return value is GAP or (value is None and self.nulls)

    cdef int skip(self, ArrowArray *array, Py_ssize_t row) except -1:
        """Leave a row without a value: null, or zeros if it cannot be null but is below one."""
        return _clear(array, row) if self.nulls or self.gaps else 0

    cdef object gap(self):
        """Return the value for a null."""
        return None if self.nulls and not self.gaps else GAP

    cdef int write(self, list values, ArrowArray *array) except -1:
        raise NotImplementedError

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        """Return the values of `count` rows; rows that are null or masked have no value."""
        raise NotImplementedError


cdef class Nulls(Column):
    """Rows that are all None or missing."""

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row
        _begin(array, len(values), 0, 0)
        array.null_count = array.length
        for row, value in enumerate(values):
            if value is not None and value is not GAP:
                raise _in_row(MisfitError(f"expected None, got {type(value).__name__}"), row)
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        return [GAP if self.gaps else None] * count


cdef class Bits(Column):
    """True and False."""

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0
        cdef uint8_t *bits
        _begin(array, len(values), 2, 0)
        array.buffers[1] = _room(NULL, (array.length + 7) // 8)
        bits = <uint8_t *>array.buffers[1]
        memset(bits, 0, (array.length + 7) // 8)
        for value in values:
            if value is True:
                bits[row >> 3] |= 1 << (row & 7)
            elif value is not False:
                if not self.empty(value):
                    raise _in_row(MisfitError(f"expected bool, got {type(value).__name__}"), row)
                self.skip(array, row)
            row += 1
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count)
        cdef const uint8_t *bits = <const uint8_t *>array.buffers[1]
        cdef bytearray present = _present(array, start, count, mask)
        cdef int64_t i, at
        for i in range(count):
            at = array.offset + start + i
            if _lacks(present, i):
                _put(made, i, self.gap())
            else:
                _put(made, i, True if (bits[at >> 3] >> (at & 7)) & 1 else False)
        return made


cdef class Numbers(Column):
    """Integers and floats.

    Args:
        form: Format of the module `struct`: one of ``bhiqBHIQfd``.
        to: Converts a value to an int or float.
        back: Converts this to the value; None if it is the value.
        floats: Whether values are floats even if the column has integers.
    """

    cdef char form
    cdef Step to
    cdef Step back
    cdef bint floats

    def __init__(self, form, Step to, Step back=None, floats=False):
        self.form, self.to, self.back, self.floats = ord(form), to, back, floats

    cdef int width(self):
        return {b"b": 1, b"B": 1, b"h": 2, b"H": 2, b"i": 4, b"I": 4, b"f": 4}.get(bytes((self.form,)), 8)

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0
        cdef void *data
        cdef char form = self.form
        cdef int over = 0
        cdef int64_t number
        cdef bint plain = isinstance(self.to, (Int, Float))
        _begin(array, len(values), 2, 0)
        data = array.buffers[1] = _room(NULL, array.length * self.width())
        memset(data, 0, array.length * self.width())
        for value in values:
            if form == c"q" and plain and PyLong_CheckExact(value):
                number = PyLong_AsLongLongAndOverflow(value, &over)
                if not over:
                    (<int64_t *>data)[row] = number
                    row += 1
                    continue
            elif form == c"d" and plain and PyFloat_CheckExact(value):
                (<double *>data)[row] = value
                row += 1
                continue
            if self.empty(value):
                self.skip(array, row)
                row += 1
                continue
            try:
                value = turned(self.to, value)
                if form == c"q":
                    (<int64_t *>data)[row] = value
                elif form == c"d":
                    (<double *>data)[row] = value
                elif form == c"i":
                    (<int32_t *>data)[row] = value
                elif form == c"f":
                    (<float *>data)[row] = value
                elif form == c"b":
                    (<int8_t *>data)[row] = value
                elif form == c"h":
                    (<int16_t *>data)[row] = value
                elif form == c"B":
                    (<uint8_t *>data)[row] = value
                elif form == c"H":
                    (<uint16_t *>data)[row] = value
                elif form == c"I":
                    (<uint32_t *>data)[row] = value
                else:
                    (<uint64_t *>data)[row] = value
            except Exception as error:
                raise _in_row(error, row) from error.__cause__
            row += 1
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count)
        cdef int64_t i, at = array.offset + start
        cdef void *data = array.buffers[1]
        cdef char form = self.form
        cdef bytearray present = _present(array, start, count, mask)
        cdef object value
        for i in range(count):
            if _lacks(present, i):
                _put(made, i, self.gap())
                continue
            if form == c"q":
                value = (<int64_t *>data)[at + i]
            elif form == c"d":
                value = (<double *>data)[at + i]
            elif form == c"i":
                value = (<int32_t *>data)[at + i]
            elif form == c"f":
                value = (<float *>data)[at + i]
            elif form == c"b":
                value = (<int8_t *>data)[at + i]
            elif form == c"h":
                value = (<int16_t *>data)[at + i]
            elif form == c"B":
                value = (<uint8_t *>data)[at + i]
            elif form == c"H":
                value = (<uint16_t *>data)[at + i]
            elif form == c"I":
                value = (<uint32_t *>data)[at + i]
            else:
                value = (<uint64_t *>data)[at + i]
            if self.floats:
                value = float(value)
            _put(made, i, value if self.back is None else self.back.turn(value))
        return made


cdef class Texts(Column):
    """Text and bytes of any length.

    Args:
        text: Whether it is UTF-8.
        large: Whether offsets have 64 bits.
        to: Converts a value to text or bytes.
        back: Converts these to the value; None if they are the value.
    """

    cdef bint text
    cdef bint large
    cdef Step to
    cdef Step back

    def __init__(self, text, large, Step to, Step back=None):
        self.text, self.large, self.to, self.back = text, large, to, back

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0, size = 0, end = 0, room
        cdef const char *part
        cdef bint plain = type(self.to) is Exact
        cdef object encoded
        _begin(array, len(values), 3, 0)
        _first_offset(array, self.large)
        room = 32 * array.length + 64
        array.buffers[2] = _room(NULL, room)
        for value in values:
            if self.empty(value):
                self.skip(array, row)
            else:
                try:
                    if not (plain and PyUnicode_CheckExact(value) and self.text):
                        value = turned(self.to, value)
                    if self.text and not isinstance(value, str):
                        raise MisfitError(f"expected str, got {type(value).__name__}")
                    if self.text and PyUnicode_IS_COMPACT_ASCII(value):
                        part = PyUnicode_AsUTF8AndSize(value, &size)
                    else:
                        # Not by the function above, which would cache the UTF-8 in the text object.
                        encoded = PyUnicode_AsUTF8String(value) if self.text else value
                        if not PyBytes_CheckExact(encoded):
                            raise MisfitError(f"expected bytes, got {type(encoded).__name__}")
                        part, size = PyBytes_AS_STRING(encoded), PyBytes_GET_SIZE(encoded)
                    if not self.large and size > INT_MAX - end:
                        raise MisfitError("a column holds more than 2 GiB")
                except Exception as error:
                    raise _in_row(error, row) from error.__cause__
                if end + size > room:
                    room = 2 * (end + size)
                    array.buffers[2] = _room(array.buffers[2], room)
                memcpy(<char *>array.buffers[2] + end, part, size)
                end += size
            row += 1
            _mark(array, row, end, self.large)
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count)
        cdef int64_t i, begin, end, at = array.offset + start
        cdef const char *data = <const char *>array.buffers[2]
        cdef bytearray present = _present(array, start, count, mask)
        cdef object value
        for i in range(count):
            if _lacks(present, i):
                _put(made, i, self.gap())
                continue
            begin, end = _bounds(array, at + i, self.large)
            if begin == end:
                value = "" if self.text else b""
            elif self.text:
                value = PyUnicode_DecodeUTF8(data + begin, end - begin, NULL)
            else:
                value = PyBytes_FromStringAndSize(data + begin, end - begin)
            _put(made, i, value if self.back is None else self.back.turn(value))
        return made


cdef int _first_offset(ArrowArray *array, bint large) except -1:
    """Allocate the offsets of rows, and set the first one."""
    array.buffers[1] = _room(NULL, (array.length + 1) * (8 if large else 4))
    return _mark(array, 0, 0, large)


cdef inline int _mark(ArrowArray *array, Py_ssize_t row, Py_ssize_t end, bint large) except -1:
    """Set the offset at which a row begins and the previous one ends."""
    if large:
        (<int64_t *>array.buffers[1])[row] = end
    elif end > INT_MAX:
        raise _in_row(MisfitError("a column holds more than 2**31 items"), row - 1)
    else:
        (<int32_t *>array.buffers[1])[row] = <int32_t>end
    return 0


cdef inline (int64_t, int64_t) _bounds(ArrowArray *array, int64_t at, bint large) noexcept:
    if large:
        return (<int64_t *>array.buffers[1])[at], (<int64_t *>array.buffers[1])[at + 1]
    return (<int32_t *>array.buffers[1])[at], (<int32_t *>array.buffers[1])[at + 1]


cdef class Blocks(Column):
    """Bytes of a fixed length.

    Args:
        width: The length.
        to: Converts a value to bytes of this length.
        back: Converts these to the value; None if they are the value.
    """

    cdef Py_ssize_t width
    cdef Step to
    cdef Step back

    def __init__(self, width, Step to, Step back=None):
        self.width, self.to, self.back = width, to, back

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0, width = self.width
        _begin(array, len(values), 2, 0)
        array.buffers[1] = _room(NULL, array.length * width)
        memset(array.buffers[1], 0, array.length * width)
        for value in values:
            if self.empty(value):
                self.skip(array, row)
            else:
                try:
                    value = turned(self.to, value)
                    if not PyBytes_CheckExact(value) or PyBytes_GET_SIZE(value) != width:
                        raise MisfitError(f"expected {width} bytes, got {len(value)}")
                except Exception as error:
                    raise _in_row(error, row) from error.__cause__
                memcpy(<char *>array.buffers[1] + row * width, PyBytes_AS_STRING(value), width)
            row += 1
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count)
        cdef int64_t i, at = array.offset + start
        cdef const char *data = <const char *>array.buffers[1]
        cdef bytearray present = _present(array, start, count, mask)
        for i in range(count):
            if _lacks(present, i):
                _put(made, i, self.gap())
                continue
            value = PyBytes_FromStringAndSize(data + (at + i) * self.width, self.width)
            _put(made, i, value if self.back is None else self.back.turn(value))
        return made


cdef class Known(Column):
    """Leaves that are encoded as indices of a dictionary. Such columns are only read.

    Args:
        form: Format of the indices, as for `Numbers`.
        values: Column of the dictionary.
    """

    cdef Numbers at
    cdef Column values

    def __init__(self, form, Column values):
        self.at, self.values = Numbers(form, None), values
        self.at.nulls = self.values.nulls = True

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list known = self.values.read(array.dictionary, 0, array.dictionary.length, None)
        cdef object gap = self.gap()
        return [gap if place is None else known[place] for place in self.at.read(array, start, count, mask)]


cdef class Lists(Column):
    """Lists, tuples and sets of any length.

    Args:
        item: Column of the items.
        kind: Container of the items in a record.
        large: Whether offsets have 64 bits.
        fixed: The length of all lists, if it is the same; else -1.
        hashed: Whether the items are hashed, and could be chosen to have the same hash.
    """

    cdef Column item
    cdef object kind
    cdef bint large
    cdef int64_t fixed
    cdef bint hashed

    def __init__(self, Column item, kind, large=False, fixed=-1, hashed=False):
        self.item, self.kind, self.large, self.fixed, self.hashed = item, kind, large, fixed, hashed

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef list flat = []
        cdef Py_ssize_t row = 0, size
        _begin(array, len(values), 1 if self.fixed >= 0 else 2, 1)
        if self.fixed < 0:
            _first_offset(array, self.large)
        for value in values:
            if self.empty(value):
                self.skip(array, row)
                if self.fixed > 0:
                    flat.extend([GAP] * self.fixed)
            else:
                if type(value) is not self.kind:
                    if not isinstance(value, self.kind):
                        reason = f"expected {self.kind.__name__}, got {type(value).__name__}"
                        raise _in_row(MisfitError(reason), row)
                    value = plain_of(value)
                size = len(flat)
                flat.extend(value)
                if 0 <= self.fixed != len(flat) - size:
                    raise _in_row(MisfitError(f"expected {self.fixed} items, got {len(flat) - size}"), row)
            row += 1
            if self.fixed < 0:
                _mark(array, row, len(flat), self.large)
        try:
            self.item.write(flat, array.children[0])
        except MisfitError as error:
            raise self.located(error, array) from error.__cause__
        return 0

    cdef inline (int64_t, int64_t) bounds(self, ArrowArray *array, int64_t at) noexcept:
        """Return the start and end of a row's items."""
        if self.fixed >= 0:
            return at * self.fixed, (at + 1) * self.fixed
        return _bounds(array, at, self.large)

    cdef (int64_t, int64_t) span(self, ArrowArray *array, int64_t at, int64_t count) noexcept:
        """Return the start and end of the items of several rows."""
        if count == 0:
            return 0, 0
        return self.bounds(array, at)[0], self.bounds(array, at + count - 1)[1]

    cdef bytearray below(
        self, ArrowArray *array, bytearray present, int64_t at, int64_t count, int64_t first, int64_t last
    ):
        """Return the mask for the items of several rows."""
        cdef bytearray made
        cdef int64_t i, begin, end
        if present is None:
            return None
        made = PyByteArray_FromStringAndSize(NULL, last - first)
        for i in range(count):
            begin, end = self.bounds(array, at + i)
            memset(PyByteArray_AS_STRING(made) + begin - first, not _lacks(present, i), end - begin)
        return made

    cdef object located(self, object error, ArrowArray *array):
        """Return the error of an item as the error of its list."""
        cdef int64_t begin, end
        cdef Py_ssize_t row, place = error.row
        for row in range(array.length):
            begin, end = self.bounds(array, row)
            if place < end:
                return _in_row(error, row, f"[{place - begin}]")
        return error

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count), items
        cdef int64_t i, first, begin, end, at = array.offset + start
        cdef bytearray present = _present(array, start, count, mask), below
        cdef object value
        first, end = self.span(array, at, count)
        below = self.below(array, present, at, count, first, end)
        items = self.item.read(array.children[0], first, end - first, below)
        cdef bint sure = self.item.nulls and not self.item.gaps or array.children[0].null_count == 0
        for i in range(count):
            if _lacks(present, i):
                _put(made, i, self.gap())
                continue
            begin, end = self.bounds(array, at + i)
            value = PyList_GetSlice(items, begin - first, end - first)
            if not sure and GAP in value:
                raise MisfitError("an item is null")
            if self.kind is not list:
                if self.hashed and end - begin > FEW_KEYS:
                    refuse_one_hash(value)
                value = self.kind(value)
            _put(made, i, value)
        return made


cdef class Maps(Lists):
    """Dicts with any keys of one kind.

    Args:
        key: Column of the keys.
        value: Column of the values.
        hashed: Whether the keys could be chosen to have the same hash.
    """

    cdef Column key
    cdef Column value

    def __init__(self, Column key, Column value, large=False, hashed=False):
        super().__init__(None, dict, large, hashed=hashed)
        self.key, self.value = key, value

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef list keys = [], items = []
        cdef Py_ssize_t row = 0
        cdef ArrowArray *pairs
        _begin(array, len(values), 2, 1)
        _first_offset(array, self.large)
        for value in values:
            if self.empty(value):
                self.skip(array, row)
            elif not isinstance(value, dict):
                raise _in_row(MisfitError(f"expected dict, got {type(value).__name__}"), row)
            else:
                if not PyDict_CheckExact(value):
                    value = plain_of(value)
                keys.extend(value)
                items.extend(value.values())
                if len(keys) != len(items):
                    raise _in_row(MisfitError("has other keys than values"), row)
            row += 1
            _mark(array, row, len(keys), self.large)
        pairs = array.children[0]
        _begin(pairs, len(keys), 1, 2)
        try:
            self.key.write(keys, pairs.children[0])
            self.value.write(items, pairs.children[1])
        except MisfitError as error:
            part = "{" + f"{keys[error.row]!s:.40}" + "}"
            located = self.located(error, array)
            located.path = part + located.path[located.path.index("]") + 1 :]
            raise located from error.__cause__
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count), keys, items
        cdef int64_t i, j, first, begin, end, at = array.offset + start
        cdef ArrowArray *pairs = array.children[0]
        cdef bytearray present = _present(array, start, count, mask), below
        cdef dict one
        first, end = self.span(array, at, count)
        below = _present(pairs, first, end - first, self.below(array, present, at, count, first, end))
        keys = self.key.read(pairs.children[0], first + pairs.offset, end - first, below)
        items = self.value.read(pairs.children[1], first + pairs.offset, end - first, below)
        for i in range(count):
            if _lacks(present, i):
                _put(made, i, self.gap())
                continue
            begin, end = self.bounds(array, at + i)
            if self.hashed and end - begin > FEW_KEYS:
                refuse_one_hash(keys[begin - first : end - first])
            one = {}
            for j in range(begin - first, end - first):
                name, item = <object>PyList_GET_ITEM(keys, j), <object>PyList_GET_ITEM(items, j)
                if name is GAP or item is GAP:
                    raise MisfitError("a key or value of a map is null")
                PyDict_SetItem(one, name, item)
            _put(made, i, one)
        return made


cdef class Structs(Column):
    """Records, with a column for each field.

    Args:
        fields: The fields of the records.
        columns: Their columns, in the same order. In a written batch, columns for `null` of fields follow.
        children: For each field, the indices in a read batch of its column and of that for its `null`; -1 if
            there is none.
    """

    cdef Fields fields
    cdef tuple columns
    cdef Bits bits
    cdef tuple children

    def __init__(self, Fields fields, columns, children):
        self.fields, self.columns, self.bits, self.children = fields, tuple(columns), Bits(), tuple(children)

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0, known = 0, held = 0, k, flag = len(self.columns)
        cdef list rows = [], found
        cdef Field field
        cdef PyObject *item
        cdef int total = len(self.columns)
        cdef bint places = self.fields.places
        for field in self.fields.fields:
            total += bool(field.null)
        _begin(array, len(values), 1, total)
        for value in values:
            if PyDict_CheckExact(value) and not places:
                rows.append(value)
                held += PyDict_Size(value)
            elif self.empty(value):
                self.skip(array, row)
                rows.append(None)
            else:
                try:
                    rows.append(self.fields.opened(value))
                except Exception as error:
                    raise _in_row(error, row) from error.__cause__
                held += PyDict_Size(<dict>rows[row])
            row += 1
        for k, field in enumerate(self.fields.fields):
            found, row = PyList_New(len(rows)), 0
            for record in rows:
                item = NULL if record is None else PyDict_GetItemWithError(record, field.key)
                if item is not NULL:
                    known += 1
                    _put(found, row, <object>item)
                elif record is None or not field.required:
                    _put(found, row, GAP)
                else:
                    raise _in_row(MisfitError("a required field is missing"), row, field.part())
                row += 1
            try:
                (<Column>self.columns[k]).write(found, array.children[k])
                if field.null:
                    self.bits.write([value is None for value in found], array.children[flag])
                    flag += 1
            except MisfitError as error:
                raise _in_row(error, error.row, field.part()) from error.__cause__
        if known != held:
            keys = set([(<Field>each).key for each in self.fields.fields])
            for row, record in enumerate(rows):
                if record is not None and not keys.issuperset(record):
                    raise _in_row(self.fields.lacking(record), row)
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = PyList_New(count), found, flags
        cdef bytearray present = _present(array, start, count, mask)
        cdef int64_t i, below = array.offset + start
        cdef Py_ssize_t k
        cdef Field field
        cdef Column column
        cdef object key, value
        for i in range(count):
            _put(made, i, GAP if _lacks(present, i) else {})
        for k, field in enumerate(self.fields.fields):
            at, flag = self.children[k]
            if at < 0:
                continue
            column, key = self.columns[k], field.key
            found = column.read(array.children[<int64_t>at], below, count, present)
            flags = None if flag < 0 else self.bits.read(array.children[<int64_t>flag], below, count, present)
            for i in range(count):
                one = <object>PyList_GET_ITEM(made, i)
                if one is GAP:
                    continue
                value = <object>PyList_GET_ITEM(found, i)
                if value is GAP:
                    if not field.required:
                        if flags is not None and flags[i] is True:
                            PyDict_SetItem(one, key, None)
                        continue
                    raise MisfitError("a required field is null", field.part())
                PyDict_SetItem(one, key, value)
        if self.fields.places or self.fields.build is not None:
            made = [one if one is GAP else self.fields.built(one) for one in made]
        if self.nulls and not self.gaps:
            made = [None if one is GAP else one for one in made]
        return made


cdef class Choices(Column):
    """Values of a union, with a column for each option, all null except one.

    Args:
        options: In order, without steps, because the columns convert the values.
        columns: Columns of the options, each with `gaps`.
        children: Their indices in a read batch; -1 if there is none.
    """

    cdef Options options
    cdef tuple columns
    cdef tuple children

    def __init__(self, options, columns, children):
        self.options, self.columns, self.children = Options(options), tuple(columns), tuple(children)

    cdef Py_ssize_t taken(self, object value) except -1:
        """Return the index of the option that fits a value best."""
        cdef ArrowArray tried
        cdef list fitting = self.options.fitting(value)
        if len(fitting) == 1:
            return (<Field>fitting[0]).key
        refused = None
        for option in fitting:
            place = (<Field>option).key
            memset(&tried, 0, sizeof(ArrowArray))
            try:
                (<Column>self.columns[place]).write([value], &tried)
                return place
            except MisfitError as error:
                refused = error
            finally:
                if tried.release is not NULL:
                    tried.release(&tried)
        raise refused

    cdef int write(self, list values, ArrowArray *array) except -1:
        cdef Py_ssize_t row = 0, place
        cdef list found
        _begin(array, len(values), 1, len(self.columns))
        found = [[GAP] * len(values) for _ in self.columns]
        for value in values:
            if self.empty(value):
                self.skip(array, row)
            else:
                try:
                    place = self.taken(value)
                except Exception as error:
                    raise _in_row(error, row) from error.__cause__
                (<list>found[place])[row] = value
            row += 1
        for place in range(len(self.columns)):
            (<Column>self.columns[place]).write(found[place], array.children[place])
        return 0

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = [GAP] * count, found
        cdef bytearray present = _present(array, start, count, mask)
        cdef int64_t i, below = array.offset + start
        for column, at in zip(self.columns, self.children):
            if at < 0:
                continue
            found = (<Column>column).read(array.children[<int64_t>at], below, count, present)
            for i in range(count):
                if found[i] is not GAP and made[i] is GAP:
                    made[i] = found[i]
        for i in range(count):
            if _lacks(present, i):
                made[i] = self.gap()
            elif made[i] is GAP:
                raise MisfitError("no option of the union is present")
        return made


cdef class Alone(Column):
    """The only column of rows that are not records."""

    cdef Column column

    def __init__(self, Column column):
        self.column = column

    cdef int write(self, list values, ArrowArray *array) except -1:
        _begin(array, len(values), 1, 1)
        return self.column.write(values, array.children[0])

    cdef list read(self, ArrowArray *array, int64_t start, int64_t count, bytearray mask):
        cdef list made = self.column.read(array.children[0], array.offset + start, count, mask)
        if array.children[0].null_count and GAP in made:
            raise MisfitError("it is null")
        return made


cdef class ToBatch(Step):
    """Converts records to a batch.

    Args:
        column: Column of the records.
        kind: Container of the records; None for a single record.
        take: Takes ownership of an array of the C data interface, given its address, and returns the batch.
    """

    cdef Column column
    cdef object kind
    cdef object take

    def __init__(self, Column column, kind, take):
        self.column, self.kind, self.take = column, kind, take

    cdef object turn(self, object value):
        cdef ArrowArray array
        cdef list rows
        if self.kind is None:
            rows = [value]
        elif isinstance(value, self.kind):
            rows = list(plain_of(value))
        else:
            raise MisfitError(f"expected {self.kind.__name__} of records, got {type(value).__name__}")
        memset(&array, 0, sizeof(ArrowArray))
        try:
            self.column.write(rows, &array)
            return self.take(<uintptr_t>&array)
        except MisfitError as error:
            if self.kind is not None:
                error.path = f"[{error.row}]{error.path}"
            raise
        finally:
            if array.release is not NULL:
                array.release(&array)


cdef class FromBatches(Step):
    """Converts batches to records.

    Args:
        column: Column of the records.
        kind: Container of the records; None for a single record.
        hashed: As for `Lists`.
    """

    cdef Column column
    cdef object kind
    cdef bint hashed

    def __init__(self, Column column, kind, hashed=False):
        self.column, self.kind, self.hashed = column, kind, hashed

    cdef object turn(self, object value):
        cdef ArrowArray array
        cdef list rows = []
        for batch in value:
            memset(&array, 0, sizeof(ArrowArray))
            batch._export_to_c(<uintptr_t>&array)
            try:
                rows += self.column.read(&array, 0, array.length, None)
            finally:
                if array.release is not NULL:
                    array.release(&array)
        if self.kind is None:
            if len(rows) != 1:
                raise MisfitError(f"holds {len(rows)} records; a schema of lists of them reads these")
            return rows[0]
        if self.kind is list:
            return rows
        if self.hashed and len(rows) > FEW_KEYS:
            refuse_one_hash(rows)
        return self.kind(rows)
