# Convert between records and messages of Protocol Buffers, whose attributes are the fields.
#
# upb looks up each attribute among the fields first. So methods are called unbound: `has`, for example, is
# `HasField` of the message's class, and `mark` is `SetInParent`.

from sys import intern

from cpython.object cimport PyObject_GetAttr, PyObject_IsTrue, PyObject_SetAttr
from cpython.unicode cimport PyUnicode_CheckExact

cdef object _WHOLE = slice(None)

cdef enum:
    # Messages of a field that are read together: upb takes the longer for each, the more are referred to.
    AT_ONCE = 1000

cdef object _FIRST = slice(AT_ONCE)

cdef enum:
    # The type whose values need no conversion.
    ANYTHING_TURNED
    EXACT_TEXT
    EXACT_INT
    EXACT_FLOAT
    EXACT_BOOL
    EXACT_BYTES

_EXACTLY = {str: EXACT_TEXT, int: EXACT_INT, float: EXACT_FLOAT, bool: EXACT_BOOL, bytes: EXACT_BYTES}

cdef inline bint _fits(int exact, object value):
    if exact == EXACT_TEXT:
        return PyUnicode_CheckExact(value)
    if exact == EXACT_INT:
        return PyLong_CheckExact(value)
    if exact == EXACT_FLOAT:
        return PyFloat_CheckExact(value)
    if exact == EXACT_BOOL:
        return value is True or value is False
    if exact == EXACT_BYTES:
        return type(value) is bytes
    return False


# Writing --------------------------------------------------------------------------------------------

cdef class Into:
    """Writes a value into a message that represents it."""

    cdef int into(self, object message, object value) except -1:
        raise NotImplementedError


cdef class Put:
    """Writes a value into a field of a message."""

    cdef str name

    def __init__(self, name):
        self.name = intern(name)

    cdef int put(self, object message, object value) except -1:
        raise NotImplementedError


cdef class Part(Field):
    """A field of a message. Other arguments are as for `Field`.

    Args:
        put: Writes the value.
        get: Converts the content of the field; None if it is the value.
        nullable: Whether the value may be None, for which the field is not set.
        has: `HasField` of the message's class, if the field may be unset; else None.
        falsy: Whether an unset field reads as a false value, so that `has` need not be called for true ones.
        among: Name of the group of fields of which at most one is present; "" if it is not in a group.
    """

    cdef Put put
    cdef Step get
    cdef bint nullable
    cdef object has
    cdef bint falsy
    cdef str among

    def __init__(self, key, name, Put put, Step get, *, nullable=False, has=None, falsy=False, among="", **rest):
        super().__init__(key, intern(name), None, **rest)
        self.put, self.get, self.nullable, self.among = put, get, nullable, among
        self.has, self.falsy, self.null = has, falsy, intern(self.null)

    cdef int set(self, object message, object value) except -1:
        if value is None and self.nullable:
            if self.null:
                PyObject_SetAttr(message, self.null, True)
            return 0
        return self.put.put(message, value)

    cdef object read(self, object message):
        """Return the value, or Ellipsis if the field is not set."""
        if self.has is None:
            return turned(self.get, PyObject_GetAttr(message, self.name))
        if self.falsy:
            value = PyObject_GetAttr(message, self.name)
            if PyObject_IsTrue(value) or self.has(message, self.name):
                return turned(self.get, value)
            return ...
        if self.has(message, self.name):
            return turned(self.get, PyObject_GetAttr(message, self.name))
        return ...


cdef class PutLeaf(Put):
    """Sets a field.

    Args:
        step: Converts the value.
        exact: The type whose values need no step: they fit, or upb refuses them.
    """

    cdef Step step
    cdef int exact

    def __init__(self, name, Step step, exact=None):
        super().__init__(name)
        self.step, self.exact = step, _EXACTLY.get(exact, ANYTHING_TURNED)

    cdef int put(self, object message, object value) except -1:
        PyObject_SetAttr(message, self.name, value if _fits(self.exact, value) else turned(self.step, value))
        return 0


cdef class PutNothing(Put):
    """Accepts None, for which nothing is written."""

    cdef int put(self, object message, object value) except -1:
        if value is not None:
            raise MisfitError(f"expected None, got {type(value).__name__}")
        return 0


