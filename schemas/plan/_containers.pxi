# Steps that contain others: unions, lists, tuples, sets and maps.


cdef class OptionalStep(Step):
    """None, or a value of the inner step's type."""

    cdef Step inner
    cdef str null

    def __init__(self, str expected, Step inner, str null=None):
        Step.__init__(self, expected)
        self.inner, self.null = inner, null
        self.looks = inner.looks

    cdef object visit(self, object value, Run *run, Place *place):
        if value is None:
            return None
        if self.null is not None and type(value) is str and value == self.null:
            return None
        return self.inner.visit(value, run, place)

    cdef bint fits(self, object value):
        return value is None or self.inner.fits(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        if value is None:
            return 1
        if self.null is not None and type(value) is str and value == self.null:
            return 1
        return self.inner.misfit(value, look)


cdef class UnionStep(Step):
    """One of several types: the one that fits, or takes the container, or converts it, by convention first.

    Of several that fit or take a container, it is the one with the least `misfit`; of equals, the first that fits.
    """

    cdef list options
    cdef str null
    # Several options have parts, so that a value with parts may fit more than one.
    cdef bint compares

    def __init__(self, str expected, list options, str null=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.compares = sum([not isinstance(option, Leaf) for option in options]) > 1
        self.options, self.null = options, null
        self.looks = any([(<Step>option).looks for option in options])

    cdef bint fits(self, object value):
        cdef Step option
        for option in self.options:
            if option.fits(value):
                return True
        return False

    cdef object visit(self, object value, Run *run, Place *place):
        cdef Step option
        if self.null is not None and type(value) is str and value == self.null:
            return None
        option = self.fitting(value, run)
        if option is not None:
            return option.visit(value, run, place)
        for option in self.options:
            if option.conventional(value):
                new = option.attempt(value)
                if type(new) is not _Mark:
                    if not option.quiet:
                        note(run, place, "type", self.expected, value, "fixed")
                    return option.visit(new, run, place)
        for option in self.options:
            new = option.attempt(value)
            if type(new) is not _Mark:
                note(run, place, "type", self.expected, value, "fixed")
                return option.visit(new, run, place)
        note(run, place, "type", self.expected, value, "kept")
        return value

    cdef Step fitting(self, object value, Run *run):
        """Return the option that fits a value or takes the container, or None if there is none."""
        cdef Step option
        cdef list found = None
        cdef bint takes, several = self.compares and has_parts(value)
        for takes in range(2):
            for option in self.options:
                if option.takes(value) and not option.fits(value) if takes else option.fits(value):
                    if not several:
                        return option
                    if found is None:
                        found = []
                    found.append(option)
        if found is None:
            return None
        return found[0] if len(found) == 1 else self.nearest(found, value, run)

    cdef Step nearest(self, list options, object value, Run *run):
        """Return the option with the least misfit, the first of equals."""
        cdef Step option, nearest = None
        cdef Look look
        cdef long long misfit, least = 0
        for option in options:
            look.left, look.choices = COMPARED, CHOICES
            misfit = option.misfit(value, &look)
            spend(run, COMPARED - look.left)
            if nearest is None or misfit < least:
                nearest, least = option, misfit
        return nearest

    cdef long long misfit(self, object value, Look *look) except -1:
        cdef Step option
        cdef long long misfit, least = -1
        if look.choices == 0 or look.left <= 0:
            return 2 if self.fits(value) else LOSS
        look.choices -= 1
        for option in self.options:
            misfit = option.misfit(value, look)
            if least < 0 or misfit < least:
                least = misfit
        look.choices += 1
        return least

    cdef object convert(self, object value):
        # Only for keys, which are converted without a visit.
        cdef Step option
        for conventional in (True, False):
            for option in self.options:
                if not conventional or option.conventional(value):
                    new = option.attempt(value)
                    if type(new) is not _Mark:
                        return new
        return NONE


cdef inline bint has_parts(object value) noexcept:
    return PyDict_Check(value) or PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value)


cdef inline long long misfit_of(Step step, object value, Look *look) except -1:
    """Return the misfit of a value; no step is for values of any type."""
    return VAGUE if step is None else step.misfit(value, look)


cdef long long misfit_of_items(Step item, object items, Look *look) except -1:
    """Return the sum of the items' misfits."""
    cdef long long misfit = 0
    if item is None:
        return VAGUE
    for each in items:
        if look.left <= 0:
            break
        misfit += item.misfit(each, look)
    return misfit


@cython.final
cdef class ListStep(Step):
    """A list, made from a tuple if the codec decodes lists as tuples. Items are corrected in place."""

    cdef Step item

    def __init__(self, str expected, Step item=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.item = item
        self.bare = quiet and item is None

    cdef bint fits(self, object value):
        return PyList_Check(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        cdef bint fits = PyList_Check(value)
        look.left -= 1
        if not fits and not PyTuple_Check(value):
            return LOSS
        return (0 if fits else 1 if self.quiet else CHANGE) + misfit_of_items(self.item, items_of(value), look)

    cdef bint takes(self, object value):
        return PyTuple_Check(value)

    cdef object visit(self, object value, Run *run, Place *place):
        cdef Step item = self.item
        cdef object seen, result
        if PyList_Check(value):
            if item is None:
                return value
            result = value
        elif not PyTuple_Check(value):
            note(run, place, "type", self.expected, value, "kept")
            return value
        else:
            if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
                return seen
            result = list_of(value)
            if not self.quiet:
                note(run, place, "type", self.expected, value, "fixed")
            if item is None:
                remember(run, value, self, result)
                return result
        if run.memo is not NULL:
            if (seen := recall(run, value, self)) is not None:
                return seen
            remember(run, value, self, result)
        spend(run, PyList_GET_SIZE(result))
        visit_list(result, item, run, place)
        return result


cdef int visit_list(object items, Step item, Run *run, Place *up) except -1:
    cdef Place place
    cdef Py_ssize_t i = 0
    cdef object old, new
    cdef bint bare = item.bare and run.memo is NULL
    cdef bint plain = item.plain and run.memo is NULL
    place.up, place.key = up, NULL
    while i < PyList_GET_SIZE(items):
        old = <object>PyList_GET_ITEM(items, i)
        if bare and PyTuple_CheckExact(old):
            new = list_of(old)
            Py_INCREF(<PyObject *>new)
            PyList_SetItem(items, i, <PyObject *>new)
            i += 1
            continue
        place.index = i
        if plain and PyDict_CheckExact(old):
            spend(run, (<RecordStep>item).count)
            (<RecordStep>item).visit_fields(old, run, &place)
            i += 1
            continue
        new = item.visit(old, run, &place)
        if new is not old and i < PyList_GET_SIZE(items):
            Py_INCREF(<PyObject *>new)
            PyList_SetItem(items, i, <PyObject *>new)
        i += 1
    return 0


cdef class TupleStep(Step):
    """A tuple, with one type for all items or one for each position. It is rebuilt if an item changes."""

    cdef Step item
    cdef list places
    cdef Py_ssize_t length

    def __init__(self, str expected, Step item=None, list places=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.item, self.places = item, places
        self.length = -1 if places is None else len(places)

    cdef bint fits(self, object value):
        return PyTuple_Check(value) and (self.length < 0 or PyTuple_GET_SIZE(value) == self.length)

    cdef long long misfit(self, object value, Look *look) except -1:
        cdef long long misfit
        cdef Py_ssize_t i
        cdef list items
        look.left -= 1
        if not self.takes(value) or self.denies(value):
            return LOSS
        misfit = 0 if PyTuple_Check(value) else 1 if self.quiet else CHANGE
        items = items_of(value)
        if self.places is None:
            return misfit + misfit_of_items(self.item, items, look)
        for i in range(self.length):
            misfit += misfit_of(self.places[i], items[i], look)
        return misfit

    cdef bint takes(self, object value):
        return PyList_Check(value) or PyTuple_Check(value)

    cdef bint denies(self, object value):
        return self.length >= 0 and Py_SIZE(value) != self.length

    cdef object visit(self, object value, Run *run, Place *place):
        cdef list items
        cdef bint changed
        cdef object seen, result
        cdef Py_ssize_t size, said
        if PyTuple_Check(value):
            if self.item is None and self.places is None:
                return value
            changed = False
        elif PyList_Check(value):
            changed = True
        else:
            note(run, place, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        if changed and not self.quiet:
            note(run, place, "type", self.expected, value, "fixed")
        items = items_of(value)
        size = len(items)
        spend(run, size)
        if self.length >= 0 and size != self.length:
            say(
                run, place, "length", f"{self.expected} of {self.length}", value, "kept",
                f"{type_name(value)} of {size}",
            )
        if self.item is None and self.places is None:
            result = tuple(items)
        else:
            said = said_by(run)
            self.visit_items(items, run, place)
            if not changed:
                for i in range(size):
                    if items[i] is not <object>PyTuple_GET_ITEM(value, i):
                        changed = PyTuple_CheckExact(value)
                        if not changed:
                            # A tuple of a subclass is not rebuilt.
                            unsay(run, said, place, "value", self.expected, value)
                        break
            result = tuple(items) if changed else value
        remember(run, value, self, result)
        return result

    cdef int visit_items(self, list items, Run *run, Place *up) except -1:
        cdef Place place
        cdef Step step
        cdef Py_ssize_t i
        if self.item is not None:
            return visit_list(items, self.item, run, up)
        place.up, place.key = up, NULL
        for i in range(min(<Py_ssize_t>len(items), self.length)):
            step = self.places[i]
            if step is not None:
                place.index = i
                items[i] = step.visit(items[i], run, &place)
        return 0


cdef bint collide(list items) except -1:
    """Return whether so many hashes are equal that a dict or set of `items` would take quadratic time.

    The limits are those of `codecs.safety.keys`: a record may have many dicts.
    """
    cdef list hashes
    if len(items) <= SMALL:
        return False
    # This takes linear time: the set contains hashes as integers, and equal integers are found at once.
    hashes = [hash(item) for item in items]
    return len(items) - len(set(hashes)) >= KEY_ATTACK and max(Counter(hashes).values()) > KEY_ATTACK


cdef class SetStep(Step):
    """A set or frozenset. A list is converted only if its items are distinct and their hashes do not collide."""

    cdef Step item
    cdef type kind

    def __init__(self, str expected, type kind, Step item=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.kind, self.item = kind, item

    cdef bint fits(self, object value):
        return is_a(value, self.kind)

    cdef bint takes(self, object value):
        return PyList_Check(value) or PyTuple_Check(value) or PyAnySet_Check(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        look.left -= 1
        if not self.takes(value):
            return LOSS
        return (0 if self.fits(value) else 1 if self.quiet else CHANGE) + misfit_of_items(
            self.item, items_of(value), look
        )

    cdef object visit(self, object value, Run *run, Place *place):
        cdef list items
        cdef bint changed = not self.fits(value)
        cdef object seen, result
        cdef Py_ssize_t said
        if changed and not self.takes(value):
            note(run, place, "type", self.expected, value, "kept")
            return value
        if not changed and self.item is None:
            return value
        if run.memo is not NULL and (seen := recall(run, value, self)) is not None:
            return seen
        items = items_of(value)
        spend(run, len(items))
        said = said_by(run)
        if self.item is not None:
            changed |= self.visit_items(items, run, place)
        if not changed:
            return value
        result = self.build(items)
        if result is None:
            unsay(run, said, place, "value", self.expected, value)
            result = value
        elif not self.quiet:
            note(run, place, "type", self.expected, value, "fixed")
        remember(run, value, self, result)
        return result

    cdef bint visit_items(self, list items, Run *run, Place *up) except -1:
        """Correct the items, and return whether any was replaced."""
        cdef Place place
        cdef bint changed = False
        place.up, place.key, place.index = up, NULL, -1
        for i in range(len(items)):
            new = self.item.visit(items[i], run, &place)
            if new is not items[i]:
                items[i] = new
                changed = True
        return changed

    cdef object build(self, list items):
        try:
            if collide(items):
                return None
            made = self.kind(items)
        except Exception:
            # Items that cannot be hashed or compared may raise any error.
            return None
        return made if len(made) == len(items) else None


cdef class DictStep(Step):
    """A map. Its keys are converted in place, in their order, and its values are corrected."""

    cdef Step key
    cdef Step value
    cdef Py_ssize_t limit

    def __init__(self, str expected, Step key, Step value, Py_ssize_t limit):
        Step.__init__(self, expected)
        self.key, self.value, self.limit = key, value, limit

    cdef bint fits(self, object value):
        return PyDict_Check(value)

    cdef long long misfit(self, object value, Look *look) except -1:
        cdef PyObject *key = NULL
        cdef PyObject *item = NULL
        cdef Py_ssize_t position = 0
        cdef object name, held
        cdef long long misfit = VAGUE
        look.left -= 1
        if not PyDict_Check(value):
            return LOSS
        while look.left > 0 and PyDict_Next(value, &position, &key, &item):
            # Keep references, because comparisons may run code that changes the map.
            name, held = <object>key, <object>item
            misfit += misfit_of(self.key, name, look) + misfit_of(self.value, held, look)
        return misfit

    cdef object visit(self, object value, Run *run, Place *up):
        cdef Place place
        cdef PyObject *key = NULL
        cdef PyObject *item = NULL
        cdef Py_ssize_t position = 0
        cdef object name, old, new
        if not PyDict_Check(value):
            note(run, up, "type", self.expected, value, "kept")
            return value
        if run.memo is not NULL:
            if recall(run, value, self) is not None:
                return value
            remember(run, value, self, value)
        spend(run, PyDict_Size(value))
        if self.key is not None:
            while PyDict_Next(value, &position, &key, NULL):
                if not self.key.fits(<object>key):
                    self.try_keys(value, run, up)
                    break
            if self.key.looks and run.advice is not NULL:
                position = 0
                place.up, place.index = up, 0
                while PyDict_Next(value, &position, &key, NULL):
                    place.key = key
                    if self.key.fits(<object>key):
                        self.key.visit(<object>key, run, &place)
        if self.value is not None:
            position = 0
            place.up, place.index = up, 0
            while PyDict_Next(value, &position, &key, &item):
                name, old = <object>key, <object>item
                place.key = key
                new = self.value.visit(old, run, &place)
                if new is not old:
                    PyDict_SetItem(value, name, new)
        return value

    cdef int try_keys(self, object value, Run *run, Place *up) except -1:
        """Convert the keys, unless one of them cannot be hashed or compared."""
        cdef Py_ssize_t said = said_by(run)
        try:
            self.turn_keys(value, run, up)
        except Exception:
            unsay(run, said, up, "key", f"{self.key.expected} keys", value)
        return 0

    cdef int turn_keys(self, object value, Run *run, Place *up) except -1:
        cdef Place place
        cdef list names, turned
        cdef Py_ssize_t i
        # Do not call `__iter__` of a subclass, except for OrderedDict, which keeps its own order.
        cdef type kind = OrderedDict if is_a(value, OrderedDict) else dict
        place.up, place.key = up, NULL
        names = list(kind.__iter__(value))
        if len(names) > self.limit:
            note(run, up, "limit", f"{self.expected} of at most {self.limit} keys", value, "could not", True)
            return 0
        place.index = 0
        turned = [name if self.key.fits(name) else self.as_key(name) for name in names]
        if collide([name if type(new) is _Mark else new for name, new in zip(names, turned)]):
            note(run, up, "limit", f"{self.key.expected} keys", value, "could not", True)
            return 0
        fresh = {}
        for i in range(len(names)):
            name, new = names[i], turned[i]
            if new is not name:
                place.key = <PyObject *>name
                new = self.turn_key(name, new, value, fresh, run, &place)
            fresh[new] = dict.__getitem__(value, name)
        if len(fresh) == len(names):
            refill(value, fresh)
        return 0

    cdef object as_key(self, object name):
        new = self.key.attempt(name)
        try:
            hash(new)
        except Exception:
            # A signaling NaN is a Decimal, but cannot be hashed.
            return BAD
        return new

    cdef object turn_key(self, object name, object new, object value, dict fresh, Run *run, Place *place):
        """Return the new key, or the old one if there is no new one or it would replace another key."""
        expected = f"{self.key.expected} key"
        if type(new) is _Mark:
            note(run, place, "key", expected, name, "kept", True)
            return name
        # A member of an IntEnum equals the number that it is converted from, so it replaces no other key.
        if new in fresh or (PyDict_Contains(value, new) and new != name):
            say(run, place, "key", expected, name, "kept", f"a second {brief(new)}")
            return name
        if not self.key.quiet:
            note(run, place, "key", expected, name, "fixed")
        return new


cdef int refill(object value, dict fresh) except -1:
    """Replace the contents of a dict, without calls of a subclass's methods."""
    if is_a(value, OrderedDict):
        OrderedDict.clear(value)
        for name, item in fresh.items():
            OrderedDict.__setitem__(value, name, item)
    else:
        PyDict_Clear(value)
        PyDict_Update(value, fresh)
    return 0
