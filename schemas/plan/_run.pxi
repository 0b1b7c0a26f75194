# A walk through a record: what is said about it and when it ends, and the step that all steps are.

cdef extern from *:
    """
    /* A list of a tuple's items. PySequence_List takes a detour over an iterator's protocol, and
       PyList_New(size) zeroes what is written next: both show where lists are most of the work. */
    static PyObject *list_of(PyObject *items) {
    #if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION)
        PyObject *made;
        Py_INCREF(items);
        made = PySequence_List(items);
        Py_DECREF(items);
        return made;
    #else
        Py_ssize_t i, size = PyTuple_GET_SIZE(items);
        PyObject **held;
        PyListObject *made;
        if (size == 0)
            return PyList_New(0);
        held = PyMem_New(PyObject *, size);
        if (held == NULL)
            return PyErr_NoMemory();
        for (i = 0; i < size; i++)
            held[i] = Py_NewRef(PyTuple_GET_ITEM(items, i));
        /* This may start the collector, and that runs code which may drop the tuple. */
        made = (PyListObject *)PyList_New(0);
        if (made == NULL) {
            while (size > 0)
                Py_DECREF(held[--size]);
            PyMem_Free(held);
            return NULL;
        }
        made->ob_item = held;
        made->allocated = size;
        Py_SET_SIZE(made, size);
        return (PyObject *)made;
    #endif
    }
    """
    object list_of(object)

cdef class _Mark:
    """Why a value was not converted: from its type there is no way, it is malformed, or over a limit."""


cdef _Mark NONE = _Mark()
cdef _Mark BAD = _Mark()
cdef _Mark OVER = _Mark()


class OverrunError(Exception):
    """The count of nodes ran out."""


cdef struct Place:
    # A place in the record as a list on the C stack, rendered only when there is something to say.
    Place *up
    PyObject *key
    Py_ssize_t index


cdef struct Run:
    PyObject *advice
    PyObject *memo
    PyObject *severity
    Py_ssize_t left
    # Records within others of their own kind.
    Py_ssize_t depth
    Py_ssize_t cap
    # Advice beyond the cap, and how much of that is no note.
    Py_ssize_t more
    Py_ssize_t errors


cdef class Advice:
    """One thing that a schema corrected, or could not.

    Attributes:
        path: Place in the record, for instance ``$.items[3].created``.
        code: ``"type"``, ``"missing"``, ``"value"``, ``"length"``, ``"key"``, ``"limit"``,
            ``"unknown"``, ``"build"`` or ``"more"`` (advice beyond the cap of a record).
        expected: What the schema says.
        found: Type of what stood there, with the value where that was the trouble.
        value: The original value.
        outcome: ``"fixed"``, ``"kept"`` (there is no conversion) or ``"could not"`` (it failed).
        severity: ``"error"`` or ``"note"``, as the field's `Hint` says; of ``"more"``, the worst of that.
    """

    cdef readonly str path
    cdef readonly str code
    cdef readonly str expected
    cdef readonly str found
    cdef readonly object value
    cdef readonly str outcome
    cdef readonly str severity

    __match_args__ = ("path", "code", "expected", "found", "value", "outcome")

    def __init__(self, str path, str code, str expected, str found, value, str outcome, str severity="error"):
        self.path, self.code, self.expected, self.found = path, code, expected, found
        self.value, self.outcome, self.severity = value, outcome, severity

    def __str__(self):
        found = self.found if self.code == "missing" else f"`{self.found}`"
        return f"Expected `{self.expected}`, got {found} - at `{self.path}`"

    def __repr__(self):
        return f"<Advice {self.outcome}: {self}>"

    def __reduce__(self):
        return Advice, (
            self.path, self.code, self.expected, self.found, self.value, self.outcome, self.severity
        )

    def __eq__(self, other):
        if not isinstance(other, Advice):
            return NotImplemented
        return self.__reduce__()[1] == other.__reduce__()[1]

    def __hash__(self):
        return hash((self.path, self.code, self.expected, self.found, self.outcome))


cdef str render(Place *place):
    keys = []
    while place is not NULL:
        keys.append(<object>place.key if place.key is not NULL else ... if place.index < 0 else place.index)
        place = place.up
    keys.reverse()
    return join(keys)


cdef str kind_of(object value):
    return "None" if value is None else type_name(value)


cdef inline bint is_a(object value, object kind) noexcept:
    """Whether a value is an instance of a class; `isinstance` asks its `__class__` as well, which may raise."""
    return PyObject_TypeCheck(value, <PyTypeObject *>kind)


