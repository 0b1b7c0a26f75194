# Check and convert records around the library's call: nesting, types, the wrapper.

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


class _TooDeepError(RecursionError):
    """Raised by our own check of depth; the libraries raise other errors."""


cdef inline bint _is_wrapped(object record, str key):
    """Return whether `key` is the only key of a dict. Texts are compared without methods of a subclass."""
    cdef PyObject *found
    cdef Py_ssize_t position = 0
    return (
        PyDict_CheckExact(record) and PyDict_Size(record) == 1 and PyDict_Next(record, &position, &found, NULL)
        and PyUnicode_Check(<object>found) and PyUnicode_Compare(<object>found, key) == 0
    )


cdef object _plain_ints(object value, PyObject *subclass):
    """Convert every int of a library's own subclass to a plain int, in place, and return the value."""
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if stack_left() < RESERVE:
        raise _TooDeepError  # it contains itself, which no library's record does
    if PyDict_CheckExact(value):
        while PyDict_Next(value, &position, &key, &item):
            if type_of(item) is subclass:
                # The key exists, so the dict is not resized, and the iteration may continue.
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


cdef extern from *:
    """
    /* Entries of a dict with text keys, as CPython 3.11 to 3.14 lay them out (Include/internal/pycore_dict.h).
       Going through them here takes a tenth of the time of PyDict_Next. Where the layout is another one, the
       function that a type offers the garbage collector does the same more slowly. */
    #if defined(CYTHON_COMPILING_IN_CPYTHON) && CYTHON_COMPILING_IN_CPYTHON && PY_VERSION_HEX < 0x030F0000 \\
        && !defined(Py_GIL_DISABLED)
    #define BAKEOFF_ENTRIES
    typedef struct {
        Py_ssize_t references;
        uint8_t log2_size, log2_index_bytes, kind;
        uint32_t version;
        Py_ssize_t usable, entries;
        char indices[];
    } bakeoff_keys_t;
    typedef struct { PyObject *key, *value; } bakeoff_entry_t;

    static inline bakeoff_entry_t *bakeoff_entries(PyObject *dict, Py_ssize_t *count) {
        bakeoff_keys_t *keys = (bakeoff_keys_t *)((PyDictObject *)dict)->ma_keys;
        if (((PyDictObject *)dict)->ma_values != NULL || keys->kind != 1) return NULL;
        *count = keys->entries;
        return (bakeoff_entry_t *)(keys->indices + ((size_t)1 << keys->log2_index_bytes));
    }
    #endif

    /* Whether an object may hold others, or is of a class, which may have methods of its own. A range holds none,
       but libraries write its numbers, of which there may be no end. */
    #define BAKEOFF_HOLDS(value) \\
        PyType_HasFeature(Py_TYPE(value), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HEAPTYPE | Py_TPFLAGS_SEQUENCE)

    /* Levels that may still be entered, values that may still be looked at, and the end of the stack for it. */
    typedef struct { Py_ssize_t levels, values; const char *lowest; } bakeoff_look_t;

    static int bakeoff_look_into(PyObject *value, void *looking);

    /* Return 0 if a container is a plain dict or list, and so are those in it, no deeper than `levels`, else 1.
       It runs no code of the values. */
    static int bakeoff_look_at(PyObject *value, bakeoff_look_t *look) {
        int found = 0;
        if (look->levels == 0 || (const char *)&found < look->lowest) return 1;
        look->levels--;
        if (PyDict_CheckExact(value)) {
    #ifdef BAKEOFF_ENTRIES
            Py_ssize_t count;
            bakeoff_entry_t *entry = bakeoff_entries(value, &count), *end;
            if (entry != NULL) {
                if ((look->values -= count) < 0) return 1;
                for (end = entry + count; entry < end; entry++)
                    if (entry->value != NULL && BAKEOFF_HOLDS(entry->value)
                        && (found = bakeoff_look_at(entry->value, look))) break;
            }
            else
    #endif
            found = PyDict_Type.tp_traverse(value, bakeoff_look_into, look);
        }
        else if (PyList_CheckExact(value)) {
            PyObject **item = ((PyListObject *)value)->ob_item, **end = item + PyList_GET_SIZE(value);
            if ((look->values -= end - item) < 0) return 1;
            for (; item < end; item++)
                if (BAKEOFF_HOLDS(*item) && (found = bakeoff_look_at(*item, look))) break;
        }
        else found = 1;
        look->levels++;
        return found;
    }
    static int bakeoff_look_into(PyObject *value, void *looking) {
        bakeoff_look_t *look = (bakeoff_look_t *)looking;
        if (look->values-- <= 0) return 1;
        return BAKEOFF_HOLDS(value) && bakeoff_look_at(value, look);
    }
    static inline int bakeoff_is_shallow(PyObject *value, Py_ssize_t levels, Py_ssize_t values) {
        bakeoff_look_t look = {levels, values, NULL};
        /* Fewer levels fit in any stack that calls get. */
        if (levels > 1000) look.lowest = (const char *)&look - bakeoff_stack_left() + 32 * 1024 /* RESERVE */;
        return !BAKEOFF_HOLDS(value) || !bakeoff_look_at(value, &look);
    }
    """
    # Whether an object has only leaves, and plain dicts and lists nested at most `levels` deep. True of most
    # objects. False, too, if it has more than `values` values.
    bint _is_shallow "bakeoff_is_shallow"(PyObject *value, Py_ssize_t levels, Py_ssize_t values) noexcept


