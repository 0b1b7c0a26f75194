# cython: language_level=3, embedsignature=True, embedsignature.format=clinic, boundscheck=False, wraparound=False, auto_pickle=False
"""Dicts that refuse duplicate keys: for hooks of libraries, and in place of the dicts they create."""

from cpython.dict cimport PyDict_Contains, PyDict_Copy, PyDict_Next, PyDict_SetItem, PyDict_Size
from cpython.list cimport PyList_GET_SIZE
from cpython.object cimport PyObject

from .._stack cimport RESERVE, stack_left

from ..errors import PolicyError


def unique(pairs):
    """Return a dict of the pairs that a library passes to its hook.

    Raises:
        PolicyError: A key occurs twice.
    """
    cdef dict record = {}
    cdef Py_ssize_t size = 0
    for key, value in pairs:
        record[key] = value
        size += 1
        if PyDict_Size(record) < size:
            _refuse(key)
    return record


cdef class UniqueKeys(dict):
    """A dict for libraries without a hook; refuses to set a key twice."""

    def __setitem__(self, key, value):
        if PyDict_Contains(self, key):
            _refuse(key)
        PyDict_SetItem(self, key, value)


cdef int _refuse(key) except -1:
    raise PolicyError(f"the key {key!r} occurs twice")


def plain_dicts(record):
    """Return a record of `UniqueKeys` and lists with plain dicts instead. Shared objects remain shared.

    Raises:
        RecursionError: Nested too deeply for this thread's stack.
    """
    return _plain(record, {})


cdef object _plain(value, dict made):
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if type(value) is not UniqueKeys and type(value) is not list:
        return value
    if stack_left() < RESERVE:
        raise RecursionError("nested too deeply for the stack of this thread")
    if id(value) in made:
        return made[id(value)]
    if type(value) is UniqueKeys:
        plain = made[id(value)] = PyDict_Copy(value)
        while PyDict_Next(value, &position, &key, &item):
            if type(<object>item) is UniqueKeys or type(<object>item) is list:
                PyDict_SetItem(plain, <object>key, _plain(<object>item, made))
        return plain
    made[id(value)] = value
    for position in range(PyList_GET_SIZE(value)):
        (<list>value)[position] = _plain((<list>value)[position], made)
    return value
