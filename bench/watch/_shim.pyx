# cython: language_level=3, boundscheck=False, wraparound=False, binding=False, auto_pickle=False
"""Counts and times calls of other libraries' functions, in the process of the watched program.

A watched function is an object that passes all calls and attributes on. Only the outermost call of a thread
is counted. Counters and the latest samples are in a mapped file, so that they survive SIGKILL. All calls are
counted, and so are the bytes of their payloads. Of cheap calls, random ones are timed; the others are assumed to take
as long for each byte. One call in `RARE` is also kept in that file, with its stack, its options, and sometimes its
record.

Budget: 60 ns a call. No call adds a frame or a line to a traceback.

A program that does something else between two calls finds none of this in the caches of the processor, so most of
the cost of a call is the memory that it touches: a function's counters and what is planned for its next calls
share a cache line, and a call that is only counted touches its object, that line, and one flag of the thread.
"""

cimport cython
from cpython.bytes cimport PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.object cimport PyObject, Py_EQ, Py_NE
from libc.stdint cimport int32_t, int64_t, uint64_t

import _thread
import marshal
import os
import sys

_dumps = marshal.dumps
_buffers = (bytearray, memoryview)
_SETTINGS = (
    ("default", None), ("skipkeys", False), ("sort_keys", False), ("indent", None), ("ensure_ascii", True),
    ("object_hook", None), ("object_pairs_hook", None), ("parse_float", float), ("parse_int", int),
)
_plain = frozenset({type(None), bool, int, float, str})
_empty = frozenset({type(None), bool})
_NEXT = sys.intern("__next__")
_CALL = sys.intern("__call__")

