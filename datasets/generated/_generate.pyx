# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, embedsignature=True, auto_pickle=False, nonecheck=True
"""The compiled part of the generators: random numbers, fresh text, and the families that need it.

Random numbers are SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014), in integer arithmetic only. Floats are made by one division of two
integers, which IEEE 754 rounds the same way everywhere; no maths library is called and no
expression could be fused by a compiler. That makes a corpus the same on every machine.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.datetime cimport date_new, datetime_new, import_datetime
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from datetime import UTC

from .words import FUNCTION_WORDS, WORDS

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t size, Py_UCS4 maxchar)
    void *PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_MAX_CHAR_VALUE(object text)
    Py_ssize_t PyUnicode_CopyCharacters(
        object to, Py_ssize_t to_start, object source, Py_ssize_t from_start, Py_ssize_t how_many
    ) except -1

import_datetime()

include "_random.pxi"
include "_pick.pxi"
include "_movies.pxi"
include "_messages.pxi"
include "_accounts.pxi"
include "_universe.pxi"
include "_likes.pxi"
include "_pairs.pxi"
