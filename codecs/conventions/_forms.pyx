# cython: language_level=3, embedsignature=True, embedsignature.format=clinic, boundscheck=False, wraparound=False, auto_pickle=False
"""The compiled part of the conventions: what libraries call for each value that they do not support.

Such a hook decides what a record of these types costs, so it takes no longer than a line of its user's Python.
"""

from binascii import b2a_base64

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.datetime cimport (
    PyDateTime_Check, datetime_day, datetime_hour, datetime_microsecond, datetime_minute, datetime_month,
    datetime_second, datetime_tzinfo, datetime_year, import_datetime,
)
from cpython.dict cimport PyDict_CheckExact, PyDict_GetItem, PyDict_Next
from cpython.list cimport PyList_CheckExact
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_CheckExact

import datetime as dt
import enum
from decimal import Decimal
from uuid import UUID

from libc.stdint cimport int64_t, uint64_t

from .._stack cimport RESERVE, stack_left

import_datetime()

cdef extern from "Python.h":
    PyObject *type_of "(PyObject *)Py_TYPE"(PyObject *value)
    Py_ssize_t size_of_list "PyList_GET_SIZE"(PyObject *value)
    PyObject *item_of_list "PyList_GET_ITEM"(PyObject *value, Py_ssize_t index)
    int next_of_dict "PyDict_Next"(PyObject *value, Py_ssize_t *position, PyObject **key, PyObject **item)

cdef extern from *:
    """
    /* Return a tuple of a subclass without a constructor of its own, such as a named tuple; NULL without memory. */
    static PyObject *bakeoff_pair_of(PyObject *kind, PyObject *first, PyObject *second) {
        PyObject *made = ((PyTypeObject *)kind)->tp_alloc((PyTypeObject *)kind, 2);
        if (made != NULL) {
            PyTuple_SET_ITEM(made, 0, Py_NewRef(first));
            PyTuple_SET_ITEM(made, 1, Py_NewRef(second));
        }
        return made;
    }
    """
    object pair_of "bakeoff_pair_of"(object kind, object first, object second)

cdef extern from *:
    """
    /* Return whether a text begins with a digit or a minus. */
    static inline int bakeoff_begins_like_number(PyObject *text) {
        Py_UCS4 first = PyUnicode_GET_LENGTH(text) ? PyUnicode_READ_CHAR(text, 0) : 0;
        return first - '0' < 10 || first == '-';
    }
    /* Return whether no text among the keys of a dict is the text of an integer; 0 also without memory. */
    static int bakeoff_is_single(PyObject *dict, PyObject *integer) {
        PyObject *text = PyObject_Str(integer);
        int found = text == NULL ? -1 : PyDict_Contains(dict, text);
        Py_XDECREF(text);
        if (found < 0) PyErr_Clear();
        return found == 0;
    }
    """
    bint begins_like_number "bakeoff_begins_like_number"(PyObject *text) noexcept
    bint is_single "bakeoff_is_single"(PyObject *record, PyObject *integer) noexcept

cdef enum:
    # The most that any library writes: orjson.
    LEVELS = 254
    # Types whose form is known at once.
    KNOWN = 1024

cdef object UTC = dt.timezone.utc
cdef object ExtType = None
cdef frozenset LEAVES = frozenset({
    bytes, bytearray, memoryview, Decimal, UUID, dt.datetime, dt.date, dt.time, dt.timedelta,
})


cdef class Forms:
    """The written forms of types.

    Args:
        write: Functions by type.
        found: Functions by type that `other` has found so far.
        named: The named tuples that it has met, which are written like tuples.
        other: Returns the form of a value of any other type.
        doubt: Called when a list or a dict is returned; None: not.
        exact: ``(form) -> form``, for forms that may hold other values; None: they are returned as they are.
    """

    cdef dict _write
    cdef dict _found
    cdef set _named
    cdef object _other
    cdef object _doubt
    cdef object _exact

    def __init__(self, dict write, dict found, set named, other, doubt=None, exact=None):
        self._write, self._found, self._named, self._other, self._doubt = write, found, named, other, doubt
        self._exact = exact

    def leaf(self, value, /):
        """Return the written form of a value that a library does not support; a hook for most libraries.

        Raises:
            TypeError: No convention for this type.
        """
        cdef PyObject *write = PyDict_GetItem(self._write, type(value))
        if write is NULL:
            write = PyDict_GetItem(self._found, type(value))
        if write is NULL and type(value) in self._named:
            write = PyDict_GetItem(self._write, tuple)
        # A reference of its own, as the call may run code that forgets the function.
        convert = self._other if write is NULL else <object>write
        form = convert(value)
        if self._doubt is not None and (PyList_CheckExact(form) or PyDict_CheckExact(form)):
            self._doubt()
        return form if self._exact is None or _is_scalar(<PyObject *>form) else self._exact(form)