cdef class PutMessage(Put):
    """Fills the message of a field.

    Args:
        inside: Writes the message.
        mark: `SetInParent` of its class; None if the message always has a field set.
    """

    cdef Into inside
    cdef object mark

    def __init__(self, name, Into inside, mark=None):
        super().__init__(name)
        self.inside, self.mark = inside, mark

    cdef int put(self, object message, object value) except -1:
        held = PyObject_GetAttr(message, self.name)
        self.inside.into(held, value)
        if self.mark is not None:
            self.mark(held)
        return 0


cdef class PutValues(PutLeaf):
    """Writes a list of items without parts.

    Args:
        step: Converts an item.
        exact: As for `PutLeaf`.
        among: The type that the items' container must have.
        extend: `extend` of the class of the field's container.
    """

    cdef object among
    cdef object extend

    def __init__(self, name, Step step, exact, among, extend):
        super().__init__(name, step, exact)
        self.among, self.extend = among, extend

    cdef int put(self, object message, object value) except -1:
        cdef Py_ssize_t i = 0
        cdef list made = []
        if type(value) is not self.among:
            if not isinstance(value, self.among):
                raise MisfitError(f"expected {self.among.__name__}, got {type(value).__name__}")
            value = plain_of(value)
        try:
            for item in value:
                made.append(item if _fits(self.exact, item) else turned(self.step, item))
                i += 1
        except Exception as error:
            raise placed(error, f"[{i}]") from error.__cause__
        if made:
            self.extend(PyObject_GetAttr(message, self.name), made)
        return 0


cdef class PutMessages(Put):
    """Writes a list of items, each into a separate message.

    Args:
        inside: Writes an item.
        among: As for `PutValues`.
        add: `add` of the class of the field's container.
    """

    cdef Into inside
    cdef object among
    cdef object add

    def __init__(self, name, Into inside, among, add):
        super().__init__(name)
        self.inside, self.among, self.add = inside, among, add

    cdef int put(self, object message, object value) except -1:
        cdef Py_ssize_t i = 0
        if type(value) is not self.among:
            if not isinstance(value, self.among):
                raise MisfitError(f"expected {self.among.__name__}, got {type(value).__name__}")
            value = plain_of(value)
        field = PyObject_GetAttr(message, self.name)
        try:
            for item in value:
                self.inside.into(self.add(field), item)
                i += 1
        except Exception as error:
            raise placed(error, f"[{i}]") from error.__cause__
        return 0


cdef class PutItems(Put):
    """Writes a dict as a map.

    Args:
        key: Converts a key.
        value: Converts a value without parts.
        inside: Writes any other value.
    """

    cdef Step key
    cdef Step value
    cdef Into inside

    def __init__(self, name, Step key, Step value=None, Into inside=None):
        super().__init__(name)
        self.key, self.value, self.inside = key, value, inside

    cdef int put(self, object message, object value) except -1:
        if not PyDict_CheckExact(value):
            value = dict_of(value)
        field = PyObject_GetAttr(message, self.name)
        for key, item in value.items():
            try:
                if self.inside is None:
                    field[turned(self.key, key)] = turned(self.value, item)
                else:
                    self.inside.into(field[turned(self.key, key)], item)
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        if len(field) != len(value):
            raise MisfitError("two keys become the same")
        return 0


cdef class PutPairs(Put):
    """Writes a dict as messages of a key and a value.

    Args:
        add: As for `PutMessages`.
    """

    cdef Part key
    cdef Part value
    cdef object add

    def __init__(self, name, Part key, Part value, add):
        super().__init__(name)
        self.key, self.value, self.add = key, value, add

    cdef int put(self, object message, object value) except -1:
        if not PyDict_CheckExact(value):
            value = dict_of(value)
        field = PyObject_GetAttr(message, self.name)
        for key, item in value.items():
            try:
                pair = self.add(field)
                self.key.set(pair, key)
                self.value.set(pair, item)
            except Exception as error:
                raise placed(error, "{" + str(key)[:40] + "}") from error.__cause__
        return 0


