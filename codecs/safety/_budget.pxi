# Limit values that are encoded as MessagePack within a payload, for fields of any type.
#
# The outer format counts each of them as one value. So the values in each are counted before it is decoded,
# and all of one payload share its limit of items.

from cpython.object cimport PyObject as _Object

cdef extern from "Python.h":
    _Object *PyThreadState_GetDict() noexcept
    _Object *_held_by "PyDict_GetItemWithError"(object, object) except? NULL

cdef object CURRENT = object()
"""Key of the active budget in the dict of a thread."""


cdef class Budget:
    """The number of values that embedded parts of a payload may contain; active in a thread while entered.

    Args:
        items: The limit.
    """

    cdef readonly Py_ssize_t items
    cdef Py_ssize_t _left
    cdef object _before

    def __init__(self, Py_ssize_t items):
        self.items = self._left = items

    def __enter__(self):
        cdef _Object *held = PyThreadState_GetDict()
        if held is not NULL:
            self._before = (<dict>held).get(CURRENT)
            (<dict>held)[CURRENT] = self
        return self

    def __exit__(self, kind, error, trace):
        cdef _Object *held = PyThreadState_GetDict()
        if held is not NULL:
            (<dict>held)[CURRENT] = self._before
        self._before = None


def count_embedded(bytes data not None, /):
    """Count the values in an embedded value, and subtract them from the active budget, if any.

    Raises:
        TooMuchError: The embedded values so far, including this one, exceed the budget.
    """
    cdef _Object *held = PyThreadState_GetDict()
    cdef _Object *found = NULL if held is NULL else _held_by(<object>held, CURRENT)
    cdef held_t counted = held_t(0, 0, False, False, False)
    cdef Budget budget
    if found is NULL or <object>found is None:
        return
    budget = <Budget>found
    _msgpack(<const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &counted)
    budget._left -= counted.values
    if budget._left < 0:
        raise TooMuchError(f"more than {budget.items:,} values")