cdef extern from "Python.h":
    ctypedef PyObject *(*step_t "iternextfunc")(PyObject *) noexcept
    ctypedef struct PyTypeObject:
        Py_ssize_t tp_vectorcall_offset
        step_t tp_iternext
        unsigned long tp_flags
        void *tp_call
        PyObject *tp_dict
    ctypedef PyObject *const *args_t "PyObject *const *"
    ctypedef PyObject *(*entry_t "vectorcallfunc")(PyObject *, args_t, size_t, PyObject *) noexcept
    PyObject *PyObject_Vectorcall(PyObject *callable, args_t args, size_t nargs, PyObject *names) noexcept
    PyObject *PyObject_Call(PyObject *callable, PyObject *args, PyObject *named) noexcept
    entry_t PyVectorcall_Function(PyObject *callable) noexcept
    Py_ssize_t PyVectorcall_NARGS(size_t nargs) noexcept
    object PyVectorcall_Call(object, object, object)
    object PyMethod_New(object function, object itself)
    int PyUnicode_CheckExact(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    PyTypeObject *Py_TYPE(PyObject *value)
    PyObject *_PyType_Lookup(PyTypeObject *kind, PyObject *name) noexcept
    bint PyGen_CheckExact(PyObject *value)
    PyObject *PyErr_Occurred() noexcept
    bint PyErr_ExceptionMatches(object kind) noexcept
    void PyErr_Clear() noexcept
    void PyType_Modified(PyTypeObject *type)
    void Py_DECREF(PyObject *)
    void Py_INCREF(PyObject *)
    unsigned long HAS_VECTORCALL "Py_TPFLAGS_HAVE_VECTORCALL"
    unsigned long IS_METHOD "Py_TPFLAGS_METHOD_DESCRIPTOR"

cdef extern from * nogil:
    """
    #include <stdint.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <time.h>
    #if defined(__x86_64__)
    #include <x86intrin.h>
    #endif
    /* A library that is loaded late asks a function for its variables of a thread, unless it has a fixed place. */
    #if defined(__GLIBC__)
    __attribute__((tls_model("initial-exec")))
    #endif
    static _Thread_local char bakeoff_inside;
    #if defined(__GLIBC__)
    __attribute__((tls_model("initial-exec")))
    #endif
    static _Thread_local int64_t bakeoff_collected;
    static int bakeoff_counter = 0;
    static int64_t bakeoff_clock(clockid_t which) {
        struct timespec t;
        clock_gettime(which, &t);
        return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    }
    static inline int64_t bakeoff_ticks(void) {
    #if defined(__x86_64__)
        if (bakeoff_counter) return (int64_t)__rdtsc();
    #elif defined(__aarch64__)
        int64_t now;
        if (bakeoff_counter) { __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now)); return now; }
    #endif
        return bakeoff_clock(CLOCK_MONOTONIC);
    }
    static PyObject *bakeoff_code(PyObject *frame) {
        return (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
    }
    static int bakeoff_instruction(PyObject *frame) {
        return PyFrame_GetLasti((PyFrameObject *)frame);
    }
    static PyObject *bakeoff_back(PyObject *frame) {
        return (PyObject *)PyFrame_GetBack((PyFrameObject *)frame);
    }
    static void *bakeoff_map(int file, size_t size) {
        void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        return at == MAP_FAILED ? NULL : at;
    }
    """
    char inside "bakeoff_inside"
    # Nanoseconds of the garbage collector in the current call.
    int64_t collected "bakeoff_collected"
    bint has_counter "bakeoff_counter"
    int64_t clock "bakeoff_clock"(int which)
    int64_t ticks "bakeoff_ticks"()
    void *bakeoff_map(int file, size_t size)
    int munmap(void *at, size_t size)
    void *memset(void *at, int value, size_t size)
    void *memcpy(void *to, void *source, size_t size)
    int CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID

cdef extern from *:
    object code_of "bakeoff_code"(object frame)
    int instruction_of "bakeoff_instruction"(object frame)
    PyObject *back_of "bakeoff_back"(object frame)

cdef enum:
    HEADER = 20480
    # Bytes of samples after it, which are in memory until they are written to the end.
    PENDING = 65536
    FUNCTIONS = 220
    # Up to so many calls of a function, each is sampled; later, no sample counts for a larger part of the calls before.
    FEW = 16
    # The same where samples take more than their part of the time.
    LEAST_FEW = 4
    RARE = 250
    # Records of a function, of which the first few are kept whatever other functions' samples have taken.
    SLOTS = 200
    SURE = 4
    DEEPEST = 40
    MOST_STACKS = 5000
    MOST_BYTES = 4 * 1024 * 1024
    # Bytes of a payload up to which keeping it, or its record, takes less time than the rest of a sample.
    CHEAP_BYTES = 4096
    # Calls that take more nanoseconds are timed by the thread's clock. Reading it is a call of the kernel, which slows
    # down short calls.
    LONG = 100_000
    LONG_IF_DOUBTFUL = 30_000
    # About one call is timed in so many nanoseconds of a function's calls, without and with the thread's clock.
    TIMED = 100_000
    TIMED_SLOW = 1_000_000
    # After N calls, at least one in N / `LEAST_TIMED` is timed, so all of the first ones are.
    LEAST_TIMED = 128
    # At least one call in so many is timed, as only timed calls can be samples.
    RAREST_TIMED = 64
    # A call takes time of its own, about as much as so many more bytes would.
    FIXED = 100
    # A call that takes fewer nanoseconds was not interrupted by another thread.
    SHORT = 50_000
    # An interruption takes more nanoseconds.
    PAUSE = 300_000
    # The thread's clock times all calls from now on, however short they are.
    ALWAYS = 2
    # It leaves the caches to others, and filling them again takes about so many nanoseconds.
    REFILL = 90_000
    # The part of a function's time that pauses may take before the thread's clock times its calls.
    MATTERS = 100
    # Samples take at most this part of the processor time, and some nanoseconds at the beginning.
    PART = 500
    FREE = 1_000_000
    SPREAD = 1024
    # More nanoseconds between two calls do not push more of them out of the caches.
    WORK = 100_000
    # Seconds to wait for another thread's sample: a thread that the end of the program has stopped never ends it.
    PATIENCE = 1


LAYOUT = HEADER, PENDING, FUNCTIONS, WORK


cdef struct Counters:
    int64_t calls
    # Sums over the timed calls, each multiplied by `every`. All calls together take `work / timed` times as much.
    int64_t ticks
    int64_t busy
    # Bytes of the payloads of all calls, and of the timed ones multiplied by `every`; each payload has `FIXED` more.
    int64_t work
    int64_t timed
    int64_t errors
    # From here on, what is planned: calls until the next sample, and those until the next one that is timed.
    int32_t left
    int32_t skip
    # Each timed call counts as often.
    int32_t every
    # Whether the thread's clock times the calls: 0, 1, or `ALWAYS`.
    int32_t slow


cdef struct Process:
    int64_t begin_ticks
    int64_t begin_clock
    int64_t ticks
    int64_t clock
    int64_t busy
    int64_t own
    int64_t start
    # Bytes of samples that are not at the end of the file yet.
    int64_t pending


cdef struct Between:
    # Ticks from the end of another call to the beginning of this one, at most `WORK` each, and their number.
    int64_t ticks
    int64_t count


cdef struct File:
    Process process
    Counters functions[FUNCTIONS]
    # Nanoseconds of the garbage collector in all calls. `Counters.busy` leaves it out.
    int64_t collections[FUNCTIONS]
    Between between[FUNCTIONS]


cdef File _scratch
cdef File *_at = &_scratch
cdef str _path = ""
cdef bint _stopped = True
cdef double _rate = 1
# `SHORT` and `WORK` in ticks; 0 until they are known.
cdef int64_t _short = 0
cdef int64_t _work = 0
# When a timed call ended; 0 as soon as the next call has begun.
cdef int64_t _ended = 0
cdef uint64_t _state = 88172645463325252
cdef int64_t _spread = 1
cdef int64_t _collection = 0
# Whether the thread's clock times the current collection, and whether the last one of the youngest generation was long.
cdef bint _by_thread = False
cdef bint _last_was_long = False
cdef str _folder = ""
cdef bint _keeps = True
cdef list _watched = []
# Held while a sample is written: opening the file and writing to it let other threads run.
cdef object _lock = _thread.allocate_lock()
cdef dict _stacks = {}
cdef dict _places = {}
cdef dict _options = {}


cdef inline uint64_t _random() noexcept:
    global _state
    _state ^= _state << 13
    _state ^= _state >> 7
    _state ^= _state << 17
    return _state


cdef inline int64_t _length(PyObject *value) noexcept:
    if PyBytes_CheckExact(<object>value):
        return PyBytes_GET_SIZE(<object>value)
    if PyUnicode_CheckExact(<object>value):
        return PyUnicode_GET_LENGTH(<object>value)
    return 0


cdef inline int64_t _take_collected(Watched me) noexcept:
    """Add the garbage collector's time in a call to its function, and return it in ticks."""
    global collected
    cdef int64_t took = collected
    collected = 0
    _at.collections[me.index] += took
    return <int64_t>(_rate * took)


def collecting(str phase not None, dict facts, /):
    """Note the garbage collector's time within watched calls; it calls this when it begins and ends.

    The youngest generation is collected often, so it is timed without a call of the kernel. A collection that took
    long may have been interrupted: it does not count, and the thread's clock times the next one.
    """
    global collected, _collection, _by_thread, _last_was_long
    cdef bint youngest
    cdef int64_t took
    if not inside:
        return
    youngest = facts["generation"] == 0
    if phase == "start":
        _by_thread = not youngest or _last_was_long
        _collection = clock(CLOCK_THREAD_CPUTIME_ID) if _by_thread else ticks()
    elif _collection:
        if _by_thread:
            took = clock(CLOCK_THREAD_CPUTIME_ID) - _collection
        else:
            took = <int64_t>((ticks() - _collection) / _rate)
        _collection = 0
        if _by_thread or took < PAUSE:
            collected += took
        if youngest:
            _last_was_long = took >= PAUSE


cdef class _Name:
    """Pickles and copies a function as its name."""

    cdef object owned

    def __init__(self, owned):
        self.owned = owned

    def __call__(self, *_):
        return self.owned.__qualname__


@cython.internal
cdef class Watched:
    # A function of a library; all attributes are those of the function. No docstring, which would hide its own.

    # First what every call touches, in 48 bytes.
    cdef entry_t entry
    cdef entry_t direct
    cdef PyObject *original
    cdef Counters *counters
    cdef entry_t timed
    cdef int first
    cdef bint dumps
    cdef int index
    cdef bint named
    cdef int64_t weight
    cdef int64_t seen
    cdef str keeps
    cdef str name
    cdef str package
    cdef object owned
    cdef object __weakref__

    @property
    def __doc__(self):
        return self.owned.__doc__

    def __getattribute__(self, name):
        if name == "__reduce_ex__" or name == "__reduce__":
            return _Name(self.owned)
        return getattr(self.owned, name)

    def __setattr__(self, name, value):
        setattr(self.owned, name, value)

    def __delattr__(self, name):
        delattr(self.owned, name)

    def __repr__(self):
        return repr(self.owned)

    def __hash__(self):
        return hash(self.owned)

    def __richcmp__(self, other, int operation):
        cdef object mine = self.owned
        cdef object others = (<Watched>other).owned if isinstance(other, Watched) else other
        if operation == Py_EQ:
            return mine == others
        if operation == Py_NE:
            return mine != others
        return NotImplemented


cdef class WatchedFunction(Watched):
    # One that an instance binds, as it binds a Python function.

    @property
    def __doc__(self):
        return self.owned.__doc__

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)


