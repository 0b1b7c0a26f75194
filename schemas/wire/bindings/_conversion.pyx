# cython: language_level=3, binding=False, embedsignature=True, boundscheck=False, wraparound=False, auto_pickle=False, nonecheck=True
"""Compiled conversions between records and the objects of libraries that need a schema.

A conversion is a tree of steps, one for each kind of a layout; the `bakeoff.schemas.wire.bindings` put it together.
Where nothing is to be done the place of a step is None. Writing checks what it is given, as libraries differ
in what they take without a word; reading trusts the library. Nesting is that of the schema, but where a
record holds itself: there it ends with a `RecursionError` before the stack does.
"""

from ....codecs.conventions.classes import opened as fields_of_object
from ....codecs.errors import TooMuchError

from cpython.dict cimport PyDict_CheckExact, PyDict_Size
from cpython.long cimport PyLong_CheckExact
from cpython.object cimport PyObject

from libc.math cimport INFINITY

from ....codecs.safety._stack cimport RESERVE, stack_left

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(object, object) except? NULL
    int PyFloat_CheckExact(object)
    void Py_LeaveRecursiveCall()
    long long PyLong_AsLongLongAndOverflow(object, int *) except? -1


class MisfitError(ValueError):
    """A value that the schema has no room for; `path` leads to it."""

    def __init__(self, reason, path=""):
        super().__init__(reason)
        self.reason, self.path = reason, path

    def __str__(self):
        return f"at `${self.path}`: {self.reason}"


cdef object placed(object error, str part):
    """Return the error of a value within another, with the part of the path that leads from there to it."""
    if isinstance(error, TooMuchError | RecursionError):
        return error
    if isinstance(error, MisfitError):
        error.path = part + error.path
        return error
    made = MisfitError(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__, part)
    made.__cause__ = error
    return made


cdef class Step:
    """Turns a value into what stands for it."""

    cdef object turn(self, object value):
        raise NotImplementedError

    def __call__(self, value, /):
        return self.turn(value)


cdef inline object turned(Step step, object value):
    return value if step is None else step.turn(value)


cdef extern from *:
    """
    /* CPython gives 1 where it is too deep, not -1 as it says. */
    static int bakeoff_enter(const char *where) { return Py_EnterRecursiveCall(where) ? -1 : 0; }
    #ifdef _MSC_VER
    static __declspec(thread) int bakeoff_levels, bakeoff_refusals;
    #else
    static _Thread_local int bakeoff_levels, bakeoff_refusals;
    #endif
    """
    # Records within records of their own kind that this thread is in; options that refused a value which no other
    # one has taken so far.
    int levels "bakeoff_levels"
    int refusals "bakeoff_refusals"
    int enter_call "bakeoff_enter"(const char *where) except -1

cdef enum:
    # A value that no option takes is tried as each of them at each level above: two to the power of these.
    MOST_REFUSED = 10_000


cdef inline int enter() except -1:
    """Enter a record within another of its own kind."""
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
    """Count a value that an option refused, where that option may hold others that refuse theirs."""
    global refusals
    if levels:
        refusals += 1
        if refusals > MOST_REFUSED:
            raise RecursionError("a record was tried too often as an option of a union")
    return 0


cdef inline void accept(int before) noexcept:
    """Forget the options that refused a value which another one has taken."""
    global refusals
    refusals = before


cdef class Within(Step):
    """Placeholder for the step of a record within itself.

    Attributes:
        step: That step, once it is made; None where there is nothing to do.
    """

    cdef public Step step

    cdef object turn(self, object value):
        enter()
        try:
            return turned(self.step, value)
        finally:
            leave()


cdef class Call(Step):
    """Turns leaves by a callable.

    Args:
        function: ``(value) -> value``.
        kind: The type that values must have, or None: the callable sees to that.
    """

    cdef object function
    cdef object kind

    def __init__(self, function, kind=None):
        self.function, self.kind = function, kind

    cdef object turn(self, object value):
        if self.kind is not None and not isinstance(value, self.kind):
            raise MisfitError(f"expected {self.kind.__name__}, got {type(value).__name__}")
        return self.function(value)


