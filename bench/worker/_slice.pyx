# cython: language_level=3, embedsignature=True, boundscheck=False, wraparound=False, binding=False, auto_pickle=False
"""Timed loops: call a callable with items of a list, and read the clock before and after.

Budget: 10 ns a call in addition to the measured call.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_Check, PyDict_Next
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.object cimport PyObject, Py_TYPE
from cpython.type cimport PyType_Check
from cpython.unicode cimport PyUnicode_Check, PyUnicode_GET_LENGTH, PyUnicode_KIND
from libc.stdint cimport int64_t, uint64_t

cdef extern from "Python.h":
    ctypedef PyObject *const *args_t "PyObject *const *"
    PyObject *PyObject_Vectorcall(PyObject *callable, args_t args, size_t nargs, PyObject *names)
    void Py_DECREF(PyObject *object)
    void Py_INCREF(PyObject *object)
    const char *PyUnicode_DATA(object)
    ctypedef int (*traverse_t "traverseproc")(PyObject *, int (*)(PyObject *, void *) noexcept, void *) noexcept
    int PyObject_IS_GC(object)
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET

cdef extern from * nogil:
    """
    #ifndef _GNU_SOURCE
    #define _GNU_SOURCE
    #endif
    #include <time.h>
    #include <stdint.h>
    #ifdef _WIN32
    #define WIN32_LEAN_AND_MEAN
    #include <windows.h>
    #else
    #include <unistd.h>
    #include <sys/time.h>
    #include <sys/resource.h>
    #endif
    #ifdef __GNUC__
    #define BAKEOFF_CHAINED 1
    #else
    #define BAKEOFF_CHAINED 0
    #endif
    static inline uint64_t bakeoff_turn(uint64_t value) {
        value = value * 6364136223846793005ULL + 1442695040888963407ULL;
    #if BAKEOFF_CHAINED
        __asm__ volatile("" : "+r"(value));
    #endif
        return value;
    }
    #ifdef _WIN32
    static int64_t bakeoff_now(void) {
        LARGE_INTEGER ticks, second;
        QueryPerformanceCounter(&ticks);
        QueryPerformanceFrequency(&second);
        return ticks.QuadPart / second.QuadPart * 1000000000
             + ticks.QuadPart % second.QuadPart * 1000000000 / second.QuadPart;
    }
    static long bakeoff_cache(void) { return 0; }
    /* The kernel counts a thread's time in ticks of 16 ms, longer than a slice, and no switches. */
    static int64_t bakeoff_busy(void) { return bakeoff_now(); }
    static long bakeoff_switches(void) { return 0; }
    static long bakeoff_waits(void) { return 0; }
    #else
    #ifndef RUSAGE_THREAD
    #define RUSAGE_THREAD RUSAGE_SELF
    #endif
    static int64_t bakeoff_now(void) {
        struct timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static long bakeoff_cache(void) {
    #ifdef _SC_LEVEL3_CACHE_SIZE
        return sysconf(_SC_LEVEL3_CACHE_SIZE);
    #else
        return 0;
    #endif
    }
    static int64_t bakeoff_busy(void) {
        struct timespec t;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static long bakeoff_switches(void) {
        struct rusage usage;
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
    }
    static long bakeoff_waits(void) {
        struct rusage usage;
        return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
    }
    #endif
    """
    int BAKEOFF_CHAINED
    uint64_t bakeoff_turn(uint64_t)
    int64_t bakeoff_now()
    int64_t bakeoff_busy()
    long bakeoff_cache()
    long bakeoff_switches()
    long bakeoff_waits()


cdef int _loop(PyObject *call, list items, Py_ssize_t start, Py_ssize_t count) except -1:
    cdef Py_ssize_t length = PyList_GET_SIZE(items)
    if length == 0:
        raise RuntimeError("the list of items has been emptied while they were called with")
    cdef Py_ssize_t at = start % length
    cdef PyObject *slot[2]
    cdef PyObject *result
    slot[0] = NULL
    while count > 0:
        if PyList_GET_SIZE(items) != length:
            raise RuntimeError("the list of items has changed while they were called with")
        slot[1] = PyList_GET_ITEM(items, at)
        # The callee may remove the item from the list.
        Py_INCREF(slot[1])
        # The callee may use the slot before the arguments for `self` instead of copying them.
        result = PyObject_Vectorcall(call, <args_t>&slot[1], 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)
        Py_DECREF(slot[1])
        if result is NULL:
            return -1
        Py_DECREF(result)
        at += 1
        if at == length:
            at = 0
        count -= 1
    return 0


cdef enum:
    LINE = 64
    MOST = 100_000
    DEEPEST = 200


cdef struct Visit:
    Py_ssize_t left
    int depth
    long total


cdef void _read(const char *data, Py_ssize_t size, Visit *visit) noexcept:
    cdef Py_ssize_t at = 0
    while at < size:
        visit.total += data[at]
        at += LINE


cdef int _visit(PyObject *value, void *argument) noexcept:
    """Read an object and its contents, except types, which lead to the whole program."""
    cdef Visit *visit = <Visit *>argument
    cdef object found = <object>value
    cdef PyObject *key = NULL
    cdef PyObject *item = NULL
    cdef Py_ssize_t at = 0
    visit.left -= 1
    if visit.left < 0 or PyType_Check(found):
        return 0
    if PyUnicode_Check(found):
        _read(PyUnicode_DATA(found), PyUnicode_GET_LENGTH(found) * <int>PyUnicode_KIND(found), visit)
    elif PyBytes_CheckExact(found):
        _read(PyBytes_AS_STRING(found), PyBytes_GET_SIZE(found), visit)
    elif PyObject_IS_GC(found) and visit.depth < DEEPEST:
        visit.depth += 1
        if PyDict_Check(found):
            # `tp_traverse` skips the keys of a dict if all are text.
            while PyDict_Next(found, &at, &key, &item):
                _visit(key, argument)
                _visit(item, argument)
        else:
            (<traverse_t>Py_TYPE(found).tp_traverse)(value, _visit, argument)
        visit.depth -= 1
    return 0


def touch(record, /):
    """Read a whole record or payload, to bring it into the processor's caches.

    Encoding it for this purpose would also train the processor's branch prediction for this codec and this
    record, which is untrained when a program encodes a record for the first time.
    """
    cdef Visit visit = Visit(MOST, 0, 0)
    _visit(<PyObject *>record, &visit)
    return visit.total


def time_calls(call, list items not None, Py_ssize_t start, Py_ssize_t count, Py_ssize_t burst=0, /):
    """Time `count` calls of `call` with the items in turn, starting again after the last; drop the results.

    Args:
        call: A callable with one argument.
        items: At least one.
        start: Index of the first item.
        count: Number of calls.
        burst: Number of calls that are timed together, after touching their items, untimed; 0 for all, without
            touching.

    Returns:
        Nanoseconds of the clock, nanoseconds without the time in which others had the processor, and the
        number of times that the kernel took the processor away. The second figure is this thread's processor
        time, or the clock's time in a burst during which the thread waited, for a disk or a server, because
        such a wait is part of a call.

    Raises:
        ValueError: No items, or a negative burst.
        RuntimeError: The list of items has changed during the calls.
        Exception: Any error of `call`.
    """
    cdef int64_t begin, busy, took, spent = 0, worked = 0
    cdef long before, waits
    cdef Py_ssize_t now, done = 0
    if not items:
        raise ValueError("nothing to call with")
    if burst < 0:
        raise ValueError(f"a burst is 0 calls or more, got {burst}")
    before = bakeoff_switches()
    while True:
        now = count - done if burst == 0 or count - done < burst else burst
        if burst:
            _loop(<PyObject *>touch, items, start + done, now)
        waits = bakeoff_waits()
        busy = bakeoff_busy()
        begin = bakeoff_now()
        _loop(<PyObject *>call, items, start + done, now)
        took = bakeoff_now() - begin
        busy = bakeoff_busy() - busy
        spent += took
        worked += busy if bakeoff_waits() == waits else took
        done += now
        if done >= count:
            return spent, worked, bakeoff_switches() - before


def time_each(call, list items not None, /):
    """Time each call of `call` with one of the items, and drop the results.

    Each item is touched before its call, untimed.

    Returns:
        Nanoseconds of each call, including those for reading the clock.

    Raises:
        Exception: Any error of `call`.
    """
    cdef int64_t begin
    cdef Py_ssize_t at
    cdef list found = []
    for at in range(len(items)):
        _loop(<PyObject *>touch, items, at, 1)
        begin = bakeoff_now()
        _loop(<PyObject *>call, items, at, 1)
        found.append(bakeoff_now() - begin)
    return found


def time_followed(call, list items not None, then=None, /):
    """Time each call of `call` with one of the items, alone and together with what follows it.

    Each item is touched before its call, untimed.

    Args:
        call: A callable with one argument.
        items: Its arguments.
        then: Called without arguments after each call; None calls nothing.

    Returns:
        Nanoseconds of each call alone, and together with `then` and dropping the result; both include those
        for reading the clock.

    Raises:
        Exception: Any error of `call` or `then`.
    """
    cdef int64_t begin, between
    cdef list found = []
    for item in items:
        touch(item)
        begin = bakeoff_now()
        result = call(item)
        between = bakeoff_now()
        if then is not None:
            then()
        result = None
        found.append((between - begin, bakeoff_now() - begin))
    return found


cdef enum:
    # Upper bound of a core's share of the last cache on today's machines; the system may report a larger sum.
    LARGEST = 32 * 1024 * 1024


cdef list _elsewhere = []


def evict():
    """Fill the processor's caches with other data: read and write as many bytes as the largest one holds."""
    cdef char *room
    cdef Py_ssize_t at, size
    if not _elsewhere:
        size = bakeoff_cache()
        size = size if 0 < size < LARGEST else LARGEST
        _elsewhere.append(bytearray(size))
    held = _elsewhere[0]
    room = PyByteArray_AS_STRING(held)
    for at in range(0, PyByteArray_GET_SIZE(held), LINE):
        room[at] += 1


def interruptions():
    """Return how often the system has taken the processor from this thread; without `RUSAGE_THREAD`, from any."""
    return bakeoff_switches()


def copy(data, /):
    """Return a copy of the bytes, which is the least work that any codec has to do."""
    if not PyBytes_CheckExact(data):
        raise TypeError("bytes expected")
    return PyBytes_FromStringAndSize(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


CHAINED = bool(BAKEOFF_CHAINED)
"""Whether the compiler leaves the steps of `spin` as they are."""


def nothing(item, /):
    """Return None. Timing this shows the cost of measuring."""
    return None


def spin(turns, /):
    """Take a known time: the given number of turns, each of which waits for the one before."""
    cdef uint64_t value = 1
    cdef Py_ssize_t left = turns
    while left > 0:
        value = bakeoff_turn(value)
        left -= 1
    return None
