# cython: language_level=3, auto_pickle=False
"""Counters of memory, read without disturbing what they count.

Under glibc's allocator and pymalloc two counters are exact: Python's allocated blocks, and the
bytes that the C heap has handed out (``mallinfo2``). Small Python objects live in pymalloc's arenas,
which the C heap does not count, so that each counter stands still for clean code.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

import gc
import sys
from cpython.object cimport PyObject

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(__GLIBC__)
    #  include <malloc.h>
    #  if __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33)
    #    define BAKEOFF_EXACT 1
    #  endif
    #endif
    #ifdef BAKEOFF_EXACT
    static long long heap_used(void) {
        struct mallinfo2 info = mallinfo2();
        return (long long)(info.uordblks + info.hblkhd);
    }
    static void heap_trim(void) { malloc_trim(0); }
    /* Another allocator may have been put in malloc's place (LD_PRELOAD): then the heap stands still. */
    static int heap_is_exact(void) {
        long long before = heap_used();
        void *volatile piece = malloc(100000);
        int grown = heap_used() - before >= 100000;
        free(piece);
        return grown;
    }
    #else
    static int heap_is_exact(void) { return 0; }
    static long long heap_used(void) { return 0; }
    static void heap_trim(void) { }
    #endif
    """
    int heap_is_exact() nogil
    long long heap_used() nogil
    void heap_trim() nogil

cdef extern from "Python.h":
    Py_ssize_t PyGC_Collect()
    PyObject *PyObject_CallOneArg(object callable, object argument)
    void Py_DECREF(PyObject *)
    void PyErr_Clear()
    bint PyErr_ExceptionMatches(object)

EXACT = bool(heap_is_exact())
"""Whether the C heap tells what it has handed out (glibc 2.33 and newer, in nobody else's place)."""


def trim():
    """Give free pages of the C heap back to the system."""
    heap_trim()


def used():
    """Return the bytes that the C heap has handed out; 0 where it does not tell."""
    return heap_used()


def windows(call, list items, Py_ssize_t calls, Py_ssize_t count, bint failing, beat, resident=None):
    """Call over and over, reading the counters at the edges of windows.

    Args:
        call: Takes one item; its result is dropped at once.
        items: Taken in turn.
        calls: Calls a window.
        count: Windows.
        failing: Errors are expected, and dropped; an interruption is none.
        beat: Called before each window: slow calls are no hanging ones.
        resident: Callable giving resident bytes, where the heap does not tell.

    Returns:
        ``count + 1`` pairs: blocks that Python has allocated, bytes on the C heap.

    Raises:
        Whatever `call` raises, unless `failing`.
    """
    if not items:
        raise ValueError("windows need at least one item")
    cdef int64_t *blocks = <int64_t *>malloc((count + 1) * sizeof(int64_t))
    cdef int64_t *heap = <int64_t *>malloc((count + 1) * sizeof(int64_t))
    if blocks is NULL or heap is NULL:
        free(blocks)
        free(heap)
        raise MemoryError
    cdef Py_ssize_t window, done, position = 0, length = len(items)
    cdef PyObject *result
    allocated = sys.getallocatedblocks
    # Each window ends with a collection: of what the calls leave, not of the libraries and the items.
    gc.freeze()
    try:
        for window in range(count + 1):
            if window:
                beat()
                for done in range(calls):
                    result = PyObject_CallOneArg(call, items[position])
                    if result is NULL:
                        if not (failing and PyErr_ExceptionMatches(Exception)):
                            _raise()
                        PyErr_Clear()
                    else:
                        Py_DECREF(result)
                    position += 1
                    if position == length:
                        position = 0
            PyGC_Collect()
            heap_trim()
            blocks[window] = allocated()
            heap[window] = heap_used() if resident is None else resident()
        return [(blocks[window], heap[window]) for window in range(count + 1)]
    finally:
        gc.unfreeze()
        free(blocks)
        free(heap)


cdef int _raise() except -1:
    """Let the error that the call has set become an exception."""
    return -1