cdef class Exact(Step):
    """Lets values of one type pass, and as that type those of its subclasses.

    Args:
        kind: The type; not int, float or bool.
    """

    cdef type kind

    def __init__(self, kind):
        self.kind = kind

    cdef object turn(self, object value):
        if type(value) is self.kind:
            return value
        if isinstance(value, self.kind):
            return self.kind(value)
        raise MisfitError(f"expected {self.kind.__name__}, got {type(value).__name__}")


cdef class Bool(Step):
    """Lets True and False pass."""

    cdef object turn(self, object value):
        if value is True or value is False:
            return value
        raise MisfitError(f"expected bool, got {type(value).__name__}")


cdef class Null(Step):
    """Lets None pass, or writes what stands for it.

    Args:
        written: What stands for it.
    """

    cdef object written

    def __init__(self, written=None):
        self.written = written

    cdef object turn(self, object value):
        if value is None:
            return self.written
        raise MisfitError(f"expected None, got {type(value).__name__}")


cdef class Int(Step):
    """Lets integers of some width pass.

    Args:
        bits: Of the width, with its sign: 32 or 64.
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
    """Lets floats pass, and turns integers into floats where these are equal.

    Args:
        bits: Of the width: 32 or 64; a finite number has to stay one.
    """

    cdef double most

    def __init__(self, bits=64):
        # The least double that is rounded to infinity is half a step beyond the greatest float.
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
    """Lets None pass, and turns all else."""

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef object turn(self, object value):
        return None if value is None else turned(self.step, value)


cdef class Each(Step):
    """Turns the items of a list, or of whatever can be iterated over.

    Args:
        kind: What holds them afterwards: list, tuple, set or frozenset.
        step: For an item.
        among: What must hold them before, or None for anything.
    """

    cdef object kind
    cdef Step step
    cdef object among

    def __init__(self, kind, Step step, among=None):
        self.kind, self.step, self.among = kind, step, among

    cdef object turn(self, object value):
        cdef list made
        cdef Py_ssize_t i = 0
        if self.among is not None and not isinstance(value, self.among):
            raise MisfitError(f"expected {self.among.__name__}, got {type(value).__name__}")
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
    """Turns the keys and values of a dict.

    Args:
        key: For a key.
        value: For a value.
        distinct: Whether two keys that become one are refused.
    """

    cdef Step key
    cdef Step value
    cdef bint distinct

    def __init__(self, Step key, Step value, bint distinct=False):
        self.key, self.value, self.distinct = key, value, distinct

    cdef object turn(self, object value):
        cdef dict made = {}
        if not isinstance(value, dict):
            raise MisfitError(f"expected dict, got {type(value).__name__}")
        for key, item in value.items():
            try:
                made[turned(self.key, key)] = turned(self.value, item)
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        if self.distinct and len(made) != len(value):
            raise MisfitError("two keys become the same")
        return made


cdef class ToPairs(Step):
    """Turns a dict into a list of pairs, for formats whose maps have keys of text only.

    Args:
        key: For a key.
        value: For a value.
        names: What key and value are called in a pair.
    """

    cdef Step key
    cdef Step value
    cdef tuple names

    def __init__(self, Step key, Step value, names=("key", "value")):
        self.key, self.value, self.names = key, value, names

    cdef object turn(self, object value):
        cdef list made = []
        name, name_of_value = self.names
        if not isinstance(value, dict):
            raise MisfitError(f"expected dict, got {type(value).__name__}")
        for key, item in value.items():
            try:
                made.append({name: turned(self.key, key), name_of_value: turned(self.value, item)})
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        return made


cdef class FromPairs(ToPairs):
    """Turns a list of such pairs into a dict."""

    cdef object turn(self, object value):
        name, name_of_value = self.names
        return {turned(self.key, pair[name]): turned(self.value, pair[name_of_value]) for pair in value}


cdef class Field:
    """A field of a record, or an option of a choice.

    Args:
        key: In the record: its name, or its place in a tuple.
        name: On the wire.
        step: Turns its value, None of what may be None included; not that of what is missing.
        required: Whether it is always there.
        null: Name of the field that says that it is None and not missing; "" where there is none.
        kinds: Of an option: the types of its values in records.
        absent: What stands on the wire for a missing one.
    """

    cdef object key
    cdef str name
    cdef Step step
    cdef bint required
    cdef str null
    cdef tuple kinds
    cdef object absent

    def __init__(self, key, name, Step step, required=True, null="", kinds=(), absent=None):
        self.key, self.name, self.step, self.required, self.null = key, name, step, required, null
        self.kinds, self.absent = tuple(kinds), absent

    cdef str part(self):
        return f".{self.key}" if isinstance(self.key, str) else f"[{self.key}]"


cdef class Fields(Step):
    """What turns the fields of a record.

    Args:
        fields: In order.
        places: Whether records are tuples.
        build: Makes the record of a dict of its fields; None where it is a dict, or a tuple.
    """

    cdef tuple fields
    cdef bint places
    cdef object build

    def __init__(self, fields, places=False, build=None):
        self.fields, self.places, self.build = tuple(fields), places, build

    cdef dict opened(self, object record):
        """Return the fields of a record that is to be written, by key."""
        cdef Field field
        if PyDict_CheckExact(record):
            return <dict>record
        if self.places and isinstance(record, (tuple, list)):
            if len(record) != len(self.fields):
                raise MisfitError(f"expected {len(self.fields)} places, got {len(record)}")
            return dict(enumerate(record))
        if isinstance(record, dict):
            return dict(record)
        found, known = {}, fields_of_object(record)
        for field in self.fields:
            if isinstance(known, dict):
                value = known.get(field.key, Ellipsis)
            else:
                value = getattr(record, field.key, Ellipsis) if isinstance(field.key, str) else Ellipsis
            if value is not Ellipsis:
                found[field.key] = value
        if not found and self.fields:
            raise MisfitError(f"expected {'tuple' if self.places else 'dict'}, got {type(record).__name__}")
        return found

    cdef object lacking(self, dict record):
        """Return the error for a record that has other keys than those of the fields."""
        cdef Field field
        keys = {field.key for field in self.fields}
        return MisfitError(f"the schema has no field {next(key for key in record if key not in keys)!r:.60}")

    cdef object built(self, dict fields):
        """Return the record that was read, of its fields by key."""
        if self.places:
            fields_in_order = tuple(fields.values())
            return fields_in_order if self.build is None else self.build(*fields_in_order)
        return fields if self.build is None else self.build(fields)


cdef class ToDict(Fields):
    """Turns a record into a dict by the names on the wire; what is missing is None there.

    Raises:
        MisfitError: A required field is missing, or one is there that the schema does not know.
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
    """Turns a dict by the names on the wire into a record."""

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
    """What finds the option that a value is to be written as: the first of its type that takes it.

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
        """Return the options of a value's type, of which there is one at least."""
        cdef Field option
        cdef list found = self.by_type.get(type(value))
        if found is None:
            found = [option for option in self.options if isinstance(value, option.kinds)]
        if not found:
            raise MisfitError(f"the schema has no {type(value).__name__} there")
        return found

    cdef tuple taken(self, object value):
        """Return the option and what it makes of the value."""
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
    """Turns a dict of all options by name, None in all but one, into the value."""

    cdef object turn(self, object value):
        cdef Field option
        for option in self.options:
            if (item := value.get(option.name)) is not None:
                return turned(option.step, item)
        raise MisfitError("no option of the union is present")


cdef class ToBranch(Step):
    """Turns a value into the pair of a branch's name and what stands there.

    Args:
        name: The branch's.
        step: For the value.
        null: What None is turned into, where it may be; None where it may not.
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
    """Turns a value into the pair of the name of the first branch that takes it and what stands there.

    Args:
        options: The branches, in order, by their names.
        null: As of `ToBranch`.
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
    """Turns what stands in a named branch, with its name or without, into the value."""

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef object turn(self, object value):
        if type(value) is tuple:
            _, value = value
        return turned(self.step, value)


cdef class FromBranches(Step):
    """Turns what stands in one of several branches into the value: pairs by their names, all else by its type.

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
    """Turns a value into a dict of one field."""

    cdef str name
    cdef Step step

    def __init__(self, name, Step step):
        self.name, self.step = name, step

    cdef object turn(self, object value):
        return {self.name: turned(self.step, value)}


cdef class Unwrap(Wrap):
    """Turns such a dict into the value."""

    cdef object turn(self, object value):
        return turned(self.step, value[self.name])


include "_thrift.pxi"
include "_arrow.pxi"
include "_protobuf.pxi"
