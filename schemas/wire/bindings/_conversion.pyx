# cython: language_level=3, binding=False, embedsignature=True, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Compiled conversions between records and the objects of libraries that need a schema.

A conversion is a tree of steps, one for each kind in a layout; the modules of `bakeoff.schemas.wire.bindings`
build it. A step is None if there is nothing to convert. Writing checks values, because libraries differ in what
they accept without an error; reading trusts the library. The schema limits nesting, except in recursive records:
these raise a `RecursionError` before the stack overflows.
"""

from ....codecs.conventions.classes import named_fields, opened as values_of
from ....codecs.conventions.families import EXACT, exact_form
from ....codecs.errors import TooMuchError

from cpython.dict cimport PyDict_CheckExact, PyDict_Size
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject

from libc.math cimport INFINITY

from ....codecs._stack cimport RESERVE, stack_left

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object, object) except? NULL
    int PyFloat_CheckExact(object)
    void Py_LeaveRecursiveCall()
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1


class MisfitError(ValueError):
    """A value does not fit the schema; `path` leads to it."""

    def __init__(self, reason, path=""):
        super().__init__(reason)
        self.reason, self.path = reason, path

    def __str__(self):
        return f"at `${self.path}`: {self.reason}"


cdef object placed(object error, str part):
    """Return an error as a `MisfitError` with `part` in front of its path. Errors of limits are not changed."""
    if isinstance(error, TooMuchError | RecursionError):
        return error
    if isinstance(error, MisfitError):
        error.path = part + error.path
        return error
    made = MisfitError(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, part)
    made.__cause__ = error
    return made


cdef class Step:
    """Converts a value."""

    cdef object turn(self, object value):
        raise NotImplementedError

    def __call__(self, value, /):
        return self.turn(value)


cdef inline object turned(Step step, object value):
    return value if step is None else step.turn(value)


cdef object plain_of(object value):
    """Return a value of a subclass with methods of its own as the type that it extends; others unchanged."""
    form = exact_form(type(value))
    return value if form is None else form(value)


cdef object dict_of(object value):
    """Return the same of a dict, or raise `MisfitError` for another value."""
    if not isinstance(value, dict):
        raise MisfitError(f"expected dict, got {type(value).__name__}")
    return plain_of(value)


cdef extern from *:
    """
    /* CPython returns 1 if the recursion is too deep, not -1 as documented. */
    static int bakeoff_enter(const char *where) { return Py_EnterRecursiveCall(where) ? -1 : 0; }
    #ifdef _MSC_VER
    static __declspec(thread) int bakeoff_levels, bakeoff_refusals;
    #else
    static _Thread_local int bakeoff_levels, bakeoff_refusals;
    #endif
    """
    # Of this thread: the nesting depth of recursive records, and the number of times that an option refused a value
    # which no other option has accepted yet.
    int levels "bakeoff_levels"
    int refusals "bakeoff_refusals"
    int enter_call "bakeoff_enter"(const char *where) except -1

cdef enum:
    # A value that no option accepts is tried again for each option of each level above, so the number of attempts
    # is exponential.
    MOST_REFUSED = 10_000


cdef inline int enter() except -1:
    """Enter a record within one of its own kind, or raise `RecursionError`."""
    if stack_left() < RESERVE:
        raise RecursionError("a record nests more deeply than this thread's stack goes")
    enter_call(" in a record within itself")
    global levels, refusals
    if levels == 0:
        refusals = 0
    levels += 1
    return 0


cdef inline void leave() noexcept:
    global levels
    levels -= 1
    Py_LeaveRecursiveCall()


cdef inline int refuse() except -1:
    """Count a value that an option refused in a recursive record, where refusals multiply with the levels."""
    global refusals
    if levels:
        refusals += 1
        if refusals > MOST_REFUSED:
            raise RecursionError("a record was tried too often as an option of a union")
    return 0


cdef inline void accept(int before) noexcept:
    """Discount the refusals of a value that another option has accepted."""
    global refusals
    refusals = before


cdef class Within(Step):
    """Placeholder for the step of a record within itself.

    Attributes:
        step: That step, once it is made; None if there is nothing to convert.
    """

    cdef public Step step

    cdef object turn(self, object value):
        enter()
        try:
            return turned(self.step, value)
        finally:
            leave()


cdef class Call(Step):
    """Converts leaves with a callable.

    Args:
        function: ``(value) -> value``.
        kind: The type that values must have; None if the callable checks them.
    """

    cdef object function
    cdef object kind

    def __init__(self, function, kind=None):
        self.function, self.kind = function, kind

    cdef object turn(self, object value):
        if self.kind is not None and type(value) is not self.kind:
            if not isinstance(value, self.kind):
                raise MisfitError(f"expected {self.kind.__name__}, got {type(value).__name__}")
            value = plain_of(value)
        return self.function(value)


cdef class Exact(Step):
    """Passes values of one type, and converts those of its subclasses to it.

    Args:
        kind: The type; not int, float or bool.
    """

    cdef type kind
    cdef object exact

    def __init__(self, kind):
        self.kind, self.exact = kind, EXACT[kind]

    cdef object turn(self, object value):
        if type(value) is self.kind:
            return value
        if isinstance(value, self.kind):
            return self.exact(value)
        raise MisfitError(f"expected {self.kind.__name__}, got {type(value).__name__}")


cdef class Bool(Step):
    """Passes True and False."""

    cdef object turn(self, object value):
        if value is True or value is False:
            return value
        raise MisfitError(f"expected bool, got {type(value).__name__}")


cdef class Null(Step):
    """Converts None to the value that represents it.

    Args:
        written: That value.
    """

    cdef object written

    def __init__(self, written=None):
        self.written = written

    cdef object turn(self, object value):
        if value is None:
            return self.written
        raise MisfitError(f"expected None, got {type(value).__name__}")


cdef class Int(Step):
    """Passes integers that fit a width.

    Args:
        bits: The width, including the sign: 32 or 64.
    """

    cdef int bits
    cdef long long low
    cdef long long high

    def __init__(self, bits=64):
        self.bits = bits
        self.low, self.high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1

    cdef object turn(self, object value):
        cdef int over = 0
        cdef long long number
        if not PyLong_CheckExact(value):
            if isinstance(value, bool) or not isinstance(value, int):
                raise MisfitError(f"expected int, got {type(value).__name__}")
            value = int.__int__(value)
        number = PyLong_AsLongLongAndOverflow(value, &over)
        if over or number < self.low or number > self.high:
            raise MisfitError(f"an integer of {value.bit_length()} bits does not fit in {self.bits}")
        return value


cdef class Float(Step):
    """Passes floats, and converts integers to floats if they are equal.

    Args:
        bits: The width: 32 or 64. A finite number must remain finite.
    """

    cdef double most

    def __init__(self, bits=64):
        # The smallest double that is rounded to infinity is half a step above the largest float.
        self.most = 3.4028235677973366e38 if bits == 32 else 0.0

    cdef object turn(self, object value):
        cdef object number
        if PyFloat_CheckExact(value):
            number = value
        elif isinstance(value, float):
            number = float.__float__(value)
        elif isinstance(value, int) and not isinstance(value, bool) and (number := float(value)) == value:
            pass
        else:
            raise MisfitError(f"expected float, got {type(value).__name__}")
        if self.most and self.most <= abs(<double>number) < INFINITY:
            raise MisfitError("a float does not fit in 32 bits")
        return number


cdef class Maybe(Step):
    """Passes None, and converts all other values."""

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef object turn(self, object value):
        return None if value is None else turned(self.step, value)


cdef class Each(Step):
    """Converts the items of a list, or of any iterable.

    Args:
        kind: Container of the result: list, tuple, set or frozenset.
        step: Converts an item.
        among: The type that the iterable must have, or None for any.
    """

    cdef object kind
    cdef Step step
    cdef object among

    def __init__(self, kind, Step step, among=None):
        self.kind, self.step, self.among = kind, step, among

    cdef object turn(self, object value):
        cdef list made
        cdef Py_ssize_t i = 0
        if self.among is not None and type(value) is not self.among:
            if not isinstance(value, self.among):
                raise MisfitError(f"expected {self.among.__name__}, got {type(value).__name__}")
            value = plain_of(value)
        if self.step is None:
            return value if type(value) is self.kind else self.kind(value)
        made = []
        try:
            for item in value:
                made.append(self.step.turn(item))
                i += 1
        except Exception as error:
            raise placed(error, f"[{i}]") from error.__cause__
        return made if self.kind is list else self.kind(made)


cdef class Items(Step):
    """Converts the keys and values of a dict.

    Args:
        key: Converts a key.
        value: Converts a value.
        distinct: Whether to refuse two keys that become the same.
    """

    cdef Step key
    cdef Step value
    cdef bint distinct

    def __init__(self, Step key, Step value, bint distinct=False):
        self.key, self.value, self.distinct = key, value, distinct

    cdef object turn(self, object value):
        cdef dict made = {}
        if not PyDict_CheckExact(value):
            value = dict_of(value)
        for key, item in value.items():
            try:
                made[turned(self.key, key)] = turned(self.value, item)
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        if self.distinct and len(made) != len(value):
            raise MisfitError("two keys become the same")
        return made


cdef class ToPairs(Step):
    """Converts a dict to a list of pairs, for formats whose maps have only text keys.

    Args:
        key: Converts a key.
        value: Converts a value.
        names: Names of the key and the value in a pair.
    """

    cdef Step key
    cdef Step value
    cdef tuple names

    def __init__(self, Step key, Step value, names=("key", "value")):
        self.key, self.value, self.names = key, value, names

    cdef object turn(self, object value):
        cdef list made = []
        name, name_of_value = self.names
        if not PyDict_CheckExact(value):
            value = dict_of(value)
        for key, item in value.items():
            try:
                made.append({name: turned(self.key, key), name_of_value: turned(self.value, item)})
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        return made


cdef class FromPairs(ToPairs):
    """Converts a list of such pairs to a dict."""

    cdef object turn(self, object value):
        name, name_of_value = self.names
        return {turned(self.key, pair[name]): turned(self.value, pair[name_of_value]) for pair in value}


cdef class Field:
    """A field of a record, or an option of a union.

    Args:
        key: Its key in the record: its name, or its position in a tuple.
        name: Its name on the wire.
        step: Converts its value, including None if that is allowed. A missing field is not converted.
        required: Whether it is always present.
        null: Name of the field that says that it is None and not missing; "" if there is none.
        kinds: For an option, the types of its values in records.
        fit: For an option, makes a function that returns how far a value is from one that comes back exactly.
        absent: The value on the wire if it is missing.
    """

    cdef object key
    cdef str name
    cdef Step step
    cdef bint required
    cdef str null
    cdef tuple kinds
    cdef object fit
    cdef object compare
    cdef object absent

    def __init__(self, key, name, Step step, required=True, null="", kinds=(), absent=None, fit=None):
        self.key, self.name, self.step, self.required, self.null = key, name, step, required, null
        self.kinds, self.fit, self.absent = tuple(kinds), fit, absent

    cdef long long misfit(self, object value) except -1:
        """Return how far a value is from one that comes back exactly."""
        if self.compare is None:
            # Made when it is first needed: most unions have one option for each type.
            self.compare = self.fit()
        return self.compare(value)

    cdef str part(self):
        return f".{self.key}" if isinstance(self.key, str) else f"[{self.key}]"


cdef class Fields(Step):
    """Base class of the conversions of a record's fields.

    Args:
        fields: In order.
        places: Whether records are tuples.
        build: Makes the record from a dict of its fields, or from its values if records are tuples; None if it
            is a plain dict or tuple.
    """

    cdef tuple fields
    cdef bint places
    cdef Py_ssize_t size
    cdef object build

    def __init__(self, fields, places=False, build=None):
        cdef Field field
        self.fields, self.places, self.build = tuple(fields), places, build
        # One more field may say that the value of another is None.
        self.size = len({field.key for field in self.fields})

    cdef dict opened(self, object record):
        """Return the fields of a record to be written, by key."""
        cdef Field field
        if PyDict_CheckExact(record):
            return <dict>record
        if self.places:
            row = record if isinstance(record, (tuple, list)) else values_of(record)
            if not isinstance(row, (tuple, list)):
                raise MisfitError(f"expected tuple, got {type(record).__name__}")
            row = plain_of(row)
            if len(row) != self.size:
                raise MisfitError(f"expected {self.size} places, got {len(row)}")
            return dict(enumerate(row))
        if isinstance(record, dict):
            return dict(plain_of(record))
        if (known := named_fields(record)) is not None:
            return known
        found = {}
        for field in self.fields:
            value = getattr(record, field.key, Ellipsis) if isinstance(field.key, str) else Ellipsis
            if value is not Ellipsis:
                found[field.key] = value
        if not found and self.fields:
            raise MisfitError(f"expected dict, got {type(record).__name__}")
        return found

    cdef object lacking(self, dict record):
        """Return the error for a record with a key that is not in the schema."""
        cdef Field field
        keys = {field.key for field in self.fields}
        return MisfitError(f"the schema has no field {next(key for key in record if key not in keys)!r:.60}")

    cdef object built(self, dict fields):
        """Make the record that was read from its fields by key."""
        made = tuple(fields.values()) if self.places else fields
        if self.build is None:
            return made
        try:
            return self.build(*made) if self.places else self.build(fields)
        except Exception:
            return made  # The class refuses what was written; advice says so.


cdef class ToDict(Fields):
    """Converts a record to a dict by the names on the wire, with `absent` for missing fields.

    Raises:
        MisfitError: A required field is missing, or a field is not in the schema.
    """

    cdef object turn(self, object record):
        cdef dict source = self.opened(record), made = {}
        cdef Field field
        cdef PyObject *found
        cdef Py_ssize_t known = 0
        for field in self.fields:
            found = PyDict_GetItemWithError(source, field.key)
            if found is NULL:
                if field.required:
                    raise MisfitError("a required field is missing", field.part())
                made[field.name] = field.absent
                if field.null:
                    made[field.null] = False
                continue
            known += 1
            try:
                made[field.name] = turned(field.step, <object>found)
            except Exception as error:
                raise placed(error, field.part()) from error.__cause__
            if field.null:
                made[field.null] = <object>found is None
        if known != PyDict_Size(source):
            raise self.lacking(source)
        return made


cdef class FromDict(Fields):
    """Converts a dict by the names on the wire to a record."""

    cdef object turn(self, object value):
        cdef dict source = value, made = {}
        cdef Field field
        cdef PyObject *found
        for field in self.fields:
            found = PyDict_GetItemWithError(source, field.name)
            item = None if found is NULL else <object>found
            if item is None and not field.required:
                if field.null and source.get(field.null):
                    made[field.key] = None
                continue
            made[field.key] = turned(field.step, item)
        return self.built(made)


cdef class Options(Step):
    """Finds the option of a union for a value: of those of its type that accept it, the one that fits best.

    Args:
        options: In order.
    """

    cdef tuple options
    cdef dict by_type

    def __init__(self, options):
        cdef Field option
        self.options, self.by_type = tuple(options), {}
        for option in self.options:
            for kind in option.kinds:
                self.by_type.setdefault(kind, []).append(option)

    cdef list fitting(self, object value):
        """Return the options of a value's type, the best fit first, or raise `MisfitError` if there is none."""
        cdef Field option
        cdef long long least
        cdef list found = self.by_type.get(type(value))
        if found is None:
            found = [option for option in self.options if isinstance(value, option.kinds)]
        if not found:
            raise MisfitError(f"the schema has no {type(value).__name__} there")
        if PyList_GET_SIZE(found) == 1:
            return found
        least = (<Field>found[0]).misfit(value)
        for option in found[1:]:
            if option.misfit(value) < least:
                return sorted(found, key=lambda option: (<Field>option).misfit(value))
        return found

    cdef tuple taken(self, object value):
        """Return the option that accepts the value, and the converted value."""
        cdef Field option
        cdef int before = refusals
        refused = None
        for option in self.fitting(value):
            try:
                made = turned(option.step, value)
            except (TypeError, ValueError) as error:
                refused = error
                refuse()
            else:
                accept(before)
                return option, made
        raise refused


