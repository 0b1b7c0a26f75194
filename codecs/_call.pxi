# A library's callable, called at no more than it costs.

from cpython.object cimport PyObject
from cpython.ref cimport Py_DECREF

cdef extern from "Python.h":
    PyObject *PyObject_Vectorcall(object callable, PyObject **args, size_t nargs, PyObject *names)
    PyObject *PyObject_CallOneArg(object callable, object argument)

cdef enum:
    MAX_ARGUMENTS = 12


cdef class _Call:
    """A library callable with its fixed further arguments, laid out once for vectorcall."""

    cdef object function
    cdef tuple names
    cdef tuple values
    cdef PyObject *further[MAX_ARGUMENTS]
    cdef Py_ssize_t positional
    cdef Py_ssize_t count

    def __cinit__(self, function, tuple arguments, dict options):
        self.function = function
        self.values = arguments + tuple(options.values())
        self.names = tuple(options) if options else None
        self.positional = 1 + len(arguments)
        self.count = len(self.values)
        if self.count >= MAX_ARGUMENTS:
            raise ValueError(f"at most {MAX_ARGUMENTS - 1} further arguments, got {self.count}")
        for i in range(self.count):
            self.further[i] = <PyObject *>self.values[i]


cdef inline PyObject *_raw_call(_Call call, object subject) noexcept:
    """Return a new reference, or NULL with the error set: the callers' success path has no ``try``."""
    cdef PyObject *stack[MAX_ARGUMENTS + 1]
    cdef Py_ssize_t i
    if call.count == 0:
        return PyObject_CallOneArg(call.function, subject)
    stack[0] = <PyObject *>subject
    for i in range(call.count):
        stack[i + 1] = call.further[i]
    return PyObject_Vectorcall(
        call.function, stack, call.positional, NULL if call.names is None else <PyObject *>call.names
    )


cdef inline object _owned(PyObject *result):
    made = <object>result
    Py_DECREF(made)
    return made


cdef int _reraise() except -1:
    """Turn the error that a raw call left behind into an exception again."""
    return -1


cdef object _call(_Call call, object subject):
    cdef PyObject *result = _raw_call(call, subject)
    if result is NULL:
        _reraise()
    return _owned(result)