cdef class IntoMessage(Into):
    """Writes a record.

    Args:
        fields: In order.
        places: Whether records are tuples.

    Raises:
        MisfitError: As for `ToDict`, or two fields are present of which at most one may be.
    """

    cdef Fields fields
    cdef bint excludes

    def __init__(self, fields, places=False):
        cdef Part part
        self.fields = Fields(fields, places)
        self.excludes = any([part.among for part in self.fields.fields])

    cdef int into(self, object message, object record) except -1:
        cdef dict source = self.fields.opened(record)
        cdef Part part = None
        cdef PyObject *found
        cdef Py_ssize_t known = 0
        try:
            for part in self.fields.fields:
                found = PyDict_GetItemWithError(source, part.key)
                if found is not NULL:
                    known += 1
                    part.set(message, <object>found)
                elif part.required:
                    raise MisfitError("a required field is missing")
        except Exception as error:
            raise placed(error, part.part()) from error.__cause__
        if known != PyDict_Size(source):
            raise self.fields.lacking(source)
        if self.excludes:
            self.check(source)
        return 0

    cdef int check(self, dict source) except -1:
        cdef Part part
        there = {}
        for part in self.fields.fields:
            if part.among and part.key in source:
                if part.among in there:
                    raise MisfitError(f"at most one of {there[part.among]} and {part.key} may be present")
                there[part.among] = part.key
        return 0


cdef class IntoOption(Into):
    """Writes a value as the option of its type that fits best."""

    cdef Options options

    def __init__(self, options):
        self.options = Options(options)

    cdef int into(self, object message, object value) except -1:
        cdef Part option
        cdef int before = refusals
        refused = None
        for option in self.options.fitting(value):
            try:
                option.put.put(message, value)
            except (TypeError, ValueError) as error:
                refused = error
                refuse()
            else:
                accept(before)
                return 0
        raise refused


cdef class IntoWithin(Into):
    """Placeholder for the writer of a record within itself.

    Attributes:
        inside: That writer, once it is made.
    """

    cdef public Into inside

    cdef int into(self, object message, object value) except -1:
        if self.inside is None:
            raise ValueError("not made: what writes the record is still to come")
        enter()
        try:
            return self.inside.into(message, value)
        finally:
            leave()


cdef class IntoValue(Into):
    """Writes a value into the only field of the message that represents it."""

    cdef Part part

    def __init__(self, Part part):
        self.part = part

    cdef int into(self, object message, object value) except -1:
        return self.part.set(message, value)


cdef class IntoMoment(Into):
    """Writes a datetime as seconds and nanoseconds.

    Args:
        step: Converts it to microseconds since 1970.
    """

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef int into(self, object message, object value) except -1:
        seconds, rest = divmod(self.step.turn(value), 1_000_000)
        message.seconds, message.nanos = seconds, rest * 1000
        return 0


cdef class ToMessage(Step):
    """Converts a record to a message."""

    cdef object cls
    cdef Into inside

    def __init__(self, cls, Into inside):
        self.cls, self.inside = cls, inside

    cdef object turn(self, object value):
        message = self.cls()
        self.inside.into(message, value)
        return message


cdef class ToPayload(ToMessage):
    """Converts a record, or a message, to a payload.

    Args:
        cls: The message's class.
        inside: Writes the message; None if messages are converted.
        adopt: Raises an error for a message of another class that does not fit.
        options: Options of ``SerializeToString``, or None.
        weight: Weight of the message, which refuses payloads that nest too deeply to be read.
    """

    cdef object write
    cdef object adopt
    cdef dict options
    cdef Weight weight

    def __init__(self, cls, Into inside, adopt, options, Weight weight not None):
        super().__init__(cls, inside)
        self.write, self.adopt, self.options, self.weight = cls.SerializeToString, adopt, options, weight

    cdef object turn(self, object value):
        if self.inside is not None:
            message = self.cls()
            self.inside.into(message, value)
        else:
            message = value
            if type(message) is not self.cls:
                self.adopt(message)
        payload = self.write(message, **self.options) if self.options else self.write(message)
        if self.weight.nests:
            # Refuse to write payloads that nest too deeply to be read.
            self.weight.check(payload, 1 << 62)
        return payload


# Reading --------------------------------------------------------------------------------------------