cdef class WatchedGenerator(WatchedFunction):
    # One that returns a generator, whose steps are counted in its place.

    cdef Watched steps

    @property
    def __doc__(self):
        return self.owned.__doc__


@cython.internal
cdef class WatchedIterator:
    # A generator of a library; all attributes are those of the generator.

    cdef object owned
    cdef Watched steps
    cdef tuple said
    cdef object __weakref__

    def __getattribute__(self, name):
        return getattr(self.owned, name)

    def __setattr__(self, name, value):
        setattr(self.owned, name, value)

    def __repr__(self):
        return repr(self.owned)

    def __iter__(self):
        return self

    def __next__(self):
        raise NotImplementedError  # `_step` takes its place.


cdef PyObject *_generate(PyObject *itself, args_t args, size_t nargs, PyObject *names) noexcept:
    """Call a function that returns a generator, which runs nothing yet; count it if it returns all at once."""
    global inside
    cdef WatchedGenerator me = <WatchedGenerator>itself
    cdef PyObject *result
    cdef int64_t begin, took
    if inside:
        return me.direct(me.original, args, nargs, names)
    inside = 1
    begin = ticks()
    result = me.direct(me.original, args, nargs, names)
    took = ticks() - begin
    if result is not NULL and not PyGen_CheckExact(result):
        me.counters.calls += 1
        me.counters.work += FIXED
        me.counters.timed += FIXED
        me.counters.ticks += took
        took = max(took - _take_collected(me), 0)
        me.counters.busy += took
        me.counters.left -= 1
        if me.counters.left <= 0:
            _sample(me, args, PyVectorcall_NARGS(nargs), names, result, took, 0)
    inside = 0
    if result is NULL or not PyGen_CheckExact(result):
        return result
    return _iterator(me, args, PyVectorcall_NARGS(nargs), names, result)


