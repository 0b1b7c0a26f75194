# cython: language_level=3, binding=False, embedsignature=True, boundscheck=False, wraparound=False
"""Compiled plans: trees of steps that correct a decoded record in place.

A step is made for one node of a schema. A plan for a codec holds steps only where that codec needs
them; the full plan holds all. Steps never recurse deeper than the schema, never raise for what a
record holds, and leave alone what is right. Nodes are counted: a record that shares containers so
often that the count runs out is walked again with a memo of (container, step), which is linear.
"""

cimport cython
from cpython.datetime cimport (
    PyDate_CheckExact, PyDateTime_Check, PyDateTime_CheckExact, date_new, datetime_day, datetime_fold,
    datetime_hour, datetime_microsecond, datetime_minute, datetime_month, datetime_new, datetime_second,
    datetime_tzinfo, datetime_year, import_datetime,
)
from cpython.dict cimport (
    PyDict_Check, PyDict_CheckExact, PyDict_Clear, PyDict_Contains, PyDict_Next, PyDict_SetItem,
    PyDict_Size, PyDict_Update,
)
from cpython.list cimport PyList_Append, PyList_Check, PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_Check, PyLong_CheckExact
from cpython.object cimport PyObject, PyObject_TypeCheck, PyTypeObject
from cpython.tuple cimport PyTuple_Check, PyTuple_CheckExact, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdlib cimport free, malloc

import datetime as _dt
import decimal as _decimal
import uuid as _uuid

from collections import OrderedDict
from sys import intern

from ..codecs.paths import brief, join, type_name

cdef extern from "Python.h":
    int PyUnicode_Check(object)
    int PyUnicode_CheckExact(object)
    int PyBytes_Check(object)
    int PyByteArray_Check(object)
    int PyUnicode_IS_COMPACT_ASCII(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)
    const unsigned char *PyUnicode_1BYTE_DATA(object)
    int PyFloat_CheckExact(object)
    int PyBool_Check(object)
    int PyAnySet_Check(object)
    int PyList_SetItem(object, Py_ssize_t, PyObject *) except -1
    object PyObject_Call(object, tuple, dict)
    PyObject *PyDict_GetItemWithError(object, object)
    void PyErr_Clear()
    bint PyErr_ExceptionMatches(object)
    PyObject *PyErr_Occurred()
    Py_ssize_t Py_SIZE(object)
    object PyList_GetSlice(object, Py_ssize_t, Py_ssize_t)
    int PySet_Check(object)
    void Py_INCREF(PyObject *)
    PyTypeObject *Py_TYPE(object)
    object _PyLong_FromByteArray(const unsigned char *, size_t, int, int)
    ctypedef struct PyMemberDef:
        pass
    ctypedef struct PyMemberDescrObject:
        PyMemberDef *d_member
    int PyMember_SetOne(char *, PyMemberDef *, object) except -1
    ctypedef object (*allocfunc)(PyTypeObject *, Py_ssize_t)
    ctypedef struct _Allocating "PyTypeObject":
        allocfunc tp_alloc

cdef extern from *:
    """
    /* A list of a tuple's items. PySequence_List takes a detour over an iterator's protocol, and
       PyList_New(size) zeroes what is written next: both show where lists are most of the work. */
    static PyObject *list_of(PyObject *items) {
    #if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION)
        PyObject *made;
        Py_INCREF(items);
        made = PySequence_List(items);
        Py_DECREF(items);
        return made;
    #else
        Py_ssize_t i, size = PyTuple_GET_SIZE(items);
        PyObject **held;
        PyListObject *made;
        if (size == 0)
            return PyList_New(0);
        held = PyMem_New(PyObject *, size);
        if (held == NULL)
            return PyErr_NoMemory();
        for (i = 0; i < size; i++)
            held[i] = Py_NewRef(PyTuple_GET_ITEM(items, i));
        /* This may start the collector, and that runs code which may drop the tuple. */
        made = (PyListObject *)PyList_New(0);
        if (made == NULL) {
            while (size > 0)
                Py_DECREF(held[--size]);
            PyMem_Free(held);
            return NULL;
        }
        made->ob_item = held;
        made->allocated = size;
        Py_SET_SIZE(made, size);
        return (PyObject *)made;
    #endif
    }
    """
    object list_of(object)

import_datetime()

DEF KEY_ATTACK = 64
DEF SMALL = 1000
DEF MISSES = 32
DEF WIDTH = 120


cdef class _Mark:
    cdef str name

    def __init__(self, name):
        self.name = name


cdef _Mark NONE = _Mark("no conversion from this type")
cdef _Mark BAD = _Mark("malformed")
cdef _Mark OVER = _Mark("over a limit")

cdef type DateTime = _dt.datetime
cdef type Date = _dt.date
cdef type Decimal = _decimal.Decimal
cdef type UUID = _uuid.UUID
# `Context.create_decimal` takes a third of the time of `Decimal(text)`, and rounds nothing at this precision.
cdef object decimal_of = _decimal.Context(
    prec=_decimal.MAX_PREC, Emax=_decimal.MAX_EMAX, Emin=_decimal.MIN_EMIN, clamp=0,
    traps=[_decimal.InvalidOperation, _decimal.Inexact, _decimal.Overflow, _decimal.Underflow],
).create_decimal
# Those of a subclass are its own.
cdef object is_finite = Decimal.is_finite
cdef object adjusted = Decimal.adjusted
cdef object UTC = _dt.timezone.utc
cdef object from_iso = _dt.datetime.fromisoformat
cdef object EPOCH = _dt.datetime(1970, 1, 1, tzinfo=UTC)
cdef object NAIVE_EPOCH = _dt.datetime(1970, 1, 1)
cdef object int_slot = UUID.int
cdef object safe_slot = UUID.is_safe
cdef object unknown_safety = _uuid.SafeUUID.unknown

cdef unsigned char[256] HEX
cdef int _i
for _i in range(256):
    HEX[_i] = 255
for _i in range(10):
    HEX[48 + _i] = _i
for _i in range(6):
    HEX[97 + _i] = 10 + _i
    HEX[65 + _i] = 10 + _i


class OverrunError(Exception):
    """The count of nodes ran out."""


cdef struct Place:
    # A place in the record as a list on the C stack, rendered only when there is something to say.
    Place *up
    PyObject *key
    Py_ssize_t index


cdef struct Run:
    PyObject *advice
    PyObject *memo
    PyObject *severity
    Py_ssize_t left
    Py_ssize_t cap
    # Advice beyond the cap, and how much of that is no note.
    Py_ssize_t more
    Py_ssize_t errors


