# cython: language_level=3, embedsignature=True, embedsignature.format=clinic, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Check limits and policies that a library does not support, in one walk through a whole record.

Budget: 6 ns a value. The walk runs no code of the record's objects: it reads the contents of containers
directly, without methods of subclasses. It always ends: after `max_items` items, or without this limit after
visiting each container once, even if it is shared or contains itself.
"""

cimport cython
from cpython.bytearray cimport PyByteArray_Check, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_Check, PyBytes_GET_SIZE
from cpython.complex cimport PyComplex_Check, PyComplex_ImagAsDouble, PyComplex_RealAsDouble
from cpython.dict cimport PyDict_Check, PyDict_Next, PyDict_Size
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from cpython.list cimport PyList_Check, PyList_GET_SIZE
from cpython.long cimport PyLong_Check
from cpython.object cimport PyObject
from cpython.set cimport PyAnySet_Check, PySet_Size
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_SIZE
from cpython.type cimport PyType_IsSubtype
from cpython.unicode cimport PyUnicode_Check
from libc.math cimport isfinite
from libc.stdint cimport uint16_t, uint32_t

from .._stack cimport RESERVE, stack_left

import sys
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from ..errors import PolicyError, TooMuchError

cdef extern from "Python.h":
    PyObject *type_of "(PyObject *)Py_TYPE"(PyObject *value)
    Py_ssize_t Py_REFCNT(PyObject *value)
    PyObject *item_of_list "PyList_GET_ITEM"(object list, Py_ssize_t index)
    PyObject *item_of_tuple "PyTuple_GET_ITEM"(object tuple, Py_ssize_t index)
    PyObject *Py_None
    long long PyLong_AsLongLongAndOverflow(object value, int *overflow) except? -1
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)

cdef frozenset LEAVES = frozenset({bytes, datetime, date, time, timedelta, UUID})
"""Other types without contents, for which `inside` is not called."""

cdef object bit_length = int.bit_length
cdef object is_finite = Decimal.is_finite


cdef class Rules:
    """What a record may contain; by default everything.

    Args:
        max_items: Maximum number of values: the record, items of lists, tuples and sets, and keys and values
            of dicts. A container counts each time that it occurs.
        max_text: Maximum length of a text in characters, and of bytes, including keys.
        max_digits: Maximum decimal digits of an integer, at least 1.
        nonfinite: Whether NaN and infinities are allowed in floats, complex numbers and decimals.
        surrogates: Whether texts may contain lone surrogates, which UTF-8 cannot encode.
        integer_bits: 64 allows integers from -2**63 to 2**64 - 1, 63 those up to 2**63 - 1, and None all.
        foreign: Classes that are refused, including their subclasses.
        keys: ``(dict) -> None`` is called with each dict that has keys other than texts; it may raise errors.
        inside: ``(object) -> object`` returns the contents of an object other than plain values and
            containers, which are checked instead, or None. It may run any code.

    Raises:
        ValueError: A limit is below 0, or below 1 for digits.
    """

    def __init__(
        self, *, max_items=None, max_text=None, max_digits=None,
        nonfinite=True, surrogates=True, integer_bits=None, foreign=(), keys=None, inside=None,
    ):
        for what, limit, least in (("items", max_items, 0), ("text", max_text, 0), ("digits", max_digits, 1)):
            if limit is not None and limit < least:
                raise ValueError(f"the limit of {what} is at least {least}, got {limit}")
        self.max_items = -1 if max_items is None else min(max_items, sys.maxsize)
        self.max_text = sys.maxsize if max_text is None else min(max_text, sys.maxsize)
        self.max_digits = max_digits
        self.bound = None if max_digits is None else 10**max_digits
        self._short = 0 if max_digits is None or max_digits > 18 else self.bound
        self.nonfinite, self.surrogates, self.integer_bits = nonfinite, surrogates, integer_bits or 0
        self.foreign, self.keys, self.inside = tuple(foreign), keys, inside
        self._texts = max_text is not None or not surrogates
        self._ints = max_digits is not None or integer_bits is not None
        self._others = bool(self.foreign) or inside is not None or not nonfinite


@cython.final
@cython.freelist(4)
cdef class _Walk:
    cdef Rules rules
    cdef bint texts
    cdef bint ints
    cdef bint floats
    cdef Py_ssize_t items
    cdef dict seen


cpdef int check_record(object record, Rules rules) except -1:
    """Check a whole record.

    Args:
        record: Any object. Dicts and their keys, lists, tuples, sets and frozensets are checked recursively.
        rules: What it may contain.

    Raises:
        TooMuchError: A limit of the rules is exceeded.
        PolicyError: The record contains a value that the rules do not allow.
        RecursionError: Nested too deeply for this thread's stack.
    """
    cdef _Walk walk = _Walk.__new__(_Walk)
    walk.rules, walk.texts, walk.ints, walk.floats = rules, rules._texts, rules._ints, not rules.nonfinite
    walk.items = 1
    return _visit(<PyObject *>record, walk)


cdef inline int _visit(PyObject *value, _Walk walk) except -1:
    cdef PyObject *kind = type_of(value)
    # Nearly all values have one of these types, and their checks run no other code.
    if kind is <PyObject *>str:
        return _check_text(<object>value, walk.rules) if walk.texts else 0
    if kind is <PyObject *>int:
        return _check_int(<object>value, walk.rules) if walk.ints else 0
    if kind is <PyObject *>float:
        return _refuse_nonfinite() if walk.floats and not isfinite(PyFloat_AS_DOUBLE(<object>value)) else 0
    if kind is <PyObject *>bool or value is Py_None:
        return 0
    return _visit_other(value, walk)


cdef int _visit_other(PyObject *borrowed, _Walk walk) except -1:
    cdef bint shared = Py_REFCNT(borrowed) > 1
    # Own a reference, because `inside` may run code that empties the value's container.
    cdef object value = <object>borrowed
    cdef bint asked = False
    cdef Py_ssize_t position = 0
    cdef PyObject *key
    cdef PyObject *item
    for foreign in walk.rules.foreign:
        if PyType_IsSubtype(type(value), <type>foreign):
            raise PolicyError(f"holds a value of an extension type, `{type(value).__name__}`")
    if PyDict_Check(value):
        if _enter(value, 2 * PyDict_Size(value), walk, shared):
            while PyDict_Next(value, &position, &key, &item):
                if type_of(key) is <PyObject *>str:
                    if walk.texts:
                        _check_text(<object>key, walk.rules)
                    _visit(item, walk)
                else:
                    held, held_key = <object>item, <object>key
                    if walk.rules.keys is not None and not asked:
                        asked = True
                        walk.rules.keys(value)
                    _visit(<PyObject *>held_key, walk)
                    _visit(<PyObject *>held, walk)
    elif PyList_Check(value):
        if _enter(value, PyList_GET_SIZE(value), walk, shared):
            while position < PyList_GET_SIZE(value):
                _visit(item_of_list(value, position), walk)
                position += 1
    elif PyTuple_Check(value):
        if _enter(value, PyTuple_GET_SIZE(value), walk, shared):
            while position < PyTuple_GET_SIZE(value):
                _visit(item_of_tuple(value, position), walk)
                position += 1
    elif PyAnySet_Check(value):
        if _enter(value, PySet_Size(value), walk, shared):
            # A subclass may have its own `__iter__`.
            for held in set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value):
                _visit(<PyObject *>held, walk)
    elif type(value) in LEAVES:
        if type_of(borrowed) is <PyObject *>bytes:
            _check_length(PyBytes_GET_SIZE(value), walk.rules)
    else:
        if PyUnicode_Check(value):
            _check_text(value, walk.rules)
        elif PyBytes_Check(value):
            _check_length(PyBytes_GET_SIZE(value), walk.rules)
        elif PyByteArray_Check(value):
            _check_length(PyByteArray_GET_SIZE(value), walk.rules)
        elif PyLong_Check(value):
            _check_int(value, walk.rules)
        if walk.rules._others:
            _visit_rest(value, walk, shared)
    return 0


cdef int _visit_rest(object value, _Walk walk, bint shared) except -1:
    cdef Rules rules = walk.rules
    if not rules.nonfinite:
        if PyFloat_Check(value):
            finite = isfinite(PyFloat_AS_DOUBLE(value))
        elif PyComplex_Check(value):
            finite = isfinite(PyComplex_RealAsDouble(value)) and isfinite(PyComplex_ImagAsDouble(value))
        else:
            finite = not PyType_IsSubtype(type(value), <type>Decimal) or is_finite(value)
        if not finite:
            _refuse_nonfinite()
    if rules.inside is not None:
        held = rules.inside(value)
        if held is not None and _enter(value, 0, walk, shared):
            _visit(<PyObject *>held, walk)
    return 0


cdef bint _enter(object container, Py_ssize_t count, _Walk walk, bint shared) except -1:
    """Count the items of a container, and return whether to visit them."""
    if stack_left() < RESERVE:
        raise RecursionError("nested too deeply for the stack of this thread")
    if walk.rules.max_items >= 0:
        walk.items += count
        if walk.items > walk.rules.max_items:
            raise TooMuchError(f"more than {walk.rules.max_items:,} values")
        return True
    if shared:
        # Without a limit of items, visit each once: sharing at every level takes exponential time otherwise.
        if walk.seen is None:
            walk.seen = {}
        if id(container) in walk.seen:
            return False
        walk.seen[id(container)] = container
    return True


cdef int _check_text(object text, Rules rules) except -1:
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text), i
    cdef unsigned int found = 0
    if length > rules.max_text:
        raise TooMuchError(f"a text of {length:,} characters, more than the limit of {rules.max_text:,}")
    if rules.surrogates or PyUnicode_IS_ASCII(text) or PyUnicode_KIND(text) == 1:
        return 0
    if PyUnicode_KIND(text) == 2:
        for i in range(length):
            found |= ((<uint16_t *>PyUnicode_DATA(text))[i] & 0xF800) == 0xD800
    else:
        for i in range(length):
            found |= ((<uint32_t *>PyUnicode_DATA(text))[i] & 0xFFFFF800) == 0xD800
    if found:
        raise PolicyError("holds a text with a lone surrogate")
    return 0


cdef int _check_length(Py_ssize_t length, Rules rules) except -1:
    if length > rules.max_text:
        raise TooMuchError(f"bytes of length {length:,}, more than the limit of {rules.max_text:,}")
    return 0


cdef int _check_int(object value, Rules rules) except -1:
    cdef int overflow = 0
    if not rules._ints:
        return 0
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if overflow and rules.integer_bits and (overflow < 0 or bit_length(value) > rules.integer_bits):
        raise PolicyError("holds an integer outside of 64 bits")
    if rules.bound is None or not overflow and (rules._short == 0 or -rules._short < number < rules._short):
        return 0
    # The bits are usually enough. Counting the digits of a long number takes quadratic time.
    bits, most = bit_length(value), bit_length(rules.bound)
    if not overflow or bits > most or bits == most and int.__abs__(value) >= rules.bound:
        raise TooMuchError(f"an integer of more than {rules.max_digits:,} digits")
    return 0


cdef int _refuse_nonfinite() except -1:
    raise PolicyError("holds NaN or an infinity")
