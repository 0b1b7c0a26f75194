# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, binding=False
"""A clock in place: it is read twice around a codec's call, wherever that is made.

Budget: 60 ns a call, all in all.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "Python.h":
    object PyObject_CallOneArg(object callable, object argument)

cdef extern from * nogil:
    """
    #include <time.h>
    #include <stdint.h>
    static inline int64_t bakeoff_inside_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    """
    int64_t bakeoff_inside_now()


cdef enum:
    CALLS = 20_000
    TRIES = 7


cdef class Inside:
    """A callable's time, clocked in place.

    Args:
        call: A callable with one argument.
    """

    cdef object _call
    cdef int64_t _spent
    cdef int64_t _calls

    def __init__(self, call, /):
        self._call = call

    def call(self, argument, /):
        """Return what the callable returns."""
        cdef int64_t begin = bakeoff_inside_now()
        result = PyObject_CallOneArg(self._call, argument)
        self._spent += bakeoff_inside_now() - begin
        self._calls += 1
        return result

    def take(self):
        """Return the nanoseconds and the number of the calls since this was last asked."""
        cdef int64_t spent = self._spent, calls = self._calls
        self._spent = 0
        self._calls = 0
        return spent, calls


def _nothing(argument, /):
    return None


cdef double _loop(call):
    """Return the nanoseconds of a call from here."""
    cdef int64_t begin = bakeoff_inside_now()
    cdef Py_ssize_t done
    for done in range(CALLS):
        PyObject_CallOneArg(call, None)
    return <double>(bakeoff_inside_now() - begin) / CALLS


def cost():
    """Return what the clock costs: nanoseconds that it adds to a call, and how many of them it counts itself."""
    clock = Inside(_nothing)
    clocked = clock.call
    cdef double bare = min([_loop(_nothing) for _ in range(TRIES)])
    cdef double added = min([_loop(clocked) for _ in range(TRIES)]) - bare
    clock.take()
    counted = []
    for _ in range(TRIES):
        _loop(clocked)
        spent, calls = clock.take()
        counted.append(spent / calls)
    return added, max(0.0, min(counted) - bare)