cdef class Nothing(Step):
    """Converts any value to None."""

    cdef object turn(self, object value):
        return None


cdef class Lookup(Step):
    """Converts values by a table. Values of one type also pass if they are not in it.

    Args:
        table: Converted values by values.
        others: That type.
    """

    cdef dict table
    cdef type others

    def __init__(self, table, others):
        self.table, self.others = dict(table), others

    cdef object turn(self, object value):
        if type(value) is not self.others:
            return self.of(value)
        return self.table.get(value, value)

    cdef object of(self, object value):
        try:
            return self.table[value]
        except (KeyError, TypeError):
            raise MisfitError(f"none of {', '.join(map(str, self.table))}: {value!r:.60}") from None


cdef class FromValues(Step):
    """Reads a field of several items.

    Args:
        kind: As for `Each`.
        step: Converts an item.
        guard: Raises an error if too many items have the same hash; None if that cannot happen or do harm.
    """

    cdef object kind
    cdef Step step
    cdef object guard

    def __init__(self, kind, Step step, guard=None):
        self.kind, self.step, self.guard = kind, step, guard

    cdef object turn(self, object value):
        cdef list made
        cdef Py_ssize_t start
        if self.step is None:
            made = value[_WHOLE]
        else:
            made = [self.step.turn(item) for item in value[_FIRST]]
            if len(made) == AT_ONCE:
                for start in range(AT_ONCE, len(value), AT_ONCE):
                    made += [self.step.turn(item) for item in value[start:start + AT_ONCE]]
        if self.kind is list:
            return made
        if self.guard is not None:
            self.guard(made)
        return self.kind(made)


cdef class FromItems(Step):
    """Reads a map.

    Args:
        guard: As for `FromValues`, for the keys.
    """

    cdef Step key
    cdef Step value
    cdef object guard

    def __init__(self, Step key, Step value, guard=None):
        self.key, self.value, self.guard = key, value, guard

    cdef object turn(self, object value):
        cdef list keys = list(value)
        if self.guard is not None:
            self.guard([turned(self.key, key) for key in keys])
        return {turned(self.key, key): turned(self.value, value[key]) for key in keys}


cdef class FromEntries(Step):
    """Reads messages of a key and a value.

    Args:
        guard: As for `FromValues`, for the keys.
    """

    cdef Part key
    cdef Part value
    cdef object guard

    def __init__(self, Part key, Part value, guard=None):
        self.key, self.value, self.guard = key, value, guard

    cdef object turn(self, object value):
        cdef list keys = []
        cdef dict made = {}
        for pair in value:
            key = self.key.read(pair)
            keys.append(None if key is ... else key)
        if self.guard is not None:
            self.guard(keys)
        for key, pair in zip(keys, value, strict=True):
            item = self.value.read(pair)
            made[key] = None if item is ... else item
        return made


cdef class FromMessage(Fields):
    """Reads a record; fields as for `IntoMessage`."""

    cdef object turn(self, object message):
        cdef dict made = {}
        cdef Part part
        for part in self.fields:
            value = part.read(message)
            if value is not ...:
                made[part.key] = value
            elif part.required or (part.null and PyObject_GetAttr(message, part.null)):
                made[part.key] = None
        return self.built(made)


cdef class FromChosen(Step):
    """Reads the one option that is set.

    Args:
        options: In order, each with `has`.
    """

    cdef tuple options

    def __init__(self, options):
        self.options = tuple(options)

    cdef object turn(self, object message):
        cdef Part option
        for option in self.options:
            value = option.read(message)
            if value is not ...:
                return value
        raise MisfitError("no option of the union is present")


cdef class FromValue(Step):
    """Reads the value that a message represents."""

    cdef Part part

    def __init__(self, Part part):
        self.part = part

    cdef object turn(self, object message):
        value = self.part.read(message)
        return None if value is ... else value


