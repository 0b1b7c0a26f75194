# cython: language_level=3, embedsignature=True, binding=False
"""What the allocator and the kernel say of this process, read without allocating.

Every reading goes through C buffers: a sample that allocated would be part of what it counts.
"""

from cpython.object cimport PyObject
from libc.stdint cimport int64_t

import sys

cdef extern from "Python.h":
    ctypedef PyObject *const *args_t "PyObject *const *"
    PyObject *PyObject_Vectorcall(PyObject *callable, args_t args, size_t nargs, PyObject *names)
    PyObject *PyObject_CallNoArgs(PyObject *callable)
    PyObject *PyList_GET_ITEM(object items, Py_ssize_t index)
    long long PyLong_AsLongLong(PyObject *number)
    int PyErr_ExceptionMatches(PyObject *kind)
    void PyErr_Clear()
    void Py_DECREF(PyObject *object)
    PyObject *PyExc_Exception

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    #include <malloc.h>
    static int bakeoff_has_mallinfo(void) { return 1; }
    static int64_t bakeoff_heap(void) {
        struct mallinfo2 info = mallinfo2();
        return (int64_t)(info.uordblks + info.hblkhd);
    }
    #else
    static int bakeoff_has_mallinfo(void) { return 0; }
    static int64_t bakeoff_heap(void) { return -1; }
    #endif
    #if defined(__GLIBC__)
    #include <malloc.h>
    static int bakeoff_trim(void) { malloc_trim(0); return 1; }
    #else
    static int bakeoff_trim(void) { return 0; }
    #endif
    /* Another allocator may stand in front of glibc's (LD_PRELOAD): then its counter stands still. */
    static int bakeoff_sees_malloc(void) {
        int64_t before = bakeoff_heap();
        void *volatile block = malloc(100000);
        int64_t after = bakeoff_heap();
        free(block);
        return before >= 0 && after >= before + 100000;
    }
    #if defined(__linux__)
    #include <fcntl.h>
    #include <unistd.h>
    static int64_t bakeoff_status(const char *key) {
        char text[8192];
        int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
        if (file < 0) return -1;
        ssize_t length = read(file, text, sizeof text - 1);
        close(file);
        if (length <= 0) return -1;
        text[length] = 0;
        char *found = strstr(text, key);
        return found ? (int64_t)strtoll(found + strlen(key), NULL, 10) * 1024 : -1;
    }
    static int bakeoff_reset_peak(void) {
        int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
        if (file < 0) return 0;
        ssize_t written = write(file, "5", 1);
        close(file);
        return written == 1;
    }
    #else
    static int64_t bakeoff_status(const char *key) { (void)key; return -1; }
    static int bakeoff_reset_peak(void) { return 0; }
    #endif
    """
    int bakeoff_has_mallinfo()
    int64_t bakeoff_heap()
    int bakeoff_trim()
    int bakeoff_sees_malloc()
    int64_t bakeoff_status(const char *key)
    int bakeoff_reset_peak()

HAS_MALLINFO = bool(bakeoff_has_mallinfo())

cdef object _blocks = sys.getallocatedblocks


def sees_malloc():
    """Whether the C library's counters follow `malloc` here; another allocator may be preloaded."""
    return bool(bakeoff_sees_malloc())


def heap_bytes():
    """Return the bytes that the C heap has handed out, or -1 where it does not tell."""
    return bakeoff_heap()


def trim():
    """Give free pages of the C heap back to the kernel; False where that cannot be asked for."""
    return bool(bakeoff_trim())


def resident():
    """Return the resident bytes of this process, or -1 without ``/proc``."""
    return bakeoff_status(b"VmRSS:")


def peak_resident():
    """Return the high-water mark of the resident bytes, or -1 without ``/proc``."""
    return bakeoff_status(b"VmHWM:")


def reset_peak():
    """Set the high-water mark back to what is resident now; False where the kernel refuses."""
    return bool(bakeoff_reset_peak())


def sample(int64_t[::1] into not None, Py_ssize_t at, bint heap):
    """Write the allocated Python blocks to ``into[at]`` and C heap or resident bytes to ``into[at + 1]``.

    Args:
        heap: The C heap's count rather than resident memory.

    Raises:
        IndexError: No two places at `at`.
    """
    cdef PyObject *number
    if at < 0 or at + 1 >= into.shape[0]:
        raise IndexError(at)
    number = PyObject_CallNoArgs(<PyObject *>_blocks)
    into[at] = PyLong_AsLongLong(number)
    Py_DECREF(number)
    into[at + 1] = bakeoff_heap() if heap else bakeoff_status(b"VmRSS:")


def call_refused(call, list items not None, Py_ssize_t start, Py_ssize_t count, /):
    """Call `call` with `count` items in turn, from index `start` on; drop results and exceptions.

    Returns:
        How many calls raised.

    Raises:
        ValueError: No items.
        BaseException: What is no `Exception`, for instance `KeyboardInterrupt`.
    """
    cdef PyObject *slot[1]
    cdef PyObject *result
    cdef Py_ssize_t length = len(items)
    cdef Py_ssize_t i, raised = 0
    if length == 0:
        raise ValueError("nothing to call with")
    for i in range(count):
        slot[0] = PyList_GET_ITEM(items, (start + i) % length)
        result = PyObject_Vectorcall(<PyObject *>call, <args_t>slot, 1, NULL)
        if result is not NULL:
            Py_DECREF(result)
        elif PyErr_ExceptionMatches(PyExc_Exception):
            PyErr_Clear()
            raised += 1
        else:
            _reraise()
    return raised


cdef int _reraise() except -1:
    """Turn the error that a raw call left behind into an exception again."""
    return -1
