# cython: language_level=3, binding=False, embedsignature=True, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Compiled plans: trees of steps that correct a decoded record in place.

Each step is for one node of a schema. A plan for a codec has steps only where that codec needs them; the
full plan has all. Steps recurse no deeper than the schema, or `DEEPEST` levels in recursive records. They
raise no errors about the contents of a record, and do not change correct values. Nodes are counted: a record
that shares containers so often that the count exceeds its limit is walked again with a memo of
(container, step), which takes linear time.
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

from collections import Counter, OrderedDict
from sys import intern

from ...codecs.paths import brief, join, type_name

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

import_datetime()

from ...codecs._stack cimport RESERVE, stack_left

DEF DEEPEST = 10_000
DEF KEY_ATTACK = 32
DEF SMALL = 32
DEF MISSES = 32
DEF WIDTH = 120
DEF LONGEST_CALL = 100

include "_run.pxi"
include "_leaves.pxi"
include "_containers.pxi"
include "_record.pxi"


cdef class Unmade(Step):
    """The step of a plan that was not initialized."""

    cdef object visit(self, object value, Run *run, Place *place):
        raise ValueError("not made: a subclass that has an __init__ calls super().__init__(...)")


cdef class Fit:
    """Compares values with a type: returns their misfit, which is least for the type that keeps them exactly.

    Args:
        step: The step of the type, which checks everything.
    """

    cdef Step step

    def __cinit__(self, *_arguments):
        self.step = Unmade("anything")

    def __init__(self, Step step not None):
        self.step = step

    def __call__(self, value, /):
        """Return the misfit of a value, from 0."""
        cdef Look look
        look.left, look.choices = COMPARED, CHOICES
        return self.step.misfit(value, &look)


cdef class Plan:
    """A compiled plan: `apply` corrects records, and `advise` also returns all advice.

    Args:
        step: The root.
        first: Number of visited nodes after which shared containers are detected.
        nodes: Most nodes visited.
        cap: Most pieces of advice about one record.
    """

    cdef Step step
    cdef Py_ssize_t first
    cdef Py_ssize_t nodes
    cdef Py_ssize_t cap

    def __cinit__(self, *_arguments):
        # A default that calls need if `__init__` is never called.
        self.step = Unmade("anything")

    def __init__(self, Step step not None, Py_ssize_t first, Py_ssize_t nodes, Py_ssize_t cap):
        self.step, self.first, self.nodes, self.cap = step, min(first, nodes), nodes, cap

    def apply(self, record, /):
        """Return the record, corrected in place."""
        cdef Run run
        run.advice = run.memo = run.severity = NULL
        run.left, run.cap, run.more, run.errors, run.depth = self.first, 0, 0, 0, 0
        try:
            return self.step.visit(record, &run, NULL)
        except OverrunError:
            return self.again(record, &run)

    def advise(self, record, /):
        """Return the record, corrected in place, and the list of all advice about it."""
        cdef Run run
        cdef list advice = []
        run.advice = <PyObject *>advice
        run.memo = run.severity = NULL
        run.left, run.cap, run.more, run.errors, run.depth = self.first, self.cap, 0, 0, 0
        try:
            new = self.step.visit(record, &run, NULL)
        except OverrunError:
            # Values that were fixed stay fixed. All other advice is found again.
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
        """Walk through the record with a memo, so that each step visits a container once."""
        cdef dict memo = {}
        run.memo = <PyObject *>memo
        run.left, run.depth = self.nodes, 0
        try:
            return self.step.visit(record, run, NULL)
        except OverrunError:
            say(run, NULL, "limit", f"at most {self.nodes} nodes", record, "could not", "more")
            return record
