# A walk through a record: its state, its limits and its advice, and the base class of all steps.

cdef extern from *:
    """
    /* Return a list of a tuple's items. PySequence_List uses the iterator protocol, and PyList_New(size)
       clears memory that is written next. Both take noticeable time if most of the work is lists. */
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
        /* This may start the garbage collector, which may run code that drops the tuple. */
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
    """Why a value was not converted: its type has no conversion, it is malformed, or it exceeds a limit."""


cdef _Mark NONE = _Mark()
cdef _Mark BAD = _Mark()
cdef _Mark OVER = _Mark()


class OverrunError(Exception):
    """More nodes were visited than the limit allows."""


cdef struct Place:
    # A path in the record, as a linked list on the C stack. It is converted to text only for advice.
    Place *up
    PyObject *key
    Py_ssize_t index


cdef struct Run:
    PyObject *advice
    PyObject *memo
    PyObject *severity
    Py_ssize_t left
    # Nesting depth of recursive records.
    Py_ssize_t depth
    Py_ssize_t cap
    # Pieces of advice beyond the cap, and the number of errors among them.
    Py_ssize_t more
    Py_ssize_t errors


cdef class Advice:
    """One thing that a schema corrected or could not correct.

    Attributes:
        path: Path in the record, for instance ``$.items[3].created``.
        code: ``"type"``, ``"missing"``, ``"value"``, ``"length"``, ``"key"``, ``"limit"``,
            ``"unknown"``, ``"build"`` or ``"more"`` (advice beyond the cap of a record).
        expected: What the schema expects.
        found: Type of the original value, followed by the value if that was the problem.
        value: The original value.
        outcome: ``"fixed"``, ``"kept"`` (there is no conversion) or ``"could not"`` (it failed).
        severity: ``"error"`` or ``"note"``, from the field's `Hint`; for ``"more"``, the worst of the advice.
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
    """Return whether a value is an instance of a class. `isinstance` also reads `__class__`, which may raise."""
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
    """Return the number of pieces of advice so far."""
    return 0 if run.advice is NULL else PyList_GET_SIZE(<object>run.advice)


cdef int unsay(Run *run, Py_ssize_t said, Place *place, str code, str expected, object value) except -1:
    """Replace the advice about a container's contents by one piece: the container could not be changed."""
    if run.advice is not NULL:
        del (<list>run.advice)[said:]
    return note(run, place, code, expected, value, "could not", True)


cdef list items_of(object value):
    """Return the items of a list, tuple or set, without a call of a subclass's `__iter__`."""
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
    """Return the result for a container that this step has visited before, or None."""
    if run.memo is NULL:
        return None
    found = (<dict>run.memo).get((id(value), id(step)))
    return None if found is None else (<tuple>found)[1]


cdef inline int remember(Run *run, object value, Step step, object result) except -1:
    if run.memo is not NULL:
        # Keep the container, too: if it is freed, another object may get its id.
        (<dict>run.memo)[(id(value), id(step))] = (value, result)
    return 0


cdef inline PyObject *lookup(object record, PyObject *name) except? NULL:
    """Return a borrowed reference to the value of a field, or NULL, also if comparing keys fails."""
    cdef PyObject *found = PyDict_GetItemWithError(record, <object>name)
    if found is NULL and PyErr_Occurred() is not NULL and PyErr_ExceptionMatches(Exception):
        PyErr_Clear()
    return found


cdef enum:
    # How much a place adds to the misfit of a value: a map or any value, which say less than a record; a value that
    # is converted with advice; a value that is lost or changed.
    VAGUE = 1 << 10
    CHANGE = 1 << 20
    LOSS = 1 << 30
    # Most values of one record that are compared with an option. The rest counts as fitting.
    COMPARED = 1_000_000
    # Levels of unions within an option that are compared; their number of combinations is exponential.
    CHOICES = 3


cdef struct Look:
    # A comparison of a value with an option: values left to compare, and levels of unions.
    Py_ssize_t left
    int choices


cdef class Step:
    """The correction of values at one node of a schema.

    Args:
        expected: Name of the type in advice.
        quiet: Whether a value in the codec's own form is converted without advice.
    """

    cdef str expected
    cdef bint quiet
    # The step only converts a tuple to a list, which the enclosing step does without a call.
    cdef bint bare
    # The step is for records that remain dicts, whose fields the enclosing step visits directly.
    cdef bint plain
    # Values of the type may cause advice, so keys of the type are visited, too.
    cdef bint looks

    def __init__(self, str expected, *, bint quiet=False):
        self.expected = expected
        self.quiet = quiet

    cdef object visit(self, object value, Run *run, Place *place):
        return value

    cdef bint fits(self, object value):
        """Return whether `value` already has the right type."""
        return True

    cdef object convert(self, object value):
        """Convert `value` to the type, or return why it cannot: NONE, BAD or OVER. Containers return NONE.

        It may raise any error; `attempt` catches it.
        """
        return NONE

    cdef object attempt(self, object value):
        """Convert `value`, or return BAD for any error, which a method of a subclass may also raise."""
        try:
            return self.convert(value)
        except Exception:
            return BAD

    cdef bint conventional(self, object value):
        """Return whether `value` has a form in which formats write the type."""
        return type(value) is str

    cdef long long misfit(self, object value, Look *look) except -1:
        """Return how far `value` is from a value of this type; below `CHANGE`, it is kept exactly.

        Among types that keep it exactly, the most specific one has the least.
        """
        look.left -= 1
        if self.fits(value):
            return 2
        if type(self.attempt(value)) is _Mark:
            return LOSS
        return 3 if self.quiet and self.conventional(value) else CHANGE

    cdef bint takes(self, object value):
        """Return whether a container of this kind can be made from `value`."""
        return False

    cdef bint denies(self, object value):
        """Return whether the length of a container, or a Literal in it, shows that it has another type."""
        return False


cdef class Leaf(Step):
    """A step for values without parts: a value is correct, converted, or kept."""

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