cdef PyObject *_iterator(
    WatchedGenerator me, args_t args, Py_ssize_t count, PyObject *names, PyObject *generator
) noexcept:
    cdef WatchedIterator made
    try:
        made = WatchedIterator.__new__(WatchedIterator)
        made.owned, made.steps = <object>generator, me.steps
        made.said = _said_of(me, args, count, names)
    except BaseException:
        return generator
    Py_DECREF(generator)
    Py_INCREF(<PyObject *>made)
    return <PyObject *>made


cdef PyObject *_step(PyObject *iterator) noexcept:
    """Count the next step of a generator, or of an iterator of a compiled class."""
    cdef PyTypeObject *kind = Py_TYPE(iterator)
    if kind == <PyTypeObject *>WatchedIterator:
        return _counted_step((<WatchedIterator>iterator).steps, iterator)
    return _counted_step(<Watched>_PyType_Lookup(kind, <PyObject *>_NEXT), iterator)


cdef PyObject *_counted_step(Watched me, PyObject *iterator) noexcept:
    cdef bint outermost = not inside
    cdef PyObject *result = _call(<PyObject *>me, &iterator, 1, NULL)
    # The end of an iterator is no call, though its time counts.
    if outermost and result is NULL and (PyErr_Occurred() is NULL or PyErr_ExceptionMatches(StopIteration)):
        me.counters.calls -= 1
        me.counters.errors -= 1
    return result


cdef PyObject *_called(PyObject *itself, PyObject *args, PyObject *named) noexcept:
    """Call an object of a compiled class whose ``__call__`` is watched."""
    cdef tuple whole = (<object>itself, *<tuple>args)
    return PyObject_Call(_PyType_Lookup(Py_TYPE(itself), <PyObject *>_CALL), <PyObject *>whole, named)


cdef PyObject *_advance(PyObject *original, args_t args, size_t nargs, PyObject *names) noexcept:
    cdef PyObject *generator = <PyObject *>(<WatchedIterator>args[0]).owned
    return Py_TYPE(generator).tp_iternext(generator)


cdef PyObject *_call(PyObject *itself, args_t args, size_t nargs, PyObject *names) noexcept:
    global inside
    cdef entry_t direct = (<Watched>itself).direct
    cdef PyObject *original = (<Watched>itself).original
    cdef PyObject *result
    cdef Counters *counters
    if inside:
        return direct(original, args, nargs, names)
    counters = (<Watched>itself).counters
    if not counters.skip:
        # By a pointer, so that the compiler does not save the registers for it before it is known to be needed.
        return (<Watched>itself).timed(itself, args, nargs, names)
    counters.skip -= 1
    if _ended:
        _note_between(<Watched>itself)
    inside = 1
    result = direct(original, args, nargs, names)
    inside = 0
    # Only now: the call may have forked.
    counters = (<Watched>itself).counters
    counters.calls += 1
    counters.work += FIXED + _size(<Watched>itself, args, nargs, result)
    counters.errors += result is NULL
    if collected:
        _take_collected(<Watched>itself)
    return result


