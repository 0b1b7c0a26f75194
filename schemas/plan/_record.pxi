# Records: dicts with known fields, by far the most common nodes of a walk.


cdef struct Slot:
    PyObject *key
    PyObject *step
    PyObject *severity
    Py_ssize_t hint
    int misses
    bint required
    bint bare
    bint plain


cdef inline PyObject *field(object record, Slot *slot) except? NULL:
    """Return a borrowed reference to the value of a field, or NULL.

    Records of one stream usually have their fields in the same order, and libraries intern keys. So the
    field's position in an earlier record is tried first, which saves the lookup in the hash table.
    """
    cdef PyObject *key
    cdef PyObject *found = NULL
    cdef Py_ssize_t position = slot.hint
    if PyDict_Next(record, &position, &key, &found) and key == slot.key:
        return found
    found = lookup(record, slot.key)
    if slot.misses < MISSES:
        slot.misses += 1
        position = slot.hint = 0
        while PyDict_Next(record, &position, &key, NULL) and slot.hint < MISSES:
            if key == slot.key:
                return found
            slot.hint = position
        slot.hint = 0
    return found


@cython.final
cdef class RecordStep(Step):
    """The known fields of a dict, by name, or of a list, by position. Other fields are not changed.

    Args:
        fields: (name, step or None, required, severity) in order.
        positional: Whether a list or tuple of the values is also valid.
        build: Class that takes the fields by keyword, callable that takes their dict, or None.
        kind: Class of objects that are already correct.
        full: Whether missing fields cause advice.
        tags: (position, name, step) of the fields whose Literal distinguishes the records of a union.
    """

    cdef Slot *slots
    cdef Py_ssize_t count
    cdef tuple fields
    cdef bint positional
    cdef bint full
    cdef bint direct
    cdef object build
    cdef object kind
    cdef tuple tags

    def __init__(
        self, str expected, tuple fields, *, bint positional=False, build=None, kind=None, bint full=True,
        tuple tags=(),
    ):
        Step.__init__(self, expected, quiet=True)
        fields = tuple([(intern(name), *rest) for name, *rest in fields])
        self.fields, self.positional, self.build, self.kind = fields, positional, build, kind
        self.full, self.tags = full, tags
        self.direct = isinstance(build, type)
        self.plain = build is None
        self.slots = <Slot *>malloc((len(fields) + 1) * sizeof(Slot))
        if self.slots is NULL:
            raise MemoryError()
        self.count = len(fields)
        for i, (name, step, required, severity) in enumerate(fields):
            self.slots[i].key = <PyObject *>name
            self.slots[i].step = NULL if step is None else <PyObject *>step
            self.slots[i].severity = NULL if severity == "error" else <PyObject *>severity
            self.slots[i].required = required and full
            self.slots[i].bare = step is not None and (<Step>step).bare
            self.slots[i].plain = step is not None and severity == "error" and (<Step>step).plain
            self.slots[i].hint = self.slots[i].misses = 0

    def __dealloc__(self):
        free(self.slots)

    cdef bint fits(self, object value):
        if self.kind is not None and is_a(value, self.kind):
            return True
        if not PyDict_Check(value):
            return False
        for name, _, required, _ in self.fields:
            if required and lookup(value, <PyObject *>name) is NULL:
                return False
        return not self.denies(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        cdef PyObject *found
        cdef list items = None
        cdef object kept
        cdef Py_ssize_t i, known = 0, size
        cdef long long misfit = 0
        look.left -= 1
        if self.kind is not None and is_a(value, self.kind):
            return 0 if type(value) is self.kind else 1
        if not self.takes(value) or stack_left() < RESERVE:
            return LOSS
        if PyDict_Check(value):
            size = PyDict_Size(value)
        else:
            items = items_of(value)
            size = len(items)
        for i in range(self.count):
            if items is None:
                found = lookup(value, self.slots[i].key)
            else:
                found = PyList_GET_ITEM(items, i) if i < size else NULL
            if found is NULL:
                misfit += LOSS if self.slots[i].required else 1
                continue
            known += 1
            if look.left > 0:
                kept = <object>found
                misfit += misfit_of(self.fields[i][1], kept, look)
        return misfit + <long long>(size - known) * LOSS

    cdef bint takes(self, object value):
        return PyDict_Check(value) or (self.positional and (PyList_Check(value) or PyTuple_Check(value)))

    cdef bint denies(self, object value):
        cdef PyObject *found
        cdef list items = None if PyDict_Check(value) else items_of(value)
        for index, name, step in self.tags:
            if items is None:
                found = lookup(value, <PyObject *>name)
            else:
                found = <PyObject *>PyList_GET_ITEM(items, index) if index < len(items) else NULL
            if found is not NULL and not (<Step>step).fits(<object>found):
                return True
        return False

    cdef object visit(self, object value, Run *run, Place *place):
        cdef object seen, result
        if not PyDict_Check(value):
            if self.kind is not None and is_a(value, self.kind):
                return value
            if self.positional and (PyList_Check(value) or PyTuple_Check(value)):
                return self.visit_row(value, run, place)
            note(run, place, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL:
            if (seen := recall(run, value, self)) is not None:
                return seen
            remember(run, value, self, value)
        spend(run, self.count)
        self.visit_fields(value, run, place)
        if self.build is None:
            return value
        result = self.make(value, run, place)
        remember(run, value, self, result)
        return result

    cdef int visit_fields(self, object value, Run *run, Place *up) except -1:
        cdef Slot *slot = self.slots
        cdef Slot *end = self.slots + self.count
        cdef PyObject *found
        while slot < end:
            found = field(value, slot)
            if found is NULL:
                if slot.required and run.advice is not NULL:
                    self.visit_missing(slot, run, up)
            elif slot.bare and PyTuple_CheckExact(<object>found) and run.memo is NULL:
                PyDict_SetItem(value, <object>slot.key, list_of(<object>found))
            elif slot.step is not NULL:
                self.visit_field(value, slot, <object>found, run, up)
            slot += 1
        return 0

    cdef int visit_field(self, object value, Slot *slot, object old, Run *run, Place *up) except -1:
        cdef Place place
        place.up, place.key, place.index = up, slot.key, 0
        # Keep a reference, because the code below may replace the value in the record.
        cdef object kept = old
        if slot.plain and PyDict_CheckExact(kept) and run.memo is NULL:
            spend(run, (<RecordStep>slot.step).count)
            return (<RecordStep>slot.step).visit_fields(kept, run, &place)
        if slot.severity is NULL:
            new = (<Step>slot.step).visit(kept, run, &place)
        else:
            new = self.visit_hinted(slot, kept, run, &place)
        if new is not kept:
            PyDict_SetItem(value, <object>slot.key, new)
        return 0

    cdef int visit_missing(self, Slot *slot, Run *run, Place *up, Py_ssize_t index=-1) except -1:
        cdef Place place
        # A record in the form of a list has positions instead of names.
        place.up, place.key, place.index = up, slot.key if index < 0 else NULL, index
        if slot.severity is not NULL and <object>slot.severity == "ignore":
            return 0
        cdef PyObject *before = run.severity
        if slot.severity is not NULL:
            run.severity = slot.severity
        expected = "Any" if slot.step is NULL else (<Step>slot.step).expected
        say(run, &place, "missing", expected, None, "kept", "nothing")
        run.severity = before
        return 0

    cdef object visit_hinted(self, Slot *slot, object value, Run *run, Place *place):
        cdef PyObject *advice = run.advice
        cdef PyObject *before = run.severity
        if <object>slot.severity == "ignore":
            run.advice = NULL
        run.severity = slot.severity
        try:
            return (<Step>slot.step).visit(value, run, place)
        finally:
            run.advice, run.severity = advice, before

    cdef object visit_row(self, object value, Run *run, Place *up):
        cdef Place place
        cdef list items = items_of(value)
        cdef bint in_place = PyList_Check(value)
        cdef Py_ssize_t i, size = len(items)
        cdef Py_ssize_t said = said_by(run)
        cdef bint kept = False
        cdef object seen, new, result = value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        spend(run, size)
        place.up, place.key = up, NULL
        for i in range(min(size, self.count)):
            if self.slots[i].step is not NULL:
                place.index = i
                if self.slots[i].severity is NULL:
                    new = (<Step>self.slots[i].step).visit(items[i], run, &place)
                else:
                    new = self.visit_hinted(&self.slots[i], items[i], run, &place)
                if new is not items[i]:
                    items[i] = new
                    if in_place and i < PyList_GET_SIZE(value):
                        (<list>value)[i] = new
                    elif PyTuple_CheckExact(value):
                        result = None
                    else:
                        kept = not in_place
        if kept and self.build is None:
            unsay(run, said, up, "value", self.expected, value)
        if size > self.count:
            say(
                run, up, "length", f"{self.expected} of {self.count}", value, "kept",
                f"{type_name(value)} of {size}",
            )
        elif run.advice is not NULL:
            for i in range(size, self.count):
                if self.slots[i].required:
                    self.visit_missing(&self.slots[i], run, up, i)
        if result is None:
            result = tuple(items)
        if self.build is not None and size <= self.count:
            result = self.make({self.fields[i][0]: items[i] for i in range(size)}, run, up, result)
        remember(run, value, self, result)
        return result

    cdef object make(self, object value, Run *run, Place *place, object instead=None):
        """Build the object. If that fails, or would lose unknown fields, the record keeps its form."""
        cdef Py_ssize_t known = 0
        for i in range(self.count):
            known += lookup(value, self.slots[i].key) is not NULL
        if known != PyDict_Size(value):
            names = {field[0] for field in self.fields}
            more = (name for name in dict.__iter__(value) if type(name) is not str or name not in names)
            say(run, place, "unknown", self.expected, value, "could not", f"dict with an unknown {brief(next(more, None))}")
            return value if instead is None else instead
        try:
            if self.direct:
                return PyObject_Call(self.build, (), value if type(value) is dict else dict(value))
            return self.build(value)
        except Exception as error:
            say(run, place, "build", self.expected, value, "could not", f"dict, and {brief(error, WIDTH)}")
            return value if instead is None else instead


cdef class RefStep(Step):
    """A record within one of its own kind: it is visited by the step of that record, one level deeper."""

    cdef Step step

    def __cinit__(self, *_arguments):
        # A default that calls need if `bind` is never called.
        self.step = Step.__new__(Step)

    def bind(self, Step step not None):
        """Set the step of the record, once it is made."""
        self.step = step

    cdef bint fits(self, object value):
        return self.step.fits(value)

    cdef bint takes(self, object value):
        return self.step.takes(value)

    cdef bint denies(self, object value):
        return self.step.denies(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        return self.step.misfit(value, look)

    cdef object visit(self, object value, Run *run, Place *place):
        cdef object new
        if run.depth >= DEEPEST or stack_left() < RESERVE:
            note(run, place, "limit", f"at most {DEEPEST:,} levels of {self.expected}", value, "could not")
            return value
        run.depth += 1
        new = self.step.visit(value, run, place)
        run.depth -= 1
        return new