cdef int _check_depth(object value, int left, object inside) except -1:
    """Raise `_TooDeepError` if containers nest more than `left` deep, as cyclic ones do. Visit containers only.

    Args:
        inside: Returns the contents of an object of another kind as a list; None skips these objects.
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
                # Keep references, because `inside` may run code that empties this dict.
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
        # Do not call `__iter__` of a subclass.
        for element in set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value):
            if _is_container(element):
                _check_depth(element, left - 1, inside)
    return 0


cdef inline bint _is_container(object value):
    """Return whether an object may contain others; it cannot if its type does not support garbage collection."""
    return Py_TYPE(value).tp_flags & Py_TPFLAGS_HAVE_GC


cdef bint _only(object value, object native, Py_ssize_t left) except -1:
    """Return whether an object has only lists, dicts with text keys and `native` types, at most `left` deep.

    Tuples are among `native` if the library writes them as lists.
    """
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    if PyDict_CheckExact(value):
        if left <= 0:
            return False
        while PyDict_Next(value, &position, &key, &item):
            # Keep a reference, because looking up a type may run code of its metaclass.
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
    if type(value) not in native:
        return False
    if PyTuple_Check(value):
        if left <= 0:
            return False
        for element in <tuple>value:
            if not _only(element, native, left - 1):
                return False
    return True


cdef bint _is_json(PyObject *value, int left) noexcept:
    """Return whether an object has only `JSON_TYPES`, and lists and dicts with text keys, at most `left` deep.

    This is true of most records of text formats, and the check runs no other code.
    """
    cdef PyObject *key
    cdef PyObject *item
    cdef Py_ssize_t position = 0
    kind = type_of(value)
    if kind is <PyObject *>dict:
        if left == 0:
            return False
        while next_of_dict(value, &position, &key, &item):
            if type_of(key) is not <PyObject *>str or not (_is_json_leaf(item) or _is_json(item, left - 1)):
                return False
        return True
    if kind is <PyObject *>list:
        if left == 0:
            return False
        for position in range(size_of_list(value)):
            item = item_of_list(value, position)
            if not (_is_json_leaf(item) or _is_json(item, left - 1)):
                return False
        return True
    return _is_json_leaf(value)


cdef inline bint _is_json_leaf(PyObject *value) noexcept:
    kind = type_of(value)
    return (
        kind is <PyObject *>str or kind is <PyObject *>int or kind is <PyObject *>float
        or kind is <PyObject *>bool or value is <PyObject *>None
    )
