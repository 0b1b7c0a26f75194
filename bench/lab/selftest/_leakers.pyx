# cython: language_level=3
"""Deliberate faults in C, which the self-test must detect."""

from cpython.ref cimport Py_INCREF
from libc.signal cimport SIGSEGV, raise_ as send_signal
cdef extern from *:
    """
    #include <stdlib.h>
    /* volatile, so that the compiler does not remove the leak */
    static void *volatile lost;
    static void lose(size_t size) { lost = malloc(size); }
    """
    void lose(size_t size)

cdef long long _calls = 0
cdef list _kept = []


def lose_16_bytes(value):
    """Lose 16 bytes of C memory in each call."""
    lose(16)
    return value


def lose_16_bytes_in_1000(value):
    """Lose 16 bytes of C memory once in 1,000 calls."""
    global _calls
    _calls += 1
    if _calls % 1000 == 0:
        lose(16)
    return value


def keep_an_object(value):
    """Keep one small object in each call."""
    _kept.append(b"17 bytes or so: %d" % len(_kept))
    return value


def lose_a_reference(value):
    """Take one reference too many, so that a whole record is never freed."""
    Py_INCREF(value)
    return value


def crash(value):
    """End the process with a segmentation fault."""
    send_signal(SIGSEGV)