cdef class Rewriter:
    """Rewrites the values that a library would write by rules of its own, or by methods of a subclass.

    Args:
        form_of: ``(type) -> (value) -> form, or None``: what converts the values of a type; None leaves them to the
            library.
        fields_of: ``(type) -> names or None``: the fields of a class whose objects the library writes, or a hook.
        opened: ``(object) -> form``: such an object as plain values.
    """

    cdef object _form_of
    cdef object _fields_of
    cdef object _opened
    cdef dict _known

    def __init__(self, form_of, fields_of, opened):
        self._form_of, self._fields_of, self._opened, self._known = form_of, fields_of, opened, {}

    def rewrite(self, record, /):
        """Return a record in which these values are converted: the record itself if there are none.

        Raises:
            RecursionError: It is too deep, or contains itself.
        """
        return self._rewritten(record)

    def forget(self):
        """Ask again for the forms of all types."""
        self._known.clear()

    cdef object _rewritten(self, object value):
        cdef PyObject *kind = type_of(<PyObject *>value)
        if stack_left() < RESERVE:
            raise RecursionError("nested too deeply")
        if kind is <PyObject *>dict:
            return self._dict(value)
        if kind is <PyObject *>list or kind is <PyObject *>tuple:
            return self._items(value)
        form = self._known_form(type(value))
        if form is None:
            return self._set(value) if kind is <PyObject *>set or kind is <PyObject *>frozenset else value
        if type(form) is not tuple:
            return self._rewritten(form(value))
        for name in <tuple>form:
            held = getattr(value, name, None)
            if not _is_scalar(<PyObject *>held) and self._rewritten(held) is not held:
                return self._rewritten(self._opened(value))
        return value

    cdef object _known_form(self, kind):
        """Return a function, the names of fields as a tuple, or None."""
        cdef PyObject *found = PyDict_GetItem(self._known, kind)
        if found is not NULL:
            return <object>found
        form = self._form_of(kind)
        if form is None:
            form = self._fields_of(kind)
        if len(self._known) >= KNOWN:
            self._known.clear()
        self._known[kind] = form
        return form

    cdef object _dict(self, dict value):
        cdef dict changed = None
        for key, item in value.items():
            name = key if _is_scalar(<PyObject *>key) else self._rewritten(key)
            held = item if _is_scalar(<PyObject *>item) else self._rewritten(item)
            if held is item and name is key:
                continue
            if name is not key:
                # Its place changes, so all others follow in their order.
                changed = {self._rewritten(key): self._rewritten(item) for key, item in value.items()}
                if len(changed) != len(value):
                    raise ValueError("two keys of a dict are written alike")
                return changed
            if changed is None:
                changed = value.copy()
            changed[key] = held
        return value if changed is None else changed

    cdef object _set(self, value):
        items = [item if _is_scalar(<PyObject *>item) else self._rewritten(item) for item in value]
        if all([made is item for made, item in zip(items, value)]):
            return value
        changed = type(value)(items)
        if len(changed) != len(value):
            raise ValueError("two items of a set are written alike")
        return changed

    @cython.boundscheck(True)  # a method of an item may shorten the list
    cdef object _items(self, value):
        cdef list changed = None
        cdef Py_ssize_t position = 0
        for item in value:
            if not _is_scalar(<PyObject *>item):
                held = self._rewritten(item)
                if held is not item:
                    if changed is None:
                        changed = list(value)
                    changed[position] = held
            position += 1
        if changed is None:
            return value
        return changed if PyList_CheckExact(value) else tuple(changed)


def base64_text(value, /):
    """Return bytes as base64 text, without line breaks."""
    return b2a_base64(value, newline=False).decode("ascii")


def utc_or_text(value, /):
    """Native in UTC, else ISO 8601 text.

    MessagePack's timestamp is a moment in UTC; anything else would lose its offset.
    Source: msgpack/spec.md, "Timestamp extension type".
    """
    global ExtType
    cdef int64_t year, era, day, seconds
    cdef uint64_t nanoseconds
    cdef unsigned char data[12]
    cdef int size
    if not PyDateTime_Check(value):
        raise TypeError(f"expected a datetime, got {type(value).__name__}")
    zone = datetime_tzinfo(value)
    if zone is not UTC:
        offset = None if zone is None else value.utcoffset()
        if offset is None or offset:
            return value.isoformat()
    if ExtType is None:
        from msgpack import ExtType as found

        ExtType = found
    # Days since 1970 of the calendar that Python extends to all years, with years that begin in March.
    year = datetime_year(value) - (datetime_month(value) <= 2)
    era = year // 400
    day = (153 * ((datetime_month(value) + 9) % 12) + 2) // 5 + datetime_day(value) - 1
    day += (year - era * 400) * 365 + (year - era * 400) // 4 - (year - era * 400) // 100
    seconds = (era * 146097 + day - 719468) * 86400
    seconds += datetime_hour(value) * 3600 + datetime_minute(value) * 60 + datetime_second(value)
    nanoseconds = <uint64_t>datetime_microsecond(value) * 1000
    if seconds >> 34:
        size = 12
        _put(data, nanoseconds, 4)
        _put(data + 4, <uint64_t>seconds, 8)
    elif nanoseconds or seconds >> 32:
        size = 8
        _put(data, nanoseconds << 34 | <uint64_t>seconds, 8)
    else:
        size = 4
        _put(data, <uint64_t>seconds, 4)
    # Not by its own constructor, which leaves the number to the library's slower class of timestamps.
    return pair_of(ExtType, -1, PyBytes_FromStringAndSize(<char *>data, size))


