# Call a library's callable without overhead.

from cpython.object cimport PyObject

cdef extern from *:
    """
    /* Return the entry point of a built-in function, which never changes, or the general one. */
    static vectorcallfunc bakeoff_way_in(PyObject *callable) {
        vectorcallfunc own = PyCFunction_CheckExact(callable) ? PyVectorcall_Function(callable) : NULL;
        return own == NULL ? PyObject_Vectorcall : own;
    }
    /* Return a new reference as an object, without counting it again. */
    static inline PyObject *bakeoff_owned(PyObject *made) { return made; }
    """
    ctypedef PyObject *(*way_in_t "vectorcallfunc")(object, PyObject **, size_t, PyObject *) noexcept
    way_in_t _way_in "bakeoff_way_in"(object callable) noexcept
    object _owned "bakeoff_owned"(PyObject *made) noexcept
    size_t OFFSET "PY_VECTORCALL_ARGUMENTS_OFFSET"

cdef enum:
    MAX_ARGUMENTS = 12


cdef class _Call:
    """A library's callable and its fixed further arguments, prepared once for vectorcall."""

    cdef object function
    cdef way_in_t way_in
    cdef tuple names
    cdef tuple values
    cdef PyObject *further[MAX_ARGUMENTS]
    cdef PyObject *keywords
    cdef Py_ssize_t positional
    cdef Py_ssize_t count

    def __cinit__(self, function, tuple arguments, dict options):
        self.function, self.way_in = function, _way_in(function)
        self.values = arguments + tuple(options.values())
        self.names = tuple(options) if options else None
        self.keywords = <PyObject *>self.names if options else NULL
        self.positional = 1 + len(arguments)
        self.count = len(self.values)
        if self.count >= MAX_ARGUMENTS:
            raise ValueError(f"at most {MAX_ARGUMENTS - 1} further arguments, got {self.count}")
        for i in range(self.count):
            self.further[i] = <PyObject *>self.values[i]


cdef inline PyObject *_raw_call(_Call call, object subject) noexcept:
    """Return a new reference, or NULL with the error set, so that callers need no ``try`` for success."""
    # The callee may write to the first place.
    cdef PyObject *stack[MAX_ARGUMENTS + 2]
    cdef Py_ssize_t i
    stack[1] = <PyObject *>subject
    for i in range(call.count):
        stack[i + 2] = call.further[i]
    return call.way_in(call.function, stack + 1, call.positional | OFFSET, call.keywords)


cdef int _reraise() except -1:
    """Raise the error that a raw call has set."""
    return -1


cdef object _call(_Call call, object subject):
    cdef PyObject *result = _raw_call(call, subject)
    if result is NULL:
        _reraise()
    return _owned(result)
