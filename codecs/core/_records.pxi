# What is looked for in a record before its library has it, and made of it afterwards: nesting, types, a wrapper.

from cpython.dict cimport PyDict_Next, PyDict_SetItem, PyDict_Size
from cpython.list cimport PyList_Check, PyList_CheckExact, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLong, PyLong_FromLongLong
from cpython.object cimport Py_TPFLAGS_HAVE_GC, Py_TYPE
from cpython.set cimport PyAnySet_Check
from cpython.tuple cimport PyTuple_Check
from cpython.unicode cimport PyUnicode_Compare

cdef extern from "Python.h":
    int PyUnicode_Check(object text)
    PyObject *PyList_GET_ITEM(object list, Py_ssize_t index)
    PyObject *type_of "(PyObject *)Py_TYPE"(PyObject *value)
    Py_ssize_t size_of_list "PyList_GET_SIZE"(PyObject *value)
    PyObject *item_of_list "PyList_GET_ITEM"(PyObject *value, Py_ssize_t index)
    int next_of_dict "PyDict_Next"(PyObject *value, Py_ssize_t *position, PyObject **key, PyObject **item)

cdef extern from *:
    """
    static inline int bakeoff_holds(PyObject *value) { return PyType_IS_GC(Py_TYPE(value)); }
    """
    bint holds "bakeoff_holds"(PyObject *value) noexcept


class _TooDeepError(RecursionError):
    """Our own check of depth; the libraries raise other errors."""


cdef inline bint _is_wrapped(object record, str key):
    """Whether `key` is the only one of a dict, by its text: a class of its own is not asked."""
    cdef PyObject *found
    cdef Py_ssize_t position = 0
    return (
        PyDict_CheckExact(record) and PyDict_Size(record) == 1 and PyDict_Next(record, &position, &found, NULL)
        and PyUnicode_Check(<object>found) and PyUnicode_Compare(<object>found, key) == 0
    )


cdef object _plain_ints(object value, PyObject *subclass):
    """Return a value with every int of a library's own subclass made a plain one, in place where it is held."""
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if stack_left() < RESERVE:
        raise _TooDeepError  # it holds itself, which no library's record does
    if PyDict_CheckExact(value):
        while PyDict_Next(value, &position, &key, &item):
            if type_of(item) is subclass:
                # The key is there: the dict does not grow, and may be gone through all the while.
                PyDict_SetItem(value, <object>key, _plain_int(<object>item))
            elif type_of(item) is <PyObject *>dict or type_of(item) is <PyObject *>list:
                _plain_ints(<object>item, subclass)
    elif PyList_CheckExact(value):
        for position in range(PyList_GET_SIZE(value)):
            item = PyList_GET_ITEM(value, position)
            if type_of(item) is subclass:
                (<list>value)[position] = _plain_int(<object>item)
            elif type_of(item) is <PyObject *>dict or type_of(item) is <PyObject *>list:
                _plain_ints(<object>item, subclass)
    return value


cdef object _plain_int(object value):
    return PyLong_FromLongLong(PyLong_AsLongLong(value))


cdef bint _is_shallow(PyObject *value, int left) noexcept:
    """Whether an object is of plain dicts and lists at most `left` deep: most are, and this runs no other code."""
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if left == 0:
        return False
    if type_of(value) is <PyObject *>dict:
        while next_of_dict(value, &position, &key, &item):
            if holds(key) or holds(item) and not _is_shallow(item, left - 1):
                return False
        return True
    if type_of(value) is <PyObject *>list:
        for position in range(size_of_list(value)):
            item = item_of_list(value, position)
            if holds(item) and not _is_shallow(item, left - 1):
                return False
        return True
    return not holds(value)


cdef int _check_depth(object value, int left, object inside) except -1:
    """Raise when containers nest more than `left` deep; visits containers only, and cyclic ones end there.

    Args:
        inside: Gives a list of what an object of another kind holds; None leaves those alone.
    """
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if not (PyDict_Check(value) or PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value)):
        value = None if inside is None else inside(value)
        if not value:
            return 0
    if left == 0 or stack_left() < RESERVE:
        raise _TooDeepError
    if PyDict_Check(value):
        while PyDict_Next(value, &position, &key, &item):
            if _is_container(<object>item) or _is_container(<object>key):
                # Held, since `inside` may run code that empties this dict.
                held, held_key = <object>item, <object>key
                if _is_container(held):
                    _check_depth(held, left - 1, inside)
                if _is_container(held_key):
                    _check_depth(held_key, left - 1, inside)
    elif PyList_Check(value):
        for element in <list>value:
            if _is_container(element):
                _check_depth(element, left - 1, inside)
    elif PyTuple_Check(value):
        for element in <tuple>value:
            if _is_container(element):
                _check_depth(element, left - 1, inside)
    elif PyAnySet_Check(value):
        # Not a subclass's own `__iter__`.
        for element in set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value):
            if _is_container(element):
                _check_depth(element, left - 1, inside)
    return 0


cdef inline bint _is_container(object value):
    """Whether an object may hold others; those that the garbage collector does not know hold none."""
    return Py_TYPE(value).tp_flags & Py_TPFLAGS_HAVE_GC


cdef bint _only(object value, object native, Py_ssize_t left) except -1:
    """Whether an object is made of `native` types alone, with text for keys, nested at most `left` deep."""
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if PyDict_CheckExact(value):
        if left <= 0:
            return False
        while PyDict_Next(value, &position, &key, &item):
            # Held, since the class of a type may run code to be looked up.
            held = <object>item
            if not PyUnicode_CheckExact(<object>key) or not _only(held, native, left - 1):
                return False
        return True
    if PyList_CheckExact(value):
        if left <= 0:
            return False
        for element in <list>value:
            if not _only(element, native, left - 1):
                return False
        return True
    return type(value) in native
