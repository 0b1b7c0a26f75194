# cython: language_level=3
"""Deliberate faults in C, for the self-test: what leaks here must be found."""

from cpython.ref cimport Py_INCREF
from libc.signal cimport SIGSEGV, raise_ as send_signal
from libc.stdlib cimport malloc

cdef long long _calls = 0
cdef list _kept = []
cdef void *volatile_sink = NULL


def lose_16_bytes(value):
    """Lose 16 bytes of C memory a call."""
    global volatile_sink
    volatile_sink = malloc(16)
    return value


def lose_16_bytes_in_1000(value):
    """Lose 16 bytes of C memory once in 1,000 calls."""
    global _calls, volatile_sink
    _calls += 1
    if _calls % 1000 == 0:
        volatile_sink = malloc(16)
    return value


def keep_an_object(value):
    """Keep one small object a call."""
    _kept.append(b"17 bytes or so: %d" % len(_kept))
    return value


def lose_a_reference(value):
    """Take one reference too many, so that a whole record is never freed."""
    Py_INCREF(value)
    return value


def crash(value):
    """End the process with a segmentation fault."""
    send_signal(SIGSEGV)
