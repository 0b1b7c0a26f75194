# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, binding=False
"""The timed loop: one callable over part of a list, with the clock read twice.

Budget: 10 ns a call on top of what is measured (design, section 10).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "Python.h":
    ctypedef PyObject *const *args_t "PyObject *const *"
    PyObject *PyObject_Vectorcall(PyObject *callable, args_t args, size_t nargs, PyObject *names)
    void Py_DECREF(PyObject *object)
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET

cdef extern from * nogil:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <time.h>
    #include <stdint.h>
    #include <sys/time.h>
    #include <sys/resource.h>
    #ifndef RUSAGE_THREAD
    #define RUSAGE_THREAD RUSAGE_SELF
    #endif
    static int64_t bakeoff_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static long bakeoff_switches(void) {
        struct rusage usage;
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
    }
    """
    int64_t bakeoff_now()
    long bakeoff_switches()


cdef int _loop(PyObject *call, list items, Py_ssize_t start, Py_ssize_t count) except -1:
    cdef Py_ssize_t length = PyList_GET_SIZE(items)
    cdef Py_ssize_t at = start % length
    cdef PyObject *slot[2]
    cdef PyObject *result
    slot[0] = NULL
    while count > 0:
        slot[1] = PyList_GET_ITEM(items, at)
        # Callees may borrow the slot before the arguments for `self` instead of copying them.
        result = PyObject_Vectorcall(call, <args_t>&slot[1], 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
        if result is NULL:
            return -1
        Py_DECREF(result)
        at += 1
        if at == length:
            at = 0
        count -= 1
    return 0


def time_calls(call, list items not None, Py_ssize_t start, Py_ssize_t count, /):
    """Call `call` with `count` items in turn, from index `start` on and round again, dropping the results.

    Returns:
        Nanoseconds, and how often the kernel took the processor away meanwhile.

    Raises:
        ValueError: No items.
        Exception: Whatever `call` raises.
    """
    cdef int64_t begin, end
    cdef long before
    if not items:
        raise ValueError("nothing to call with")
    before = bakeoff_switches()
    begin = bakeoff_now()
    _loop(<PyObject *>call, items, start, count)
    end = bakeoff_now()
    return end - begin, bakeoff_switches() - before


def copy(data, /):
    """Return a copy of the bytes: the least that any codec has to do."""
    if not PyBytes_CheckExact(data):
        raise TypeError("bytes expected")
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


def nothing(item, /):
    """Return None: what is left is the cost of measuring."""
    return None