cdef class FromOption(Options):
    """Converts a dict of all options by name, all None except one, to the value."""

    cdef object turn(self, object value):
        cdef Field option
        for option in self.options:
            if (item := value.get(option.name)) is not None:
                return turned(option.step, item)
        raise MisfitError("no option of the union is present")


cdef class ToBranch(Step):
    """Converts a value to a pair of the branch's name and the converted value.

    Args:
        name: Name of the branch.
        step: Converts the value.
        null: The pair for None, or None if None is not allowed.
    """

    cdef str name
    cdef Step step
    cdef tuple null

    def __init__(self, name, Step step, null=None):
        self.name, self.step, self.null = name, step, null

    cdef object turn(self, object value):
        if value is None and self.null is not None:
            return self.null
        return self.name, turned(self.step, value)


cdef class ToBranches(Options):
    """Converts a value to a pair of the name of the branch that fits best and the converted value.

    Args:
        options: The branches, in order, by their names.
        null: As for `ToBranch`.
    """

    cdef tuple null

    def __init__(self, options, null=None):
        super().__init__(options)
        self.null = null

    cdef object turn(self, object value):
        cdef Field option
        if value is None and self.null is not None:
            return self.null
        option, made = self.taken(value)
        return option.name, made


cdef class FromBranch(Step):
    """Converts the content of a named branch, with or without its name, to the value."""

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef object turn(self, object value):
        if type(value) is tuple:
            _, value = value
        return turned(self.step, value)


cdef class FromBranches(Step):
    """Converts the content of one of several branches to the value: pairs by their names, others by their types.

    Args:
        named: Steps by the names of branches.
        typed: Steps by types on the wire.
    """

    cdef dict named
    cdef dict typed

    def __init__(self, named, typed):
        self.named, self.typed = dict(named), dict(typed)

    cdef object turn(self, object value):
        if type(value) is tuple:
            name, item = value
            return turned(self.named[name], item)
        return turned(self.typed[type(value)], value)


cdef class Wrap(Step):
    """Converts a value to a dict of one field."""

    cdef str name
    cdef Step step

    def __init__(self, name, Step step):
        self.name, self.step = name, step

    cdef object turn(self, object value):
        return {self.name: turned(self.step, value)}


cdef class Unwrap(Wrap):
    """Converts such a dict to the value."""

    cdef object turn(self, object value):
        return turned(self.step, value[self.name])


include "_thrift.pxi"
include "_arrow.pxi"
include "_protobuf.pxi"
