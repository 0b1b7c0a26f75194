# cython: language_level=3, embedsignature=True, binding=True
"""Deliberate defects in C, for the self-test: what they lose is known to the byte."""

from cpython.ref cimport Py_INCREF
from libc.stdlib cimport malloc

cdef extern from *:
    """
    static void bakeoff_crash(void) { volatile int *nowhere = 0; *nowhere = 1; }
    """
    void bakeoff_crash()

cdef void *volatile_sink = NULL


cdef class Defect:
    """A call that does its work and then something wrong.

    Args:
        work: The sound callable of one argument.
        kind: "malloc" (16 bytes from C are never freed), "object" (an object is kept), "reference"
            (the result has one reference too many), "append" (a list grows by `None`), "crash"
            (writes to address 0), "again" (does its work twice) or "" (nothing wrong).
        every: Only every so many calls.
    """

    cdef object work
    cdef str kind
    cdef list kept
    cdef Py_ssize_t every
    cdef Py_ssize_t calls

    def __init__(self, work, str kind, Py_ssize_t every=1):
        self.work = work
        self.kind = kind
        self.kept = []
        self.every = every
        self.calls = 0

    def __call__(self, item):
        global volatile_sink
        result = self.work(item)
        self.calls += 1
        if self.calls % self.every:
            return result
        if self.kind == "malloc":
            volatile_sink = malloc(16)
        elif self.kind == "object":
            self.kept.append(object())
        elif self.kind == "reference":
            Py_INCREF(result)
        elif self.kind == "append":
            self.kept.append(None)
        elif self.kind == "crash":
            bakeoff_crash()
        elif self.kind == "again":
            self.work(item)
        return result