cdef class FromMoment(Step):
    """Reads a datetime, truncated to microseconds.

    Args:
        step: Converts it from microseconds since 1970.
    """

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    cdef object turn(self, object message):
        return self.step.turn(message.seconds * 1_000_000 + message.nanos // 1000)


cdef unsigned long long _varint(const unsigned char **at, const unsigned char *end):
    """Return the number at an address, and advance the address past it."""
    cdef unsigned long long value = 0
    cdef int shift = 0
    while at[0] < end:
        byte = at[0][0]
        at[0] += 1
        if shift < 64:
            value |= <unsigned long long>(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return value


cdef enum:
    # Levels of messages below the outermost one: upb's own limit, beyond which it calls a payload malformed.
    DEEPEST_MESSAGE = 100
    # For messages that nest no deeper than their definition.
    AS_DEFINED = 1 << 30
    TOO_DEEP_MESSAGE = -1


cdef class Weight:
    """Counts the values in the payload of a message: fields, items, messages, and values read for absent fields.

    Args:
        own: The count for an empty message.
    """

    cdef long long own
    cdef long long most
    cdef dict fields
    cdef bint nests

    def __init__(self, own):
        self.own = self.most = own
        self.fields = {}
        self.nests = False

    def holds(self, int number, held, bint always=False):
        """Declare the content of a field whose payload has a length.

        Args:
            number: Number of the field.
            held: The `Weight` of a message, or the bytes of a packed item, 0 for varints.
            always: Whether a message is read even if the field is absent.
        """
        self.fields[number] = held
        if isinstance(held, Weight):
            self.own += (<Weight>held).own if always else 0
            self.most = max(self.most, self.own, (<Weight>held).most)

    def nested(self, others):
        """Declare that the message may contain itself.

        Args:
            others: The weights of all messages that it may contain.
        """
        cdef Weight each
        self.nests = True
        for each in others:
            self.most = max(self.most, each.own)

    cdef int check(self, bytes data, object items) except -1:
        cdef Py_ssize_t size = len(data)
        cdef long long held
        # The most values per byte are in an empty message, which takes two bytes.
        if not self.nests and self.own + size + size // 2 * self.most <= items:
            return 0
        held = self.count(data, size, min(items, 1 << 62), DEEPEST_MESSAGE if self.nests else AS_DEFINED)
        if held == TOO_DEEP_MESSAGE:
            raise RecursionError(f"messages nest more than {DEEPEST_MESSAGE} deep")
        if held > items:
            raise TooMuchError(f"more than {items:,} values")
        return 0

    cdef long long count(self, const unsigned char *data, Py_ssize_t size, long long limit, int levels):
        """Return the number of values, one above `limit` if there are more, or any if the payload is malformed.

        `TOO_DEEP_MESSAGE` is returned for messages nested more than `levels` deep.
        """
        cdef long long held = self.own, within
        cdef unsigned long long tag, length
        cdef const unsigned char *end = data + size
        cdef const unsigned char *stop
        cdef Weight inside
        while data < end and held <= limit:
            tag = _varint(&data, end)
            held += 1
            if tag & 7 == 0:
                _varint(&data, end)
            elif tag & 7 == 1:
                data += 8
            elif tag & 7 == 5:
                data += 4
            elif tag & 7 == 2:
                length = _varint(&data, end)
                if length > <unsigned long long>(end - data):
                    break
                stop = data + length
                kind = self.fields.get(tag >> 3)
                if isinstance(kind, Weight):
                    if levels == 0:
                        return TOO_DEEP_MESSAGE
                    inside = kind
                    within = inside.count(data, <Py_ssize_t>length, limit - held, levels - 1)
                    if within == TOO_DEEP_MESSAGE:
                        return within
                    held += within
                elif kind == 0:
                    for i in range(<Py_ssize_t>length):
                        held += data[i] < 0x80
                elif kind is not None:
                    held += <long long>length // <int>kind
                data = stop
        return held


cdef class FromPayload(Step):
    """Converts a payload to a record, or to a message.

    Args:
        cls: The message's class.
        step: Converts the message; None to return the message.
        weight: Weight of the message.
    """

    cdef object read
    cdef Step step
    cdef Weight weight

    def __init__(self, cls, Step step, Weight weight):
        self.read, self.step, self.weight = cls.FromString, step, weight

    def __call__(self, bytes data, /, *, items=1_000_000):
        """Read a payload.

        Raises:
            TooMuchError: More values than `items`.
            RecursionError: It nests more deeply than upb reads.
        """
        self.weight.check(data, items)
        return turned(self.step, self.read(data))