cdef PyObject *_timed(PyObject *itself, args_t args, size_t nargs, PyObject *names) noexcept:
    global inside, _ended
    cdef PyObject *result
    cdef Counters *counters = (<Watched>itself).counters
    cdef int64_t begin, took, busy = 0, size = 0
    if _ended:
        _note_between(<Watched>itself)
    if counters.slow or _will_be_long(<Watched>itself, counters, args, nargs):
        if not _short:
            _note_time()
            _learn_rate()
        begin = ticks()
        busy = clock(CLOCK_THREAD_CPUTIME_ID)
        if counters.calls and ticks() - begin > _short:
            # The system gave the processor to another thread, which it does at calls of the kernel more than
            # elsewhere, and calls after that are slow. So the next one is timed instead.
            counters.skip = 1
            return _call(itself, args, nargs, names)
    inside = 1
    begin = ticks()
    result = (<Watched>itself).direct((<Watched>itself).original, args, nargs, names)
    took = ticks() - begin
    counters = (<Watched>itself).counters
    counters.calls += 1
    counters.ticks += took * counters.every
    counters.left -= counters.every
    counters.errors += result is NULL
    size = _size(<Watched>itself, args, nargs, result)
    if busy:
        # That includes one of the two readings; a pause takes longer.
        took = min(took, <int64_t>(_rate * (clock(CLOCK_THREAD_CPUTIME_ID) - busy)))
    if collected:
        took = max(took - _take_collected(<Watched>itself), 0)
    if not busy and took > _short:
        took = _without_pause(counters, took, size)
    counters.busy += took * counters.every
    counters.work += FIXED + size
    counters.timed += (FIXED + size) * counters.every
    if counters.every > 1:
        counters.skip = <int32_t>(_random() % <uint64_t>(2 * counters.every - 1))
    if counters.left <= 0 and result is not NULL:
        _sample(<Watched>itself, args, PyVectorcall_NARGS(nargs), names, result, took, size)
    inside = 0
    _ended = ticks()
    return result


cdef void _note_between(Watched me) noexcept:
    """Note what passed between two calls."""
    global _ended
    cdef Between *found = &_at.between[me.index]
    if _work:
        found.ticks += min(ticks() - _ended, _work)
        found.count += 1
    _ended = 0


cdef inline int64_t _size(Watched me, args_t args, size_t nargs, PyObject *result) noexcept:
    """Return the length of a call's payload; 0 if it is unknown."""
    if result is NULL:
        return 0
    return _length(result) if me.dumps else _given(me, args, nargs)


cdef inline int64_t _given(Watched me, args_t args, size_t nargs) noexcept:
    """Return the length of the payload that a call decodes; 0 if it is unknown."""
    return _length(args[me.first]) if PyVectorcall_NARGS(nargs) > me.first else 0


cdef bint _will_be_long(Watched me, Counters *counters, args_t args, size_t nargs) noexcept:
    """Return whether a call decodes a payload so large that the thread's clock should time it.

    When only a few payloads are large, each one that is timed represents others, so a pause in it would be
    counted several times.
    """
    return not me.dumps and counters.timed and _usual(counters, _given(me, args, nargs)) > _rate * LONG


cdef inline double _usual(Counters *counters, int64_t size) noexcept:
    """Estimate the ticks of a call from the length of its payload and the calls timed so far."""
    return <double>counters.busy / counters.timed * (FIXED + size)


cdef int64_t _without_pause(Counters *counters, int64_t took, int64_t size) noexcept:
    """Return the time of a long call without a pause in which another thread or process had the processor."""
    cdef double usual
    if counters.timed == 0:
        return took
    usual = _usual(counters, size)
    if took <= 3 * usual or took <= usual + _rate * PAUSE:
        return took
    if size:
        return <int64_t>(usual + _rate * REFILL)
    # It may also be a call with a large payload. It took no more processor time than the process has since the
    # last sample.
    counters.slow = ALWAYS
    return min(took, <int64_t>(_rate * (clock(CLOCK_PROCESS_CPUTIME_ID) - _at.process.busy)))


def finish():
    """Write what is waiting, at the end of the process."""
    _note_time()
    _note_busy()


cdef void _sample(
    Watched me, args_t args, Py_ssize_t count, PyObject *names, PyObject *result, int64_t took, int64_t size
) noexcept:
    global _stopped
    cdef int64_t begin = clock(CLOCK_THREAD_CPUTIME_ID)
    # A signal handler may fork, which begins with another lock.
    cdef object lock = _lock
    try:
        if not _stopped and lock.acquire(True, PATIENCE):
            try:
                if not _path:
                    _open()
                _log(me, args, count, names, result, took, size)
            finally:
                lock.release()
    except BaseException:
        # The folder is gone, or the disk is full: counting goes on.
        _stopped = True
    _note_time()
    _note_busy()
    _plan(me, me.counters, size)
    _at.process.own += clock(CLOCK_THREAD_CPUTIME_ID) - begin