cdef class Advice:
    """One thing that a schema corrected, or could not.

    Attributes:
        path: Place in the record, for instance ``$.items[3].created``.
        code: ``"type"``, ``"missing"``, ``"value"``, ``"length"``, ``"key"``, ``"limit"``,
            ``"unknown"``, ``"build"`` or ``"more"`` (advice beyond the cap of a record).
        expected: What the schema says.
        found: Type of what stood there, with the value where that was the trouble.
        value: The original value.
        outcome: ``"fixed"``, ``"kept"`` (there is no conversion) or ``"could not"`` (it failed).
        severity: ``"error"`` or ``"note"``, as the field's `Hint` says; of ``"more"``, the worst of that.
    """

    cdef readonly str path
    cdef readonly str code
    cdef readonly str expected
    cdef readonly str found
    cdef readonly object value
    cdef readonly str outcome
    cdef readonly str severity

    __match_args__ = ("path", "code", "expected", "found", "value", "outcome")

    def __init__(self, str path, str code, str expected, str found, value, str outcome, str severity="error"):
        self.path, self.code, self.expected, self.found = path, code, expected, found
        self.value, self.outcome, self.severity = value, outcome, severity

    def __str__(self):
        found = self.found if self.code == "missing" else f"`{self.found}`"
        return f"Expected `{self.expected}`, got {found} - at `{self.path}`"

    def __repr__(self):
        return f"<Advice {self.outcome}: {self}>"

    def __reduce__(self):
        return Advice, (
            self.path, self.code, self.expected, self.found, self.value, self.outcome, self.severity
        )

    def __eq__(self, other):
        if not isinstance(other, Advice):
            return NotImplemented
        return self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self):
        return hash((self.path, self.code, self.expected, self.found, self.outcome))


cdef str render(Place *place):
    keys = []
    while place is not NULL:
        keys.append(<object>place.key if place.key is not NULL else ... if place.index < 0 else place.index)
        place = place.up
    keys.reverse()
    return join(keys)


cdef str kind_of(object value):
    return "None" if value is None else type_name(value)


cdef inline bint is_a(object value, object kind) noexcept:
    """Whether a value is an instance of a class; `isinstance` asks its `__class__` as well, which may raise."""
    return PyObject_TypeCheck(value, <PyTypeObject *>kind)


cdef int note(Run *run, Place *place, str code, str expected, object value, str outcome, bint show=False) except -1:
    if run.advice is NULL:
        return 0
    found = kind_of(value)
    if show:
        found = f"{found} {brief(value)}"
    return say(run, place, code, expected, value, outcome, found)


cdef int say(Run *run, Place *place, str code, str expected, object value, str outcome, str found) except -1:
    if run.advice is NULL:
        return 0
    severity = "error" if run.severity is NULL else <object>run.severity
    if PyList_GET_SIZE(<object>run.advice) >= run.cap:
        run.more += 1
        run.errors += severity == "error"
        return 0
    PyList_Append(<object>run.advice, Advice(render(place), code, expected, found, value, outcome, severity))
    return 0


cdef int unsay(Run *run, Py_ssize_t said, Place *place, str expected, object value) except -1:
    """Say of a tuple of another class, which is not built anew, that it stays, in place of what it holds."""
    if run.advice is not NULL:
        del (<list>run.advice)[said:]
    return note(run, place, "value", expected, value, "could not", True)


cdef list items_of(object value):
    """Return what a list, tuple or set holds, whatever the `__iter__` of a subclass yields."""
    if PyTuple_Check(value):
        return list_of(value)
    if PyList_Check(value):
        return PyList_GetSlice(value, 0, PyList_GET_SIZE(value))
    return list((set if PySet_Check(value) else frozenset).__iter__(value))


cdef inline int spend(Run *run, Py_ssize_t nodes) except -1:
    run.left -= nodes + 1
    if run.left < 0:
        raise OverrunError()
    return 0


cdef inline object recall(Run *run, object value, Step step):
    """Return what became of a container that this step has seen before, or None."""
    if run.memo is NULL:
        return None
    found = (<dict>run.memo).get((id(value), id(step)))
    return None if found is None else (<tuple>found)[1]


cdef inline int remember(Run *run, object value, Step step, object result) except -1:
    if run.memo is not NULL:
        # The container itself is kept, too: a freed one would hand its id to another.
        (<dict>run.memo)[(id(value), id(step))] = (value, result)
    return 0


cdef inline PyObject *lookup(object record, PyObject *name) except? NULL:
    """Return the value of a field, borrowed, or NULL; keys that cannot be compared are not there."""
    cdef PyObject *found = PyDict_GetItemWithError(record, <object>name)
    if found is NULL and PyErr_Occurred() is not NULL and PyErr_ExceptionMatches(Exception):
        PyErr_Clear()
    return found


# Steps ------------------------------------------------------------------------------------------


cdef class Step:
    """What is done at one node of a schema.

    Args:
        expected: Name of the type in advice.
        quiet: Whether the codec's own form of a value is turned into the type without a word.
    """

    cdef str expected
    cdef bint quiet
    # All there is to do is to make a list of a tuple: done on the spot by whoever holds it.
    cdef bint bare
    # A record that stays the dict it is: walked on the spot, too.
    cdef bint plain

    def __init__(self, str expected, *, bint quiet=False):
        self.expected = expected
        self.quiet = quiet

    cdef object visit(self, object value, Run *run, Place *place):
        return value

    cdef bint fits(self, object value):
        """Whether `value` already is of the right type."""
        return True

    cdef object convert(self, object value):
        """Return `value` in the right type, or why not: NONE, BAD or OVER. Containers return NONE.

        What it raises, `attempt` catches.
        """
        return NONE

    cdef object attempt(self, object value):
        """Convert, and take whatever is raised by a value, or by what a subclass made of a method, for malformed."""
        try:
            return self.convert(value)
        except Exception:
            return BAD

    cdef bint conventional(self, object value):
        """Whether `value` is how formats write the type."""
        return type(value) is str

    cdef bint takes(self, object value):
        """Whether a container of this kind may be made of `value`."""
        return False

    cdef bint denies(self, object value):
        """Whether its length or a Literal says that a container is another one than this."""
        return False


cdef class Leaf(Step):
    """A value without parts: right already, or converted, or kept."""

    cdef object visit(self, object value, Run *run, Place *place):
        if self.fits(value):
            return value
        return self.settle(value, run, place)

    cdef object settle(self, object value, Run *run, Place *place):
        new = self.attempt(value)
        if type(new) is _Mark:
            if new is NONE:
                note(run, place, "type", self.expected, value, "kept")
            elif new is BAD:
                note(run, place, "value", self.expected, value, "could not", True)
            else:
                note(run, place, "limit", self.expected, value, "could not", True)
            return value
        if not (self.quiet and self.conventional(value)):
            note(run, place, "type", self.expected, value, "fixed")
        return new