cdef inline void _put(unsigned char *to, uint64_t number, int size) noexcept:
    cdef int i
    for i in range(size):
        to[i] = <unsigned char>(number >> (8 * (size - 1 - i)))


cdef class KeyedEncoder:
    """An encoder of a library that writes keys as text, but some unlike the conventions, or two of a dict alike.

    Args:
        encode: The library's call, with the option that it needs for other keys than text.
        arguments: Its further arguments: two, or none.
        others: ``(dict) -> bool``: whether it writes the keys of a dict as the conventions do, for dicts with
            other keys than texts and integers.
        content: ``(object) -> object``: what an object of an unusual type holds; None if that cannot be seen.
    """

    cdef object _encode
    cdef int _count
    # Without a tuple, which each call would have to unpack.
    cdef object _first
    cdef object _second
    cdef object _others
    cdef object _content

    def __init__(self, encode, tuple arguments, others, content):
        self._encode, self._count, self._others, self._content = encode, len(arguments), others, content
        if arguments:
            self._first, self._second = arguments

    def encode(self, record, /):
        """Return the library's result.

        Raises:
            TypeError: The library may write a key otherwise, or like another one.
        """
        if not _keys_are_simple(<PyObject *>record, LEVELS) and not _keys_are_plain(
            record, self._others, self._content, LEVELS
        ):
            raise TypeError("a key that the library writes otherwise, or like another one")
        if self._count == 0:
            return self._encode(record)
        return self._encode(record, self._first, self._second)


cdef bint _keys_are_simple(PyObject *value, int left) noexcept:
    """Return the same for records of plain dicts, lists and scalars, whose keys are texts and integers.

    Most records are such, and the check runs no other code. False: `_keys_are_plain` has to look.
    """
    cdef PyObject *key
    cdef PyObject *item
    cdef PyObject *kind
    cdef Py_ssize_t position = 0
    cdef bint numbers = False, digits = False
    if left == 0:
        return False
    if type_of(value) is <PyObject *>dict:
        while next_of_dict(value, &position, &key, &item):
            kind = type_of(key)
            if kind is <PyObject *>str:
                digits |= begins_like_number(key)
            elif kind is <PyObject *>int:
                numbers = True
            else:
                return False
            if not _is_scalar(item) and not _keys_are_simple(item, left - 1):
                return False
        return not (numbers and digits)
    if type_of(value) is <PyObject *>list:
        for position in range(size_of_list(value)):
            item = item_of_list(value, position)
            if not _is_scalar(item) and not _keys_are_simple(item, left - 1):
                return False
        return True
    return _is_scalar(value)


cdef bint _keys_are_plain(object value, object others, object content, int left) except -1:
    cdef PyObject *key
    cdef PyObject *item
    cdef PyObject *kind
    cdef Py_ssize_t position = 0
    cdef bint texts = False, numbers = False, odd = False
    if left == 0:
        return False
    if PyDict_CheckExact(value):
        while PyDict_Next(value, &position, &key, &item):
            kind = type_of(key)
            if kind is <PyObject *>str:
                texts = True
            elif kind is <PyObject *>int:
                numbers = True
            else:
                odd = True
            if not _is_scalar(item):
                # Keep a reference, because `content` may run code that empties this dict.
                element = <object>item
                if not _keys_are_plain(element, others, content, left - 1):
                    return False
        if odd:
            return others(value)
        return not (texts and numbers) or _differ(value)
    if PyList_CheckExact(value):
        for element in <list>value:
            if not _is_scalar(<PyObject *>element) and not _keys_are_plain(element, others, content, left - 1):
                return False
        return True
    if PyTuple_CheckExact(value):
        for element in <tuple>value:
            if not _is_scalar(<PyObject *>element) and not _keys_are_plain(element, others, content, left - 1):
                return False
        return True
    if _is_scalar(<PyObject *>value) or type(value) in LEAVES:
        return True
    if isinstance(value, enum.Enum):
        return _keys_are_plain(value.value, others, content, left - 1)
    if type(value) is set or type(value) is frozenset:
        return _keys_are_plain(list(value), others, content, left - 1)
    inner = content(value)
    return inner is not None and _keys_are_plain(inner, others, content, left - 1)


cdef inline bint _is_scalar(PyObject *value) noexcept:
    cdef PyObject *kind = type_of(value)
    return (
        kind is <PyObject *>str or kind is <PyObject *>int or kind is <PyObject *>float
        or kind is <PyObject *>bool or value is <PyObject *>None
    )


cdef bint _differ(dict value) noexcept:
    """Return whether no integer is written like one of the texts."""
    cdef PyObject *key
    cdef Py_ssize_t position = 0
    while PyDict_Next(value, &position, &key, NULL):
        if type_of(key) is <PyObject *>int and not is_single(<PyObject *>value, key):
            return False
    return True
