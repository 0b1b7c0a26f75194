# Call a library's callable without overhead.

from cpython.exc cimport PyErr_Clear, PyErr_ExceptionMatches
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
    # Calls that begin with the other function, after the first one has refused an object.
    REMEMBERED_CALLS = 1000


cdef class _Use:
    """Whether a function is in a call, of any codec."""

    cdef bint now


cdef dict _USES = {}
"""Of functions that keep the state of a call in memory that all calls share."""


cdef class _Call:
    """A library's callable and its fixed further arguments, prepared once for vectorcall.

    Attributes:
        within: For calls that begin within another one of the callable. None if any may.
        again: For objects that the callable refuses; it returns the same for those that are not. None without.
        remembered: Calls that begin with `again`, as records resemble each other. Which of the two is called
            first changes no result, so threads need no lock for it.
    """

    cdef object function
    cdef way_in_t way_in
    cdef tuple names
    cdef tuple values
    cdef PyObject *further[MAX_ARGUMENTS]
    cdef PyObject *keywords
    cdef Py_ssize_t positional
    cdef Py_ssize_t count
    cdef _Call within
    cdef _Use use
    cdef _Call again
    cdef int remembered

    def __cinit__(self, function, tuple arguments, dict options, again=None, within=None):
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
        if within is not None:
            self.within, self.use = _Call(within, (), {}), _USES.setdefault(function, _Use())
        if again is not None:
            self.again = _Call(again, (), {})


cdef inline PyObject *_raw_call(_Call call, object subject) noexcept:
    """Return a new reference, or NULL with the error set, so that callers need no ``try`` for success."""
    cdef PyObject *result
    if call.remembered > 0:
        call.remembered -= 1
        result = _first_call(call.again, subject)
        if result is not NULL or not PyErr_ExceptionMatches(Exception):
            return result
        PyErr_Clear()
        call.remembered = 0
    return _first_call(call, subject)


cdef inline PyObject *_first_call(_Call call, object subject) noexcept:
    return _library_call(call, subject) if call.within is None else _only_call(call, subject)


cdef PyObject *_only_call(_Call call, object subject) noexcept:
    """Call the library, or what may be called within another call of it."""
    cdef PyObject *result
    if call.use.now:
        return _library_call(call.within, subject)
    call.use.now = True
    result = _library_call(call, subject)
    call.use.now = False
    return result


cdef inline PyObject *_library_call(_Call call, object subject) noexcept:
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