cdef class ExactLeaf(Leaf):
    """Instances of one class; `bool` is no `int` and a `datetime` is no `date`."""

    cdef type kind
    cdef type but

    def __init__(self, str expected, type kind, type but=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.kind = kind
        self.but = but

    cdef bint fits(self, object value):
        return is_a(value, self.kind) and (self.but is None or not is_a(value, self.but))


cdef class CallLeaf(ExactLeaf):
    """Converts by a Python function, which raises `ConversionError` for malformed values and TypeError
    for types it knows nothing about."""

    cdef object function
    cdef tuple forms
    cdef Py_ssize_t limit

    def __init__(
        self, str expected, type kind, function, *, tuple forms=(str,), Py_ssize_t limit=100, type but=None,
        bint quiet=False,
    ):
        ExactLeaf.__init__(self, expected, kind, but, quiet=quiet)
        self.function, self.forms, self.limit = function, forms, limit

    cdef bint conventional(self, object value):
        return type(value) in self.forms

    cdef object convert(self, object value):
        cdef Py_ssize_t size = 0
        if PyUnicode_Check(value):
            size = PyUnicode_GET_LENGTH(value)
        elif PyBytes_Check(value) or PyByteArray_Check(value):
            size = Py_SIZE(value)
        if size > self.limit:
            return OVER
        try:
            return self.function(value)
        except TypeError:
            return NONE


cdef class BoolLeaf(Leaf):
    cdef bint fits(self, object value):
        return PyBool_Check(value)

    cdef object convert(self, object value):
        if type(value) is str:
            return True if value == "true" else False if value == "false" else BAD
        return NONE


cdef class NoneLeaf(Leaf):
    """None, and the text that stands for it in formats without a null."""

    cdef str null

    def __init__(self, str expected, str null=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.null = null

    cdef bint fits(self, object value):
        return value is None

    cdef object convert(self, object value):
        if self.null is not None and type(value) is str:
            return None if value == self.null else BAD
        return NONE


cdef class IntLeaf(Leaf):
    """Integers; canonical decimal text becomes one when it is not too long."""

    cdef Py_ssize_t digits
    cdef bint key

    def __init__(self, str expected, Py_ssize_t digits, *, bint key=False, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.digits, self.key = digits, key

    cdef bint fits(self, object value):
        return PyLong_CheckExact(value) or (PyLong_Check(value) and not PyBool_Check(value))

    cdef object visit(self, object value, Run *run, Place *place):
        if PyLong_CheckExact(value) or self.fits(value):
            return value
        return self.settle(value, run, place)

    cdef bint conventional(self, object value):
        # Only what exceeds 64 bits has 19 digits or more; keys are text throughout.
        return type(value) is str and (self.key or PyUnicode_GET_LENGTH(value) > 18)

    cdef object convert(self, object value):
        if type(value) is str:
            return self.parse(value)
        if PyFloat_CheckExact(value) and not self.key:
            if -9007199254740992.0 <= <double>value <= 9007199254740992.0:
                if value.is_integer() and not (value == 0.0 and str(value) == "-0.0"):
                    return int(value)
                return BAD
            return BAD
        return NONE

    cdef object parse(self, str text):
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0
        cdef const unsigned char *data
        if not PyUnicode_IS_COMPACT_ASCII(text) or size == 0:
            return BAD
        data = PyUnicode_1BYTE_DATA(text)
        if data[0] == b"-":
            i = 1
        if i == size or (data[i] == b"0" and size > 1):
            return BAD
        if size - i > self.digits:
            return OVER
        while i < size:
            if not b"0" <= data[i] <= b"9":
                return BAD
            i += 1
        try:
            return int(text)
        except ValueError:
            # The interpreter has a limit of its own, and `sys.set_int_max_str_digits` may lower it.
            return OVER


cdef class FloatLeaf(Leaf):
    cdef bint fits(self, object value):
        return is_a(value, float)

    cdef object convert(self, object value):
        if PyLong_CheckExact(value):
            return float(value) if -9007199254740992 <= value <= 9007199254740992 else BAD
        if type(value) is str:
            if PyUnicode_GET_LENGTH(value) > 32:
                return BAD
            number = float(value)
            return number if repr(number) == value else BAD
        return NONE


cdef class StrLeaf(Leaf):
    cdef bint fits(self, object value):
        return PyUnicode_Check(value)

    cdef object convert(self, object value):
        if type(value) is bytes:
            return (<bytes>value).decode("utf-8")
        return NONE


cdef class BytesLeaf(Leaf):
    """bytes or bytearray, from text in the declared encoding."""

    cdef type kind
    cdef object function
    cdef Py_ssize_t limit

    def __init__(self, str expected, type kind, function, Py_ssize_t limit, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.kind, self.function, self.limit = kind, function, limit

    cdef bint fits(self, object value):
        return is_a(value, self.kind)

    cdef bint conventional(self, object value):
        return type(value) is str or (type(value) is bytes and self.kind is bytearray)

    cdef object convert(self, object value):
        if type(value) is str:
            if PyUnicode_GET_LENGTH(value) > self.limit:
                return OVER
            raw = self.function(value)
            return raw if self.kind is bytes else bytearray(raw)
        if PyBytes_Check(value) or PyByteArray_Check(value) or is_a(value, memoryview):
            return self.kind(value)
        return NONE


cdef class DateTimeLeaf(Leaf):
    """datetime, from ISO 8601 text or from a number when the schema gives its unit.

    Args:
        unit: Conversion of a number to the time since 1970.
        naive: Take the UTC off that the codec puts on.
        aware: With an offset, without, or None for either: others are kept.
    """

    cdef object unit
    cdef bint naive
    cdef object aware

    def __init__(self, str expected, unit=None, *, bint naive=False, aware=None, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.unit, self.naive, self.aware = unit, naive, aware

    cdef object visit(self, object value, Run *run, Place *place):
        if not self.fits(value):
            value = self.settle(value, run, place)
        if self.aware is not None and run.advice is not NULL and PyDateTime_Check(value):
            if (datetime_tzinfo(value) is not None) is not self.aware:
                wanted = "with an offset" if self.aware else "without offset"
                note(run, place, "value", f"{self.expected} {wanted}", value, "kept", True)
        return value

    cdef bint fits(self, object value):
        return PyDateTime_Check(value) and not (self.naive and datetime_tzinfo(value) is UTC)

    cdef bint conventional(self, object value):
        return type(value) is str or PyDateTime_Check(value) or self.unit is not None

    cdef object convert(self, object value):
        cdef const unsigned char *data
        cdef Py_ssize_t size
        if PyUnicode_CheckExact(value):
            size = PyUnicode_GET_LENGTH(value)
            if size > 48 or not PyUnicode_IS_COMPACT_ASCII(value):
                return BAD
            data = PyUnicode_1BYTE_DATA(value)
            made = parse_datetime(data, size)
            if made is not None:
                return made
            return from_iso(value) if fine_enough(data, size) else BAD
        if self.unit is not None and (PyLong_CheckExact(value) or PyFloat_CheckExact(value)):
            return (NAIVE_EPOCH if self.aware is False else EPOCH) + self.unit(value)
        if PyDateTime_Check(value):
            return value.replace(tzinfo=None)
        if type(value) is _dt.date:
            return DateTime(value.year, value.month, value.day)
        return NONE


cdef bint fine_enough(const unsigned char *data, Py_ssize_t size) noexcept:
    """Whether no digit beyond the microsecond would be dropped; a fraction stands elsewhere in each form."""
    cdef Py_ssize_t i, last = size
    for i in range(size):
        if data[i] == b"." or data[i] == b",":
            last = i + 6
        elif not b"0" <= data[i] <= b"9":
            last = size
        elif i > last and data[i] != b"0":
            return False
    return True


cdef inline int digits(const unsigned char *data, int count) noexcept:
    """Return the number that `count` digits make, or -1."""
    cdef int number = 0, i
    for i in range(count):
        if not b"0" <= data[i] <= b"9":
            return -1
        number = number * 10 + (data[i] - 48)
    return number


cdef object parse_datetime(const unsigned char *data, Py_ssize_t size):
    """Return the datetime that text in the form of `isoformat` stands for, in UTC or without offset, else None."""
    cdef int year, month, day, hour, minute, second, micro = 0
    cdef object zone = None
    if size >= 25 and data[size - 6] == b"+":
        if digits(data + size - 5, 2) != 0 or data[size - 3] != b":" or digits(data + size - 2, 2) != 0:
            return None
        zone = UTC
        size -= 6
    elif size >= 20 and data[size - 1] == b"Z":
        zone = UTC
        size -= 1
    if size == 26:
        micro = digits(data + 20, 6)
        if data[19] != b".":
            return None
    elif size != 19:
        return None
    if data[4] != b"-" or data[7] != b"-" or data[10] != b"T" or data[13] != b":" or data[16] != b":":
        return None
    year, month, day = digits(data, 4), digits(data + 5, 2), digits(data + 8, 2)
    hour, minute, second = digits(data + 11, 2), digits(data + 14, 2), digits(data + 17, 2)
    if (year | month | day | hour | minute | second | micro) < 0:
        return None
    return datetime_new(year, month, day, hour, minute, second, micro, zone)


cdef class DateLeaf(Leaf):
    """date, from ISO 8601 text or a datetime that is midnight and nothing more."""

    cdef bint fits(self, object value):
        return PyDate_CheckExact(value) or (is_a(value, Date) and not PyDateTime_Check(value))

    cdef object convert(self, object value):
        cdef const unsigned char *data
        if PyUnicode_CheckExact(value):
            if PyUnicode_GET_LENGTH(value) != 10 or not PyUnicode_IS_COMPACT_ASCII(value):
                return BAD
            data = PyUnicode_1BYTE_DATA(value)
            if data[4] != b"-" or data[7] != b"-":
                return BAD
            return date_new(digits(data, 4), digits(data + 5, 2), digits(data + 8, 2))
        if PyDateTime_CheckExact(value) and is_midnight(value):
            return date_new(datetime_year(value), datetime_month(value), datetime_day(value))
        return BAD if PyDateTime_Check(value) else NONE


cdef bint is_midnight(object value):
    """Whether a datetime holds no more than a date: an offset would be lost, a fold as well."""
    return datetime_tzinfo(value) is None and not (
        datetime_hour(value) | datetime_minute(value) | datetime_second(value) | datetime_microsecond(value)
        | datetime_fold(value)
    )


cdef class DecimalLeaf(Leaf):
    """Decimal, from decimal text; digits and exponent are capped, as ``int(Decimal("1E+1000000"))`` takes 25 s."""

    cdef Py_ssize_t digits
    cdef Py_ssize_t exponent
    cdef bint check
    cdef bint float_form

    def __init__(
        self, str expected, Py_ssize_t digits, Py_ssize_t exponent, *, bint check=False,
        bint float_form=False, bint quiet=False,
    ):
        Step.__init__(self, expected, quiet=quiet)
        self.digits, self.exponent, self.check, self.float_form = digits, exponent, check, float_form

    cdef object visit(self, object value, Run *run, Place *place):
        if is_a(value, Decimal):
            if self.check and run.advice is not NULL and self.too_large(value):
                note(run, place, "limit", self.expected, value, "kept", True)
            return value
        return self.settle(value, run, place)

    cdef bint fits(self, object value):
        return is_a(value, Decimal)

    cdef bint too_large(self, object value):
        return is_finite(value) and not -self.exponent <= adjusted(value) <= self.exponent

    cdef bint conventional(self, object value):
        return type(value) is str or (self.float_form and type(value) is float)

    cdef object convert(self, object value):
        cdef object fault
        if PyUnicode_CheckExact(value):
            fault = self.scan(value)
            return decimal_of(value) if fault is None else fault
        if PyLong_CheckExact(value):
            return Decimal(value) if value.bit_length() < 3 * self.digits else OVER
        if PyFloat_CheckExact(value):
            return Decimal(repr(value))
        if type_name(value) == "Decimal128":
            return value.to_decimal()
        return NONE

    cdef object scan(self, str text):
        """Return None for plain decimal text within the limits, else what is wrong."""
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0, digits = 0, power = 0
        cdef const unsigned char *data
        if not PyUnicode_IS_COMPACT_ASCII(text) or size == 0:
            return BAD
        if size > self.digits + 16:
            return OVER
        data = PyUnicode_1BYTE_DATA(text)
        if data[0] == b"-" or data[0] == b"+":
            i = 1
        if i < size and (data[i] | 32) in (b"n", b"i", b"s"):
            return None
        while i < size and (b"0" <= data[i] <= b"9" or data[i] == b"."):
            digits += 1
            i += 1
        if digits > self.digits:
            return OVER
        if i < size:
            if (data[i] | 32) != b"e":
                return BAD
            i += 1
            if i < size and (data[i] == b"-" or data[i] == b"+"):
                i += 1
            while i < size:
                if not b"0" <= data[i] <= b"9":
                    return BAD
                power = power * 10 + (data[i] - 48)
                if power > self.exponent:
                    return OVER
                i += 1
        return None


cdef class UUIDLeaf(Leaf):
    cdef bint fits(self, object value):
        return is_a(value, UUID)

    cdef object convert(self, object value):
        if PyUnicode_CheckExact(value):
            return uuid_of(value)
        if type(value) is bytes and len(value) == 16:
            return UUID(bytes=value)
        return NONE


cdef object uuid_of(str text):
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0, j
    cdef const unsigned char *data
    cdef unsigned char raw[16]
    cdef unsigned char high, low
    if not PyUnicode_IS_COMPACT_ASCII(text) or (size != 36 and size != 32):
        return BAD
    data = PyUnicode_1BYTE_DATA(text)
    for j in range(16):
        if size == 36 and (j == 4 or j == 6 or j == 8 or j == 10):
            if data[i] != b"-":
                return BAD
            i += 1
        high, low = HEX[data[i]], HEX[data[i + 1]]
        if (high | low) > 15:
            return BAD
        raw[j] = high << 4 | low
        i += 2
    # `UUID.__init__` takes 0.75 µs; the same object made slot by slot takes a sixth of that.
    made = (<_Allocating *><PyObject *>UUID).tp_alloc(<PyTypeObject *>UUID, 0)
    PyMember_SetOne(
        <char *><PyObject *>made, (<PyMemberDescrObject *><PyObject *>int_slot).d_member,
        _PyLong_FromByteArray(raw, 16, 0, 0),
    )
    PyMember_SetOne(
        <char *><PyObject *>made, (<PyMemberDescrObject *><PyObject *>safe_slot).d_member, unknown_safety
    )
    return made


cdef class EnumLeaf(Leaf):
    """Members of one Enum, by a closed table of (type, value).

    Args:
        bits: Of a Flag: those that its members have, and combinations may have.
        number: How such a combination is read where it stands as text.
    """

    cdef object kind
    cdef dict members
    cdef object bits
    cdef IntLeaf number

    def __init__(
        self, str expected, kind, dict members, *, bits=None, IntLeaf number=None, bint quiet=False
    ):
        Step.__init__(self, expected, quiet=quiet)
        self.kind, self.members, self.bits, self.number = kind, members, bits, number

    cdef bint fits(self, object value):
        return is_a(value, self.kind)

    cdef bint conventional(self, object value):
        return True

    cdef object convert(self, object value):
        if type(value) is list:
            value = tuple(value)
        found = self.members.get((type(value), value))
        if found is None:
            return BAD if self.bits is None else self.combined(value)
        return found

    cdef object combined(self, object value):
        if type(value) is str and self.number.conventional(value):
            value = self.number.parse(value)
        return self.kind(value) if PyLong_CheckExact(value) and not value & ~self.bits else BAD


cdef class LiteralLeaf(Leaf):
    """One of some values; `texts` has those that are written as text, by that text."""

    cdef frozenset values
    cdef dict texts

    def __init__(self, str expected, tuple values, dict texts, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.values = frozenset((type(value), value) for value in values)
        self.texts = texts

    cdef bint fits(self, object value):
        cdef type kind = type(value)
        return (kind is str or kind is int or kind is bool or value is None) and (kind, value) in self.values

    cdef object convert(self, object value):
        return self.texts.get(value, BAD) if type(value) is str else BAD


cdef class OptionalStep(Step):
    """None, or what the inner step wants."""

    cdef Step inner
    cdef str null

    def __init__(self, str expected, Step inner, str null=None):
        Step.__init__(self, expected)
        self.inner, self.null = inner, null

    cdef object visit(self, object value, Run *run, Place *place):
        if value is None:
            return None
        if self.null is not None and type(value) is str and value == self.null:
            return None
        return self.inner.visit(value, run, place)

    cdef bint fits(self, object value):
        return value is None or self.inner.fits(value)


cdef class UnionStep(Step):
    """One of several: first whoever finds the type right, then by convention, then by any conversion."""

    cdef list options
    cdef str null

    def __init__(self, str expected, list options, str null=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.options, self.null = options, null

    cdef bint fits(self, object value):
        cdef Step option
        for option in self.options:
            if option.fits(value):
                return True
        return False

    cdef object visit(self, object value, Run *run, Place *place):
        cdef Step option, taker = None
        if self.null is not None and type(value) is str and value == self.null:
            return None
        for option in self.options:
            if option.fits(value):
                return option.visit(value, run, place)
        for option in self.options:
            if option.takes(value):
                if not option.denies(value):
                    return option.visit(value, run, place)
                if taker is None:
                    taker = option
        if taker is not None:
            return taker.visit(value, run, place)
        for option in self.options:
            if option.conventional(value):
                new = option.attempt(value)
                if type(new) is not _Mark:
                    if not option.quiet:
                        note(run, place, "type", self.expected, value, "fixed")
                    return option.visit(new, run, place)
        for option in self.options:
            new = option.attempt(value)
            if type(new) is not _Mark:
                note(run, place, "type", self.expected, value, "fixed")
                return option.visit(new, run, place)
        note(run, place, "type", self.expected, value, "kept")
        return value

    cdef object convert(self, object value):
        # Of keys, which are converted and never visited.
        cdef Step option
        for conventional in (True, False):
            for option in self.options:
                if not conventional or option.conventional(value):
                    new = option.attempt(value)
                    if type(new) is not _Mark:
                        return new
        return NONE


# Containers -------------------------------------------------------------------------------------


@cython.final
cdef class ListStep(Step):
    """A list, made of a tuple where the codec brings tuples; items are corrected where they stand."""

    cdef Step item

    def __init__(self, str expected, Step item=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.item = item
        self.bare = quiet and item is None

    cdef bint fits(self, object value):
        return PyList_Check(value)

    cdef bint takes(self, object value):
        return PyTuple_Check(value)

    cdef object visit(self, object value, Run *run, Place *place):
        cdef Step item = self.item
        cdef object seen, result
        if PyList_Check(value):
            if item is None:
                return value
            result = value
        elif not PyTuple_Check(value):
            note(run, place, "type", self.expected, value, "kept")
            return value
        else:
            if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
                return seen
            result = list_of(value)
            if not self.quiet:
                note(run, place, "type", self.expected, value, "fixed")
            if item is None:
                remember(run, value, self, result)
                return result
        if run.memo is not NULL:
            if (seen := recall(run, value, self)) is not None:
                return seen
            remember(run, value, self, result)
        spend(run, PyList_GET_SIZE(result))
        visit_list(result, item, run, place)
        return result


cdef int visit_list(object items, Step item, Run *run, Place *up) except -1:
    cdef Place place
    cdef Py_ssize_t i = 0
    cdef object old, new
    cdef bint bare = item.bare and run.memo is NULL
    cdef bint plain = item.plain and run.memo is NULL
    place.up, place.key = up, NULL
    while i < PyList_GET_SIZE(items):
        old = <object>PyList_GET_ITEM(items, i)
        if bare and PyTuple_CheckExact(old):
            new = list_of(old)
            Py_INCREF(<PyObject *>new)
            PyList_SetItem(items, i, <PyObject *>new)
            i += 1
            continue
        place.index = i
        if plain and PyDict_CheckExact(old):
            spend(run, (<RecordStep>item).count)
            (<RecordStep>item).visit_fields(old, run, &place)
            i += 1
            continue
        new = item.visit(old, run, &place)
        if new is not old and i < PyList_GET_SIZE(items):
            Py_INCREF(<PyObject *>new)
            PyList_SetItem(items, i, <PyObject *>new)
        i += 1
    return 0


cdef class TupleStep(Step):
    """A tuple: of one kind of item, or of fixed places. Being immutable, it is built anew when an item changes."""

    cdef Step item
    cdef list places
    cdef Py_ssize_t length

    def __init__(self, str expected, Step item=None, list places=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.item, self.places = item, places
        self.length = -1 if places is None else len(places)

    cdef bint fits(self, object value):
        return PyTuple_Check(value) and (self.length < 0 or PyTuple_GET_SIZE(value) == self.length)

    cdef bint takes(self, object value):
        return PyList_Check(value) or PyTuple_Check(value)

    cdef bint denies(self, object value):
        return self.length >= 0 and Py_SIZE(value) != self.length

    cdef object visit(self, object value, Run *run, Place *place):
        cdef list items
        cdef bint changed
        cdef object seen, result
        cdef Py_ssize_t size, said
        if PyTuple_Check(value):
            if self.item is None and self.places is None:
                return value
            changed = False
        elif PyList_Check(value):
            changed = True
        else:
            note(run, place, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        if changed and not self.quiet:
            note(run, place, "type", self.expected, value, "fixed")
        items = items_of(value)
        size = len(items)
        spend(run, size)
        if self.length >= 0 and size != self.length:
            say(
                run, place, "length", f"{self.expected} of {self.length}", value, "kept",
                f"{type_name(value)} of {size}",
            )
        if self.item is None and self.places is None:
            result = tuple(items)
        else:
            said = 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)
            self.visit_items(items, run, place)
            if not changed:
                for i in range(size):
                    if items[i] is not <object>PyTuple_GET_ITEM(value, i):
                        changed = PyTuple_CheckExact(value)
                        if not changed:
                            unsay(run, said, place, self.expected, value)
                        break
            result = tuple(items) if changed else value
        remember(run, value, self, result)
        return result

    cdef int visit_items(self, list items, Run *run, Place *up) except -1:
        cdef Place place
        cdef Step step
        cdef Py_ssize_t i
        if self.item is not None:
            return visit_list(items, self.item, run, up)
        place.up, place.key = up, NULL
        for i in range(min(<Py_ssize_t>len(items), self.length)):
            step = self.places[i]
            if step is not None:
                place.index = i
                items[i] = step.visit(items[i], run, &place)
        return 0


cdef bint collide(list items) except -1:
    """Whether so many hashes are equal that a dict or set of `items` would take quadratic time."""
    # The hashes are put in a set as integers: equal ones are found equal at once, so this is linear.
    return len(items) > SMALL and len(items) - len({hash(item) for item in items}) > KEY_ATTACK


cdef class SetStep(Step):
    """A set or frozenset; a list becomes one only when its items are distinct and do not collide."""

    cdef Step item
    cdef type kind

    def __init__(self, str expected, type kind, Step item=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.kind, self.item = kind, item

    cdef bint fits(self, object value):
        return is_a(value, self.kind)

    cdef bint takes(self, object value):
        return PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value)

    cdef object visit(self, object value, Run *run, Place *place):
        cdef list items
        cdef bint changed = not self.fits(value)
        cdef object seen, result
        cdef Py_ssize_t said
        if changed and not self.takes(value):
            note(run, place, "type", self.expected, value, "kept")
            return value
        if not changed and self.item is None:
            return value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        items = items_of(value)
        spend(run, len(items))
        said = 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)
        if self.item is not None:
            changed |= self.visit_items(items, run, place)
        if not changed:
            return value
        result = self.build(items)
        if result is None:
            # Nothing in it has been changed, so nothing more is said of it.
            if run.advice is not NULL:
                del (<list>run.advice)[said:]
            note(run, place, "value", self.expected, value, "could not", True)
            result = value
        elif not self.quiet:
            note(run, place, "type", self.expected, value, "fixed")
        remember(run, value, self, result)
        return result

    cdef bint visit_items(self, list items, Run *run, Place *up) except -1:
        """Correct the items; return whether any is another one now."""
        cdef Place place
        cdef bint changed = False
        place.up, place.key, place.index = up, NULL, -1
        for i in range(len(items)):
            new = self.item.visit(items[i], run, &place)
            if new is not items[i]:
                items[i] = new
                changed = True
        return changed

    cdef object build(self, list items):
        try:
            if collide(items):
                return None
            made = self.kind(items)
        except Exception:
            # What cannot be hashed or compared, each in its own way.
            return None
        return made if len(made) == len(items) else None


cdef class DictStep(Step):
    """A map: its keys are turned in place and in order, its values corrected."""

    cdef Step key
    cdef Step value
    cdef Py_ssize_t limit

    def __init__(self, str expected, Step key, Step value, Py_ssize_t limit):
        Step.__init__(self, expected)
        self.key, self.value, self.limit = key, value, limit

    cdef bint fits(self, object value):
        return PyDict_Check(value)

    cdef object visit(self, object value, Run *run, Place *up):
        cdef Place place
        cdef PyObject *key = NULL
        cdef PyObject *item = NULL
        cdef Py_ssize_t position = 0
        cdef object name, old, new
        if not PyDict_Check(value):
            note(run, up, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL:
            if recall(run, value, self) is not None:
                return value
            remember(run, value, self, value)
        spend(run, PyDict_Size(value))
        if self.key is not None:
            while PyDict_Next(value, &position, &key, NULL):
                if not self.key.fits(<object>key):
                    self.try_keys(value, run, up)
                    break
        if self.value is not None:
            position = 0
            place.up, place.index = up, 0
            while PyDict_Next(value, &position, &key, &item):
                name, old = <object>key, <object>item
                place.key = key
                new = self.value.visit(old, run, &place)
                if new is not old:
                    PyDict_SetItem(value, name, new)
        return value

    cdef int try_keys(self, object value, Run *run, Place *up) except -1:
        """Turn the keys, unless one of them cannot be hashed or compared."""
        cdef Py_ssize_t said = 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)
        try:
            self.turn_keys(value, run, up)
        except Exception:
            if run.advice is not NULL:
                del (<list>run.advice)[said:]
            note(run, up, "key", f"{self.key.expected} keys", value, "could not", True)
        return 0

    cdef int turn_keys(self, object value, Run *run, Place *up) except -1:
        cdef Place place
        cdef list names, turned
        cdef Py_ssize_t i
        # What it holds, whatever a subclass yields; this one keeps an order of its own.
        cdef type kind = OrderedDict if is_a(value, OrderedDict) else dict
        place.up, place.key = up, NULL
        names = list(kind.__iter__(value))
        if len(names) > self.limit:
            note(run, up, "limit", f"{self.expected} of at most {self.limit} keys", value, "could not", True)
            return 0
        place.index = 0
        turned = [name if self.key.fits(name) else self.as_key(name) for name in names]
        if collide([name if type(new) is _Mark else new for name, new in zip(names, turned)]):
            note(run, up, "limit", f"{self.key.expected} keys", value, "could not", True)
            return 0
        fresh = {}
        for i in range(len(names)):
            name, new = names[i], turned[i]
            if new is not name:
                place.key = <PyObject *>name
                new = self.turn_key(name, new, value, fresh, run, &place)
            fresh[new] = dict.__getitem__(value, name)
        if len(fresh) == len(names):
            refill(value, fresh)
        return 0

    cdef object as_key(self, object name):
        new = self.key.attempt(name)
        try:
            hash(new)
        except Exception:
            # A signalling NaN is a Decimal, but no key.
            return BAD
        return new

    cdef object turn_key(self, object name, object new, object value, dict fresh, Run *run, Place *place):
        """Return the new key, or the old one where there is none or it would push another out."""
        expected = f"{self.key.expected} key"
        if type(new) is _Mark:
            note(run, place, "key", expected, name, "kept", True)
            return name
        # A member of an IntEnum is equal to the number that it comes from, and pushes nothing out.
        if new in fresh or (PyDict_Contains(value, new) and new != name):
            say(run, place, "key", expected, name, "kept", f"a second {brief(new)}")
            return name
        if not self.key.quiet:
            note(run, place, "key", expected, name, "fixed")
        return new


cdef int refill(object value, dict fresh) except -1:
    """Put other keys and values into a dict, whatever the methods of a subclass do."""
    if is_a(value, OrderedDict):
        OrderedDict.clear(value)
        for name, item in fresh.items():
            OrderedDict.__setitem__(value, name, item)
    else:
        PyDict_Clear(value)
        PyDict_Update(value, fresh)
    return 0


cdef struct Slot:
    PyObject *key
    PyObject *step
    PyObject *severity
    Py_ssize_t hint
    int misses
    bint required
    bint bare
    bint plain


cdef inline PyObject *field(object record, Slot *slot) except? NULL:
    """Return the value of a field, borrowed, or NULL.

    Records of one stream have their fields in one order, and libraries intern keys: where the field
    stood in the last record is tried first, which saves the probe of the table.
    """
    cdef PyObject *key
    cdef PyObject *found = NULL
    cdef Py_ssize_t position = slot.hint
    if PyDict_Next(record, &position, &key, &found) and key == slot.key:
        return found
    found = lookup(record, slot.key)
    if slot.misses < MISSES:
        slot.misses += 1
        position = slot.hint = 0
        while PyDict_Next(record, &position, &key, NULL) and slot.hint < MISSES:
            if key == slot.key:
                return found
            slot.hint = position
        slot.hint = 0
    return found


@cython.final
cdef class RecordStep(Step):
    """Known fields of a dict, by name (or of a list, by position); the others pass through untouched.

    Args:
        fields: (name, step or None, required, severity) in order.
        positional: Whether a list or tuple of the values is a right form, too.
        build: Class that takes the fields by keyword, callable that takes their dict, or None.
        kind: Class of objects that are right already.
        full: Whether missing fields are advised.
        tags: (position, name, step) of the fields whose Literal tells records of a union apart.
    """

    cdef Slot *slots
    cdef Py_ssize_t count
    cdef tuple fields
    cdef bint positional
    cdef bint full
    cdef bint direct
    cdef object build
    cdef object kind
    cdef tuple tags

    def __init__(
        self, str expected, tuple fields, *, bint positional=False, build=None, kind=None, bint full=True,
        tuple tags=(),
    ):
        Step.__init__(self, expected, quiet=True)
        fields = tuple([(intern(name), *rest) for name, *rest in fields])
        self.fields, self.positional, self.build, self.kind = fields, positional, build, kind
        self.full, self.tags = full, tags
        self.direct = isinstance(build, type)
        self.plain = build is None
        self.slots = <Slot *>malloc((len(fields) + 1) * sizeof(Slot))
        if self.slots is NULL:
            raise MemoryError()
        self.count = len(fields)
        for i, (name, step, required, severity) in enumerate(fields):
            self.slots[i].key = <PyObject *>name
            self.slots[i].step = NULL if step is None else <PyObject *>step
            self.slots[i].severity = NULL if severity == "error" else <PyObject *>severity
            self.slots[i].required = required and full
            self.slots[i].bare = step is not None and (<Step>step).bare
            self.slots[i].plain = step is not None and severity == "error" and (<Step>step).plain
            self.slots[i].hint = self.slots[i].misses = 0

    def __dealloc__(self):
        free(self.slots)

    cdef bint fits(self, object value):
        if self.kind is not None and is_a(value, self.kind):
            return True
        if not PyDict_Check(value):
            return False
        for name, _, required, _ in self.fields:
            if required and lookup(value, <PyObject *>name) is NULL:
                return False
        return not self.denies(value)

    cdef bint takes(self, object value):
        return PyDict_Check(value) or (self.positional and (PyList_Check(value) or PyTuple_Check(value)))

    cdef bint denies(self, object value):
        cdef PyObject *found
        cdef list items = None if PyDict_Check(value) else items_of(value)
        for index, name, step in self.tags:
            if items is None:
                found = lookup(value, <PyObject *>name)
            else:
                found = <PyObject *>PyList_GET_ITEM(items, index) if index < len(items) else NULL
            if found is not NULL and not (<Step>step).fits(<object>found):
                return True
        return False

    cdef object visit(self, object value, Run *run, Place *place):
        cdef object seen, result
        if not PyDict_Check(value):
            if self.kind is not None and is_a(value, self.kind):
                return value
            if self.positional and (PyList_Check(value) or PyTuple_Check(value)):
                return self.visit_row(value, run, place)
            note(run, place, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL:
            if (seen := recall(run, value, self)) is not None:
                return seen
            remember(run, value, self, value)
        spend(run, self.count)
        self.visit_fields(value, run, place)
        if self.build is None:
            return value
        result = self.make(value, run, place)
        remember(run, value, self, result)
        return result

    cdef int visit_fields(self, object value, Run *run, Place *up) except -1:
        cdef Slot *slot = self.slots
        cdef Slot *end = self.slots + self.count
        cdef PyObject *found
        while slot < end:
            found = field(value, slot)
            if found is NULL:
                if slot.required and run.advice is not NULL:
                    self.visit_missing(slot, run, up)
            elif slot.bare and PyTuple_CheckExact(<object>found) and run.memo is NULL:
                PyDict_SetItem(value, <object>slot.key, list_of(<object>found))
            elif slot.step is not NULL:
                self.visit_field(value, slot, <object>found, run, up)
            slot += 1
        return 0

    cdef int visit_field(self, object value, Slot *slot, object old, Run *run, Place *up) except -1:
        cdef Place place
        place.up, place.key, place.index = up, slot.key, 0
        # A reference of our own: what is done below may well replace the value in the record.
        cdef object kept = old
        if slot.plain and PyDict_CheckExact(kept) and run.memo is NULL:
            spend(run, (<RecordStep>slot.step).count)
            return (<RecordStep>slot.step).visit_fields(kept, run, &place)
        if slot.severity is NULL:
            new = (<Step>slot.step).visit(kept, run, &place)
        else:
            new = self.visit_hinted(slot, kept, run, &place)
        if new is not kept:
            PyDict_SetItem(value, <object>slot.key, new)
        return 0

    cdef int visit_missing(self, Slot *slot, Run *run, Place *up, Py_ssize_t index=-1) except -1:
        cdef Place place
        # A record that stands as a list has places, not names.
        place.up, place.key, place.index = up, slot.key if index < 0 else NULL, index
        if slot.severity is not NULL and <object>slot.severity == "ignore":
            return 0
        cdef PyObject *before = run.severity
        if slot.severity is not NULL:
            run.severity = slot.severity
        expected = "Any" if slot.step is NULL else (<Step>slot.step).expected
        say(run, &place, "missing", expected, None, "kept", "nothing")
        run.severity = before
        return 0

    cdef object visit_hinted(self, Slot *slot, object value, Run *run, Place *place):
        cdef PyObject *advice = run.advice
        cdef PyObject *before = run.severity
        if <object>slot.severity == "ignore":
            run.advice = NULL
        run.severity = slot.severity
        try:
            return (<Step>slot.step).visit(value, run, place)
        finally:
            run.advice, run.severity = advice, before

    cdef object visit_row(self, object value, Run *run, Place *up):
        cdef Place place
        cdef list items = items_of(value)
        cdef bint in_place = PyList_Check(value)
        cdef Py_ssize_t i, size = len(items)
        cdef Py_ssize_t said = 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)
        cdef bint kept = False
        cdef object seen, new, result = value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        spend(run, size)
        place.up, place.key = up, NULL
        for i in range(min(size, self.count)):
            if self.slots[i].step is not NULL:
                place.index = i
                if self.slots[i].severity is NULL:
                    new = (<Step>self.slots[i].step).visit(items[i], run, &place)
                else:
                    new = self.visit_hinted(&self.slots[i], items[i], run, &place)
                if new is not items[i]:
                    items[i] = new
                    if in_place and i < PyList_GET_SIZE(value):
                        (<list>value)[i] = new
                    elif PyTuple_CheckExact(value):
                        result = None
                    else:
                        kept = not in_place
        if kept and self.build is None:
            unsay(run, said, up, self.expected, value)
        if size > self.count:
            say(
                run, up, "length", f"{self.expected} of {self.count}", value, "kept",
                f"{type_name(value)} of {size}",
            )
        elif run.advice is not NULL:
            for i in range(size, self.count):
                if self.slots[i].required:
                    self.visit_missing(&self.slots[i], run, up, i)
        if result is None:
            result = tuple(items)
        if self.build is not None and size <= self.count:
            result = self.make({self.fields[i][0]: items[i] for i in range(size)}, run, up, result)
        remember(run, value, self, result)
        return result

    cdef object make(self, object value, Run *run, Place *place, object instead=None):
        """Build the object; a record that has more or less than its class keeps its form and loses nothing."""
        cdef Py_ssize_t known = 0
        for i in range(self.count):
            known += lookup(value, self.slots[i].key) is not NULL
        if known != PyDict_Size(value):
            names = {field[0] for field in self.fields}
            more = (name for name in dict.__iter__(value) if type(name) is not str or name not in names)
            say(run, place, "unknown", self.expected, value, "could not", f"dict with an unknown {brief(next(more, None))}")
            return value if instead is None else instead
        try:
            if self.direct:
                return PyObject_Call(self.build, (), value if type(value) is dict else dict(value))
            return self.build(value)
        except Exception as error:
            say(run, place, "build", self.expected, value, "could not", f"dict, and {brief(error, WIDTH)}")
            return value if instead is None else instead


# Plans ------------------------------------------------------------------------------------------


cdef class Unmade(Step):
    """Stands in a plan that was not made."""

    cdef object visit(self, object value, Run *run, Place *place):
        raise ValueError("not made: a subclass that has an __init__ calls super().__init__(...)")


cdef class Plan:
    """A compiled plan: `apply` corrects, `advise` corrects and says everything.

    Args:
        step: The root.
        first: Nodes visited before shared containers are looked out for.
        nodes: Most nodes visited.
        cap: Most advice for one record.
    """

    cdef Step step
    cdef Py_ssize_t first
    cdef Py_ssize_t nodes
    cdef Py_ssize_t cap

    def __cinit__(self, *_arguments):
        # What every call relies on, should `__init__` never be called.
        self.step = Unmade("anything")

    def __init__(self, Step step not None, Py_ssize_t first, Py_ssize_t nodes, Py_ssize_t cap):
        self.step, self.first, self.nodes, self.cap = step, min(first, nodes), nodes, cap

    def apply(self, record, /):
        """Return the record, corrected in place."""
        cdef Run run
        run.advice = run.memo = run.severity = NULL
        run.left, run.cap, run.more, run.errors = self.first, 0, 0, 0
        try:
            return self.step.visit(record, &run, NULL)
        except OverrunError:
            return self.again(record, &run)

    def advise(self, record, /):
        """Return the record, corrected in place, and the list of everything there is to say about it."""
        cdef Run run
        cdef list advice = []
        run.advice = <PyObject *>advice
        run.memo = run.severity = NULL
        run.left, run.cap, run.more, run.errors = self.first, self.cap, 0, 0
        try:
            new = self.step.visit(record, &run, NULL)
        except OverrunError:
            # What was fixed stays fixed; all else will be found again.
            kept = [item for item in advice if (<Advice>item).outcome == "fixed"]
            advice.clear()
            advice.extend(kept)
            run.more = run.errors = 0
            run.severity = NULL
            new = self.again(record, &run)
        if run.more:
            severity = "error" if run.errors else "note"
            expected = f"at most {self.cap} pieces of advice"
            advice.append(Advice("$", "more", expected, f"{run.more} more", None, "kept", severity))
        return new, advice

    cdef object again(self, object record, Run *run):
        """Walk with a memo: each container is visited once for each step."""
        cdef dict memo = {}
        run.memo = <PyObject *>memo
        run.left = self.nodes
        try:
            return self.step.visit(record, run, NULL)
        except OverrunError:
            say(run, NULL, "limit", f"at most {self.nodes} nodes", record, "could not", "more")
            return record
