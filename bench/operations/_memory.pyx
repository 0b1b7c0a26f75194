# cython: language_level=3, auto_pickle=False
"""Read counters of memory without changing them.

With glibc's allocator and pymalloc, two counters are exact: Python's allocated blocks, and the bytes
allocated on the C heap (``mallinfo2``). Small Python objects are in pymalloc's arenas, which the C heap
does not count. So neither counter changes for code without leaks.
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
    /* If another allocator replaces malloc (LD_PRELOAD), the counter of the heap does not change. */
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
"""Whether the C heap counts its bytes: glibc 2.33 or newer, not replaced by another allocator."""


def trim():
    """Return free pages of the C heap to the system."""
    heap_trim()


def used():
    """Return the bytes allocated on the C heap; 0 if it does not count them."""
    return heap_used()


def windows(call, list items, Py_ssize_t calls, Py_ssize_t count, bint failing, beat, resident=None):
    """Make calls in windows, and read the counters at their edges.

    Args:
        call: Takes one item; its result is dropped at once.
        items: Used in turn.
        calls: Number of calls in a window.
        count: Number of windows.
        failing: Errors are expected and dropped, except interruptions.
        beat: Called before each window, so that slow calls are not taken for hanging ones.
        resident: Returns the resident bytes, for use instead of the bytes on the C heap.

    Returns:
        ``count + 1`` pairs: blocks that Python has allocated, bytes on the C heap or resident bytes.

    Raises:
        ValueError: No items.
        Exception: Any error of `call`, unless `failing`.
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
    # Freeze, so that the garbage collection at the end of each window skips the libraries and the items.
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
    """Raise the error that the call has set."""
    return -1
