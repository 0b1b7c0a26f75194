# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, binding=False, auto_pickle=False, nonecheck=True
"""Time a codec's calls in place: read a clock before and after each call, wherever it is made.

Budget: 60 ns a call in total. The clock of processor time, for processes that compete for the processor,
takes ten times as long to read, so its cost is subtracted from the figures (see `cost`).
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

cdef extern from "Python.h":
    object PyObject_CallOneArg(object callable, object argument)

cdef extern from * nogil:
    """
    #include <time.h>
    #include <stdint.h>
    #ifdef _WIN32
    #define WIN32_LEAN_AND_MEAN
    #include <windows.h>
    /* In ticks of 16 ms for the processor's time. */
    static inline int64_t bakeoff_inside_now(int processor) {
        LARGE_INTEGER ticks, second;
        FILETIME begun, ended, kernel, user;
        if (processor) {
            GetThreadTimes(GetCurrentThread(), &begun, &ended, &kernel, &user);
            return 100 * (((int64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime)
                        + ((int64_t)user.dwHighDateTime << 32 | user.dwLowDateTime));
        }
        QueryPerformanceCounter(&ticks);
        QueryPerformanceFrequency(&second);
        return ticks.QuadPart / second.QuadPart * 1000000000
             + ticks.QuadPart % second.QuadPart * 1000000000 / second.QuadPart;
    }
    #else
    static inline int64_t bakeoff_inside_now(int processor) {
        struct timespec t;
        clock_gettime(processor ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    #endif
    """
    int64_t bakeoff_inside_now(int processor)


cdef enum:
    CALLS = 20_000
    TRIES = 7


cdef class Inside:
    """A callable whose calls are timed in place.

    Args:
        call: A callable with one argument.
        processor: Count the processor time of the thread instead of the elapsed time.
    """

    cdef object _call
    cdef bint _processor
    cdef int64_t _spent
    cdef int64_t _calls

    def __init__(self, call, /, *, bint processor=False):
        self._call = call
        self._processor = processor

    def call(self, argument, /):
        """Make a call, add up its time, and return its result."""
        cdef int64_t begin = bakeoff_inside_now(self._processor)
        result = PyObject_CallOneArg(self._call, argument)
        self._spent += bakeoff_inside_now(self._processor) - begin
        self._calls += 1
        return result

    def take(self):
        """Return the nanoseconds and the number of calls since the last `take`."""
        cdef int64_t spent = self._spent, calls = self._calls
        self._spent = 0
        self._calls = 0
        return spent, calls


def _nothing(argument, /):
    return None


cdef double _loop(call, Py_ssize_t calls):
    """Return the mean nanoseconds of calls from here."""
    cdef int64_t begin = bakeoff_inside_now(False)
    cdef Py_ssize_t done
    for done in range(calls):
        PyObject_CallOneArg(call, None)
    return <double>(bakeoff_inside_now(False) - begin) / calls


def cost(*, bint processor=False):
    """Return the cost of the clock: the nanoseconds that it adds to a call, and how many of them it counts."""
    cdef Py_ssize_t calls = CALLS // 10 if processor else CALLS
    clock = Inside(_nothing, processor=processor)
    clocked = clock.call
    cdef double bare = min([_loop(_nothing, calls) for _ in range(TRIES)])
    cdef double added = min([_loop(clocked, calls) for _ in range(TRIES)]) - bare
    clock.take()
    counted = []
    for _ in range(TRIES):
        _loop(clocked, calls)
        spent, made = clock.take()
        counted.append(spent / made)
    return added, max(0.0, min(counted) - bare)