cdef int note(Run *run, Place *place, str code, str expected, object value, str outcome, bint show=False) except -1:
    if run.advice is NULL:
        return 0
    found = kind_of(value)
    if show:
        found = f"{found} {brief(value)}"
    return say(run, place, code, expected, value, outcome, found)


cdef int say(Run *run, Place *place, str code, str expected, object value, str outcome, str found) except -1:
    if run.advice is NULL:
        return 0
    severity = "error" if run.severity is NULL else <object>run.severity
    if PyList_GET_SIZE(<object>run.advice) >= run.cap:
        run.more += 1
        run.errors += severity == "error"
        return 0
    PyList_Append(<object>run.advice, Advice(render(place), code, expected, found, value, outcome, severity))
    return 0


cdef inline Py_ssize_t said_by(Run *run):
    """Return how much advice there is."""
    return 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)


cdef int unsay(Run *run, Py_ssize_t said, Place *place, str code, str expected, object value) except -1:
    """Say of a container that it stays as it is, in place of what was said of all that it holds."""
    if run.advice is not NULL:
        del (<list>run.advice)[said:]
    return note(run, place, code, expected, value, "could not", True)


cdef list items_of(object value):
    """Return what a list, tuple or set holds, whatever the `__iter__` of a subclass yields."""
    if PyTuple_Check(value):
        return list_of(value)
    if PyList_Check(value):
        return PyList_GetSlice(value, 0, PyList_GET_SIZE(value))
    return list((set if PySet_Check(value) else frozenset).__iter__(value))


cdef inline int spend(Run *run, Py_ssize_t nodes) except -1:
    run.left -= nodes + 1
    if run.left < 0:
        raise OverrunError()
    return 0


cdef inline object recall(Run *run, object value, Step step):
    """Return what became of a container that this step has seen before, or None."""
    if run.memo is NULL:
        return None
    found = (<dict>run.memo).get((id(value), id(step)))
    return None if found is None else (<tuple>found)[1]


cdef inline int remember(Run *run, object value, Step step, object result) except -1:
    if run.memo is not NULL:
        # The container itself is kept, too: a freed one would hand its id to another.
        (<dict>run.memo)[(id(value), id(step))] = (value, result)
    return 0


cdef inline PyObject *lookup(object record, PyObject *name) except? NULL:
    """Return the value of a field, borrowed, or NULL; keys that cannot be compared are not there."""
    cdef PyObject *found = PyDict_GetItemWithError(record, <object>name)
    if found is NULL and PyErr_Occurred() is not NULL and PyErr_ExceptionMatches(Exception):
        PyErr_Clear()
    return found


cdef class Step:
    """What is done at one node of a schema.

    Args:
        expected: Name of the type in advice.
        quiet: Whether the codec's own form of a value is turned into the type without a word.
    """

    cdef str expected
    cdef bint quiet
    # All there is to do is to make a list of a tuple: done on the spot by whoever holds it.
    cdef bint bare
    # A record that stays the dict it is: walked on the spot, too.
    cdef bint plain
    # Values of the type may be advised, too, so keys of the type are visited.
    cdef bint looks

    def __init__(self, str expected, *, bint quiet=False):
        self.expected = expected
        self.quiet = quiet

    cdef object visit(self, object value, Run *run, Place *place):
        return value

    cdef bint fits(self, object value):
        """Whether `value` already is of the right type."""
        return True

    cdef object convert(self, object value):
        """Return `value` in the right type, or why not: NONE, BAD or OVER. Containers return NONE.

        What it raises, `attempt` catches.
        """
        return NONE

    cdef object attempt(self, object value):
        """Convert, and take whatever is raised by a value, or by what a subclass made of a method, for malformed."""
        try:
            return self.convert(value)
        except Exception:
            return BAD

    cdef bint conventional(self, object value):
        """Whether `value` is how formats write the type."""
        return type(value) is str

    cdef bint takes(self, object value):
        """Whether a container of this kind may be made of `value`."""
        return False

    cdef bint denies(self, object value):
        """Whether its length or a Literal says that a container is another one than this."""
        return False


cdef class Leaf(Step):
    """A value without parts: right already, or converted, or kept."""

    cdef object visit(self, object value, Run *run, Place *place):
        if self.fits(value):
            return value
        return self.settle(value, run, place)

    cdef object settle(self, object value, Run *run, Place *place):
        new = self.attempt(value)
        if type(new) is _Mark:
            if new is NONE:
                note(run, place, "type", self.expected, value, "kept")
            elif new is BAD:
                note(run, place, "value", self.expected, value, "could not", True)
            else:
                note(run, place, "limit", self.expected, value, "could not", True)
            return value
        if not (self.quiet and self.conventional(value)):
            note(run, place, "type", self.expected, value, "fixed")
        return new
