# Values of one payload that are encoded as MessagePack within it: fields that may hold anything.
#
# The format around them counts each as one value. So what one holds is counted before it is decoded, and all of
# one payload share its limit of items.

from cpython.object cimport PyObject as _Object

cdef extern from "Python.h":
    _Object *PyThreadState_GetDict() noexcept
    _Object *_held_by "PyDict_GetItemWithError"(object, object) except? NULL

cdef object CURRENT = object()
"""Key of the budget in force among what a thread holds."""


cdef class Budget:
    """How many values the embedded parts of one payload may hold; in force in this thread while entered.

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
    """Subtract what an embedded value holds from the budget in force, if any.

    Raises:
        TooMuchError: The embedded values hold more than the budget, this one included.
    """
    cdef _Object *held = PyThreadState_GetDict()
    cdef _Object *found = NULL if held is NULL else _held_by(<object>held, CURRENT)
    cdef held_t counted = held_t(0, 0, False, False)
    cdef Budget budget
    if found is NULL or <object>found is None:
        return
    budget = <Budget>found
    _msgpack(<const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &counted)
    budget._left -= counted.values
    if budget._left < 0:
        raise TooMuchError(f"more than {budget.items:,} values")