cdef void _plan(Watched me, Counters *counters, int64_t size) noexcept:
    """Choose which call of a function is sampled next."""
    global _spread
    cdef int64_t mean
    cdef double usual
    cdef bint doubtful
    _learn_rate()
    usual = <double>counters.busy / counters.timed * counters.work / counters.calls / _rate
    # If the size of the payload is not known, a pause cannot be found by the length of the call. If pauses seem to
    # take much time, they may be calls that take long for their size.
    doubtful = size == 0 or (
        counters.ticks - counters.busy - _rate * _at.collections[me.index] > counters.ticks / MATTERS
    )
    if counters.slow != ALWAYS:
        counters.slow = usual > LONG or (doubtful and usual > LONG_IF_DOUBTFUL)
    counters.every = <int32_t>max(
        1,
        min((TIMED_SLOW if counters.slow else TIMED) / max(usual, 1), counters.calls // LEAST_TIMED, RAREST_TIMED),
    )
    if not _affordable():
        _spread = min(_spread * 2, SPREAD)
    elif _spread > 1:
        _spread //= 2
    # A sample that stood for more calls than that would decide alone which place has called.
    mean = max(1, min(min(counters.calls // FEW, RARE) * _spread, counters.calls // LEAST_FEW))
    me.weight = mean
    counters.left = 1 + <int32_t>(_random() % <uint64_t>(2 * mean - 1))


cdef bint _affordable() noexcept:
    """Whether samples have taken less than their part of the processor time, without the start."""
    return (_at.process.own - _at.process.start - FREE) * PART < _at.process.busy


cdef _log(
    Watched me, args_t args, Py_ssize_t count, PyObject *names, PyObject *result, int64_t took, int64_t size
):
    cdef list entries = []
    cdef int64_t slot
    cdef object kept = None
    if not me.named:
        me.named = True
        entries.append(("function", me.index, me.name, not me.dumps))
    stack = _stack(me.package, entries)
    options = _number(_options, "options", _said_of(me, args, count, names), entries)
    me.seen += 1
    slot = me.seen - 1
    if slot >= SLOTS:
        slot = <int64_t>(_random() % <uint64_t>me.seen)
    if not _keeps or slot >= SLOTS or size > MOST_BYTES:
        slot = -1
    elif not (slot < SURE or 0 < size <= CHEAP_BYTES or _affordable()):
        slot = -1
    elif me.keeps == "result":
        kept = _result(<object>result)
    elif count > me.first:
        kept = _kept(me, <object>args[me.first], <object>result)
    entries.append(("call", me.index, me.weight, took, size, stack, options, slot, kept))
    _put(b"".join([_dumps(entry, 4) for entry in entries]))


cdef _kept(Watched me, subject, result):
    if me.keeps == "record":
        return _marshaled(subject)
    if me.keeps != "payload":
        return None
    if type(subject) in _buffers:
        return bytes(subject)
    return subject if type(subject) is bytes or type(subject) is str else _result(result)


cdef _result(record):
    """Return what a call has decoded, if its payload is a stream; the tuple distinguishes it from a payload."""
    written = _marshaled(record)
    return (written,) if written else written


cdef _marshaled(record):
    """Return a record as ``marshal`` writes it, which runs no code of the program's classes."""
    try:
        written = _dumps(record, 4)
    except ValueError:
        return False
    return written if len(written) <= MOST_BYTES else None


cdef _number(dict known, str kind, key, list entries):
    """Return the number of a stack or of options; the first time it is written with them."""
    found = known.get(key)
    if found is None:
        found = len(known)
        if found > MOST_STACKS:
            return -1
        known[key] = found
        entries.append((kind, found, key))
    return found


cdef _stack(str package, list entries):
    """Return the number of the stack. Stacks are known by their code objects, which stay alive."""
    cdef int64_t key[2 * DEEPEST]
    cdef list frames = []
    cdef PyObject *back
    cdef int depth = 0
    frame = sys._getframe()
    while depth < DEEPEST:
        code = code_of(frame)
        key[2 * depth], key[2 * depth + 1] = <int64_t><PyObject *>code, instruction_of(frame)
        frames.append((frame, code))
        depth += 1
        back = back_of(frame)
        if back is NULL:
            break
        frame = <object>back
        Py_DECREF(back)
    place = (<char *>key)[:2 * depth * sizeof(int64_t)]
    found = _places.get(place)
    if found is None:
        found = _number(_stacks, "stack", _described(frames, package), entries), [code for _, code in frames]
        if len(_places) < MOST_STACKS:
            _places[place] = found
    return found[0]


cdef _described(list frames, str package):
    """Return the frames from the caller on, without those of the library itself at the top."""
    cdef list found = []
    for frame, code in frames:
        name = frame.f_globals.get("__name__")
        if found or type(name) is not str or (name != package and not name.startswith(package + ".")):
            found.append((code.co_filename, code.co_qualname, frame.f_lineno))
    return tuple(found)


cdef _said_of(Watched me, args_t args, Py_ssize_t count, PyObject *names):
    """Return the options of a call in words, but no values if one of them may be a record to leave out."""
    cdef list found = []
    cdef Py_ssize_t at
    if me.direct == _advance:
        return (<WatchedIterator>args[0]).said
    cdef frozenset shown = _plain if _keeps and count > me.first else _empty
    if me.first and count and "JSON" in me.name:
        found.extend(_settings(<object>args[0], me.package))
    for at in range(me.first + 1, count):
        found.append((str(at - me.first), _said(<object>args[at], shown)))
    if names is not NULL:
        for at, name in enumerate(<tuple>names):
            found.append((name, _said(<object>args[count + at], shown)))
    return tuple(found)


cdef _settings(coder, str package):
    """Return the options of a JSON encoder or decoder that are not the default."""
    cdef dict given = getattr(coder, "__dict__", {})
    module = getattr(type(coder), "__module__", "")
    found = [
        (name, _said(given[name], _plain)) for name, usual in _SETTINGS if given.get(name, usual) is not usual
    ]
    if "item_separator" in given:
        separators = given["item_separator"], given.get("key_separator", ": ")
        found.append(("separators", _said(separators, _plain)))
    if type(module) is not str or module.partition(".")[0] != package:
        found.append(("cls", _said(type(coder), _plain)))
    return found


cdef _said(value, frozenset shown):
    if type(value) is tuple and len(value) <= 3 and all([type(each) in shown for each in value]):
        return repr(value)
    if type(value) in shown:
        text = repr(value)
        return text if len(text) <= 40 else "..."
    if isinstance(value, type):
        return type.__dict__["__qualname__"].__get__(value)
    return "<" + type.__dict__["__qualname__"].__get__(type(value)) + ">"


cdef _put(bytes data):
    """Add to the samples in memory; write these to the end of the file if there is no room."""
    cdef Py_ssize_t size = len(data)
    cdef char *room = <char *>_at + HEADER
    if _at.process.pending + size > PENDING:
        _append(room[:_at.process.pending])
        _at.process.pending = 0
    if size > PENDING:
        _append(data)
        return
    memcpy(room + _at.process.pending, <char *>data, size)
    # Only now, so that a process that is killed leaves whole entries.
    _at.process.pending += size


cdef _append(bytes data):
    """Write to the end of the file, which is not kept open: daemons close what they do not know."""
    file = os.open(_path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        os.write(file, data)
    finally:
        os.close(file)


cdef _open():
    global _path, _at
    cdef void *mapped
    path = f"{_folder}/{os.getpid()}-{clock(CLOCK_MONOTONIC)}.watch"
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        # Not a hole: storing into the map of one ends the program if the disk is full.
        if os.write(file, bytes(HEADER + PENDING)) < HEADER + PENDING:
            raise OSError("the disk is full")
        mapped = bakeoff_map(file, HEADER + PENDING)
    finally:
        os.close(file)
    if mapped is NULL:
        raise OSError("cannot be mapped")
    _at = <File *>mapped
    _at.process = _scratch.process
    _at.collections = _scratch.collections
    _at.between = _scratch.between
    for each in _watched:
        _at.functions[(<Watched>each).index] = (<Watched>each).counters[0]
        (<Watched>each).counters = &_at.functions[(<Watched>each).index]
    _path = path


cdef void _note_time() noexcept:
    _at.process.ticks = ticks()
    _at.process.clock = clock(CLOCK_MONOTONIC)


cdef void _learn_rate() noexcept:
    """Compare the processor's counter with the clock."""
    global _rate, _short, _work
    if _at.process.clock > _at.process.begin_clock:
        _rate = (<double>(_at.process.ticks - _at.process.begin_ticks)) / (
            _at.process.clock - _at.process.begin_clock
        )
        _short = <int64_t>(_rate * SHORT)
        _work = <int64_t>(_rate * WORK)


cdef void _note_busy() noexcept:
    _at.process.busy = clock(CLOCK_PROCESS_CPUTIME_ID)


def restart():
    """Begin a file of its own, in a process that was forked."""
    global _at, _path, _spread, _state, _lock
    _lock = _thread.allocate_lock()
    if _at != &_scratch:
        munmap(_at, HEADER + PENDING)
    _at = &_scratch
    memset(_at, 0, sizeof(File))
    _at.process.begin_ticks = ticks()
    _at.process.begin_clock = clock(CLOCK_MONOTONIC)
    _path, _spread = "", 1
    _state ^= <uint64_t>_at.process.begin_clock
    _stacks.clear()
    _places.clear()
    _options.clear()
    for each in _watched:
        _begin(<Watched>each)


cdef void _begin(Watched me) noexcept:
    """Plan to sample the next call of a function."""
    me.counters = &_at.functions[me.index]
    # The usual time of a call is not known yet, so that a pause in the first one would not be found.
    me.counters.every = me.counters.slow = 1
    me.seen, me.weight, me.named = 0, 1, False


def start(str folder not None, bint keeps, bint counter, /):
    """Begin to write samples to a folder.

    Args:
        folder: An absolute path.
        keeps: Whether records are kept.
        counter: Whether the processor's counter of ticks can be trusted.
    """
    global _folder, _keeps, has_counter, _stopped
    _folder, _keeps, has_counter, _stopped = folder, keeps, counter, False
    restart()


def watched(
    original, str name not None, int first, bint dumps, str keeps not None, str package not None, /
):
    """Return an object that passes calls on to a function, and counts them.

    Args:
        original: The function.
        name: Its name in the answer.
        first: Position of the record or payload among the arguments.
        dumps: It encodes.
        keeps: The part of a sampled call to keep: "record", "payload" or "result".
        package: The library, whose own frames are no call site.
    """
    if isinstance(original, Watched) or len(_watched) >= FUNCTIONS:
        return original
    kind = WatchedFunction if hasattr(type(original), "__get__") else Watched
    return _made(kind, original, name, first, dumps, keeps, package)


cdef Watched _made(type kind, original, str name, int first, bint dumps, str keeps, str package):
    cdef Watched made = kind.__new__(kind)
    made.entry, made.owned, made.original = _call, original, <PyObject *>original
    made.direct = PyVectorcall_Function(made.original)
    if made.direct is NULL:
        made.direct = PyObject_Vectorcall
    made.index, made.first, made.dumps, made.keeps = len(_watched), first, dumps, keeps
    made.name, made.package = name, package
    made.timed = _timed
    _begin(made)
    _watched.append(made)
    return made


def generating(original, str name not None, int first, bint dumps, str keeps not None, str package not None, /):
    """Return an object that passes calls on to a function that returns a generator, and counts its steps.

    Args:
        original: The function.
        name: Its name in the answer.
        first: Position of the record or payload among the arguments.
        dumps: It encodes.
        keeps: The part of a sampled step to keep: "result" or nothing.
        package: The library, whose own frames are no call site.
    """
    cdef Watched steps
    cdef WatchedGenerator made
    if isinstance(original, Watched) or len(_watched) + 2 > FUNCTIONS:
        return original
    steps = _made(Watched, original, name, 0, dumps, keeps, package)
    steps.direct = _advance
    made = _made(WatchedGenerator, original, name, first, dumps, keeps, package)
    made.entry, made.steps = _generate, steps
    return made


def started(int64_t nanoseconds, /):
    """Note the processor time that watching took before the program began."""
    _at.process.start = nanoseconds
    _at.process.own += nanoseconds


def replace(type owner not None, str name not None, value, /):
    """Set an attribute of a class, also of a compiled one that refuses it."""
    cdef PyTypeObject *found = <PyTypeObject *>owner
    (<dict>found.tp_dict)[name] = value
    if name == _NEXT:
        found.tp_iternext = _step
    elif name == _CALL:
        found.tp_call = <void *>_called
    PyType_Modified(found)


cdef _with_vectorcall(type kind, unsigned long flags):
    cdef PyTypeObject *found = <PyTypeObject *>kind
    cdef Watched one = kind.__new__(kind)
    found.tp_vectorcall_offset = <char *>&one.entry - <char *><void *>one
    found.tp_flags |= HAS_VECTORCALL | flags
    found.tp_call = <void *>PyVectorcall_Call
    PyType_Modified(found)


_with_vectorcall(Watched, 0)
_with_vectorcall(WatchedFunction, IS_METHOD)
_with_vectorcall(WatchedGenerator, IS_METHOD)
(<PyTypeObject *>WatchedIterator).tp_iternext = _step
