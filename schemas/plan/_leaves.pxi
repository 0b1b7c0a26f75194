# Values without parts: convert them from the forms in which formats write them.

cdef type DateTime = _dt.datetime
cdef type Date = _dt.date
cdef type Decimal = _decimal.Decimal
cdef type UUID = _uuid.UUID
# `Context.create_decimal` takes a third of the time of `Decimal(text)`, and rounds nothing at this precision.
cdef object decimal_of = _decimal.Context(
    prec=_decimal.MAX_PREC, Emax=_decimal.MAX_EMAX, Emin=_decimal.MIN_EMIN, clamp=0,
    traps=[_decimal.InvalidOperation, _decimal.Inexact, _decimal.Overflow, _decimal.Underflow],
).create_decimal
# A subclass may override these methods.
cdef object is_finite = Decimal.is_finite
cdef object adjusted = Decimal.adjusted
cdef object UTC = _dt.timezone.utc
cdef object from_iso = _dt.datetime.fromisoformat
cdef object EPOCH = _dt.datetime(1970, 1, 1, tzinfo=UTC)
cdef object NAIVE_EPOCH = _dt.datetime(1970, 1, 1)
cdef object int_slot = UUID.int
cdef object safe_slot = UUID.is_safe
cdef object unknown_safety = _uuid.SafeUUID.unknown

cdef unsigned char[256] HEX
cdef int _i
for _i in range(256):
    HEX[_i] = 255
for _i in range(10):
    HEX[48 + _i] = _i
for _i in range(6):
    HEX[97 + _i] = 10 + _i
    HEX[65 + _i] = 10 + _i


cdef class ExactLeaf(Leaf):
    """Instances of one class."""

    cdef object kind

    def __init__(self, str expected, kind, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.kind = kind

    cdef bint fits(self, object value):
        return is_a(value, self.kind)


cdef class CallLeaf(ExactLeaf):
    """Instances of one class. A Python function converts other values; it raises `ConversionError` for
    malformed values, and TypeError for types that it does not support."""

    cdef object function
    cdef tuple forms

    def __init__(self, str expected, kind, function, *, tuple forms=(str,), bint quiet=False):
        ExactLeaf.__init__(self, expected, kind, quiet=quiet)
        self.function, self.forms = function, forms

    cdef bint conventional(self, object value):
        return type(value) in self.forms

    cdef object convert(self, object value):
        cdef Py_ssize_t size = 0
        if PyUnicode_Check(value):
            size = PyUnicode_GET_LENGTH(value)
        elif PyBytes_Check(value) or PyByteArray_Check(value):
            size = Py_SIZE(value)
        if size > LONGEST_CALL:
            return OVER
        try:
            return self.function(value)
        except TypeError:
            return NONE


cdef class KeptLeaf(ExactLeaf):
    """Instances of one class that a Python function accepts, to compare values with options of unions.

    Others of the class are written in another form, and so changed.
    """

    cdef object keeps

    def __init__(self, str expected, kind, keeps):
        ExactLeaf.__init__(self, expected, kind)
        self.keeps = keeps

    cdef bint fits(self, object value):
        return ExactLeaf.fits(self, value) and bool(self.keeps(value))

    cdef object convert(self, object value):
        return value if ExactLeaf.fits(self, value) else NONE


cdef class BoolLeaf(Leaf):
    cdef bint fits(self, object value):
        return PyBool_Check(value)

    cdef object convert(self, object value):
        if type(value) is str:
            return True if value == "true" else False if value == "false" else BAD
        return NONE


cdef class NoneLeaf(Leaf):
    """None, and the text that represents it in formats without a null."""

    cdef str null

    def __init__(self, str expected, str null=None, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.null = null

    cdef bint fits(self, object value):
        return value is None

    cdef object convert(self, object value):
        if self.null is not None and type(value) is str:
            return None if value == self.null else BAD
        return NONE


cdef class IntLeaf(Leaf):
    """Integers. Canonical decimal text is converted if it is not too long, and a float if it is exact."""

    cdef Py_ssize_t digits
    cdef bint key

    def __init__(self, str expected, Py_ssize_t digits, *, bint key=False, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.digits, self.key = digits, key

    cdef bint fits(self, object value):
        return PyLong_CheckExact(value) or (PyLong_Check(value) and not PyBool_Check(value))

    cdef object visit(self, object value, Run *run, Place *place):
        if PyLong_CheckExact(value) or self.fits(value):
            return value
        return self.settle(value, run, place)

    cdef bint conventional(self, object value):
        # Only integers beyond 64 bits are written as text, with 19 digits or more; keys are always text.
        return type(value) is str and (self.key or PyUnicode_GET_LENGTH(value) > 18)

    cdef object convert(self, object value):
        if type(value) is str:
            return self.parse(value)
        if PyFloat_CheckExact(value) and not self.key:
            exact = -9007199254740992.0 <= <double>value <= 9007199254740992.0 and value.is_integer()
            return int(value) if exact and str(value) != "-0.0" else BAD
        return NONE

    cdef object parse(self, str text):
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0
        cdef const unsigned char *data
        if not PyUnicode_IS_COMPACT_ASCII(text) or size == 0:
            return BAD
        data = PyUnicode_1BYTE_DATA(text)
        if data[0] == b"-":
            i = 1
        if i == size or (data[i] == b"0" and size > 1):
            return BAD
        if size - i > self.digits:
            return OVER
        while i < size:
            if not b"0" <= data[i] <= b"9":
                return BAD
            i += 1
        try:
            return int(text)
        except ValueError:
            # The interpreter has its own limit, which `sys.set_int_max_str_digits` may lower.
            return OVER


cdef class FloatLeaf(Leaf):
    cdef bint fits(self, object value):
        return is_a(value, float)

    cdef object convert(self, object value):
        if PyLong_CheckExact(value):
            return float(value) if -9007199254740992 <= value <= 9007199254740992 else BAD
        if type(value) is str:
            if PyUnicode_GET_LENGTH(value) > 32:
                return BAD
            number = float(value)
            return number if repr(number) == value else BAD
        return NONE


cdef class SingleLeaf(FloatLeaf):
    """Floats that 32 bits hold exactly, to compare values with options of unions."""

    cdef bint fits(self, object value):
        return is_a(value, float) and (<double><float><double>value == <double>value or value != value)

    cdef object convert(self, object value):
        return NONE if PyUnicode_Check(value) else float(value)


cdef class StrLeaf(Leaf):
    cdef bint fits(self, object value):
        return PyUnicode_Check(value)

    cdef object convert(self, object value):
        if type(value) is bytes:
            return (<bytes>value).decode("utf-8")
        return NONE


cdef class BytesLeaf(ExactLeaf):
    """bytes or bytearray, from text in the declared encoding."""

    cdef object function
    cdef Py_ssize_t limit

    def __init__(self, str expected, type kind, function, Py_ssize_t limit, *, bint quiet=False):
        ExactLeaf.__init__(self, expected, kind, quiet=quiet)
        self.function, self.limit = function, limit

    cdef bint conventional(self, object value):
        return type(value) is str or (type(value) is bytes and self.kind is bytearray)

    cdef object convert(self, object value):
        if type(value) is str:
            if PyUnicode_GET_LENGTH(value) > self.limit:
                return OVER
            raw = self.function(value)
            return raw if self.kind is bytes else bytearray(raw)
        if PyBytes_Check(value) or PyByteArray_Check(value) or is_a(value, memoryview):
            return self.kind(value)
        return NONE


cdef class DateTimeLeaf(Leaf):
    """datetime, from ISO 8601 text or from a number when the schema gives its unit.

    Args:
        unit: Converts a number to the time since 1970.
        naive: Remove the UTC that the codec adds.
        aware: Whether an offset is expected, or None for either. Other values are kept, with advice.
    """

    cdef object unit
    cdef bint naive
    cdef object aware

    def __init__(self, str expected, unit=None, *, bint naive=False, aware=None, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.unit, self.naive, self.aware = unit, naive, aware
        self.looks = aware is not None

    cdef object visit(self, object value, Run *run, Place *place):
        if not self.fits(value):
            value = self.settle(value, run, place)
        if self.aware is not None and run.advice is not NULL and PyDateTime_Check(value):
            if (datetime_tzinfo(value) is not None) is not self.aware:
                wanted = "with an offset" if self.aware else "without offset"
                note(run, place, "value", f"{self.expected} {wanted}", value, "kept", True)
        return value

    cdef bint fits(self, object value):
        return PyDateTime_Check(value) and not (self.naive and datetime_tzinfo(value) is UTC)

    cdef bint conventional(self, object value):
        return type(value) is str or PyDateTime_Check(value) or self.unit is not None

    cdef object convert(self, object value):
        cdef const unsigned char *data
        cdef Py_ssize_t size
        if PyUnicode_CheckExact(value):
            size = PyUnicode_GET_LENGTH(value)
            if size > 48 or not PyUnicode_IS_COMPACT_ASCII(value):
                return BAD
            data = PyUnicode_1BYTE_DATA(value)
            made = parse_datetime(data, size)
            if made is not None:
                return made
            return from_iso(value) if fine_enough(data, size) else BAD
        if self.unit is not None and (PyLong_CheckExact(value) or PyFloat_CheckExact(value)):
            return (NAIVE_EPOCH if self.aware is False else EPOCH) + self.unit(value)
        if PyDateTime_Check(value):
            return value.replace(tzinfo=None)
        if type(value) is _dt.date:
            return DateTime(value.year, value.month, value.day)
        return NONE


cdef bint fine_enough(const unsigned char *data, Py_ssize_t size) noexcept:
    """Return whether no digit beyond microseconds would be lost. The fraction's position varies by form."""
    cdef Py_ssize_t i, last = size
    for i in range(size):
        if data[i] == b"." or data[i] == b",":
            last = i + 6
        elif not b"0" <= data[i] <= b"9":
            last = size
        elif i > last and data[i] != b"0":
            return False
    return True


cdef inline int digits(const unsigned char *data, int count) noexcept:
    """Return the value of `count` digits, or -1."""
    cdef int number = 0, i
    for i in range(count):
        if not b"0" <= data[i] <= b"9":
            return -1
        number = number * 10 + (data[i] - 48)
    return number


cdef object parse_datetime(const unsigned char *data, Py_ssize_t size):
    """Parse text in the form of `isoformat`, in UTC or without offset. Return None for any other form."""
    cdef int year, month, day, hour, minute, second, micro = 0
    cdef object zone = None
    if size >= 25 and data[size - 6] == b"+":
        if digits(data + size - 5, 2) != 0 or data[size - 3] != b":" or digits(data + size - 2, 2) != 0:
            return None
        zone = UTC
        size -= 6
    elif size >= 20 and data[size - 1] == b"Z":
        zone = UTC
        size -= 1
    if size == 26:
        micro = digits(data + 20, 6)
        if data[19] != b".":
            return None
    elif size != 19:
        return None
    if data[4] != b"-" or data[7] != b"-" or data[10] != b"T" or data[13] != b":" or data[16] != b":":
        return None
    year, month, day = digits(data, 4), digits(data + 5, 2), digits(data + 8, 2)
    hour, minute, second = digits(data + 11, 2), digits(data + 14, 2), digits(data + 17, 2)
    if (year | month | day | hour | minute | second | micro) < 0:
        return None
    return datetime_new(year, month, day, hour, minute, second, micro, zone)


cdef class DateLeaf(Leaf):
    """date, from ISO 8601 text, or from a datetime at midnight without an offset or fold."""

    cdef bint fits(self, object value):
        return PyDate_CheckExact(value) or (is_a(value, Date) and not PyDateTime_Check(value))

    cdef object convert(self, object value):
        cdef const unsigned char *data
        if PyUnicode_CheckExact(value):
            if PyUnicode_GET_LENGTH(value) != 10 or not PyUnicode_IS_COMPACT_ASCII(value):
                return BAD
            data = PyUnicode_1BYTE_DATA(value)
            if data[4] != b"-" or data[7] != b"-":
                return BAD
            return date_new(digits(data, 4), digits(data + 5, 2), digits(data + 8, 2))
        if PyDateTime_CheckExact(value) and is_midnight(value):
            return date_new(datetime_year(value), datetime_month(value), datetime_day(value))
        return BAD if PyDateTime_Check(value) else NONE


cdef bint is_midnight(object value):
    """Return whether a datetime contains only a date; an offset or a fold would be lost."""
    return datetime_tzinfo(value) is None and not (
        datetime_hour(value) | datetime_minute(value) | datetime_second(value) | datetime_microsecond(value)
        | datetime_fold(value)
    )


cdef class DecimalLeaf(Leaf):
    """Decimal, from decimal text. Digits and exponent are limited: ``int(Decimal("1E+1000000"))`` takes 25 s."""

    cdef Py_ssize_t digits
    cdef Py_ssize_t exponent
    cdef bint float_form

    def __init__(
        self, str expected, Py_ssize_t digits, Py_ssize_t exponent, *, bint float_form, bint quiet=False
    ):
        Step.__init__(self, expected, quiet=quiet)
        self.digits, self.exponent, self.float_form = digits, exponent, float_form

    cdef object visit(self, object value, Run *run, Place *place):
        if is_a(value, Decimal):
            if run.advice is not NULL and self.too_large(value):
                note(run, place, "limit", self.expected, value, "kept", True)
            return value
        return self.settle(value, run, place)

    cdef bint fits(self, object value):
        return is_a(value, Decimal)

    cdef bint too_large(self, object value):
        return is_finite(value) and not -self.exponent <= adjusted(value) <= self.exponent

    cdef bint conventional(self, object value):
        return type(value) is str or (self.float_form and type(value) is float)

    cdef object convert(self, object value):
        cdef object fault
        if PyUnicode_CheckExact(value):
            fault = self.scan(value)
            return decimal_of(value) if fault is None else fault
        if PyLong_CheckExact(value):
            return Decimal(value) if value.bit_length() < 3 * self.digits else OVER
        if PyFloat_CheckExact(value):
            return Decimal(repr(value))
        if type_name(value) == "Decimal128":
            return value.to_decimal()
        return NONE

    cdef object scan(self, str text):
        """Return None for plain decimal text within the limits, else BAD or OVER."""
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0, digits = 0, power = 0
        cdef const unsigned char *data
        if not PyUnicode_IS_COMPACT_ASCII(text) or size == 0:
            return BAD
        if size > self.digits + 16:
            return OVER
        data = PyUnicode_1BYTE_DATA(text)
        if data[0] == b"-" or data[0] == b"+":
            i = 1
        if i < size and (data[i] | 32) in (b"n", b"i", b"s"):
            return None
        while i < size and (b"0" <= data[i] <= b"9" or data[i] == b"."):
            digits += 1
            i += 1
        if digits > self.digits:
            return OVER
        if i < size:
            if (data[i] | 32) != b"e":
                return BAD
            i += 1
            if i < size and (data[i] == b"-" or data[i] == b"+"):
                i += 1
            while i < size:
                if not b"0" <= data[i] <= b"9":
                    return BAD
                power = power * 10 + (data[i] - 48)
                if power > self.exponent:
                    return OVER
                i += 1
        return None


cdef class UUIDLeaf(Leaf):
    cdef bint fits(self, object value):
        return is_a(value, UUID)

    cdef object convert(self, object value):
        if PyUnicode_CheckExact(value):
            return uuid_of(value)
        if type(value) is bytes and len(value) == 16:
            return UUID(bytes=value)
        return NONE


cdef object uuid_of(str text):
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text), i = 0, j
    cdef const unsigned char *data
    cdef unsigned char raw[16]
    cdef unsigned char high, low
    if not PyUnicode_IS_COMPACT_ASCII(text) or (size != 36 and size != 32):
        return BAD
    data = PyUnicode_1BYTE_DATA(text)
    for j in range(16):
        if size == 36 and (j == 4 or j == 6 or j == 8 or j == 10):
            if data[i] != b"-":
                return BAD
            i += 1
        high, low = HEX[data[i]], HEX[data[i + 1]]
        if (high | low) > 15:
            return BAD
        raw[j] = high << 4 | low
        i += 2
    # `UUID.__init__` takes 0.75 µs; setting the slots of a new object takes a sixth of that.
    made = (<_Allocating *><PyObject *>UUID).tp_alloc(<PyTypeObject *>UUID, 0)
    PyMember_SetOne(
        <char *><PyObject *>made, (<PyMemberDescrObject *><PyObject *>int_slot).d_member,
        _PyLong_FromByteArray(raw, 16, 0, 0),
    )
    PyMember_SetOne(
        <char *><PyObject *>made, (<PyMemberDescrObject *><PyObject *>safe_slot).d_member, unknown_safety
    )
    return made


cdef class EnumLeaf(ExactLeaf):
    """Members of one Enum, by a closed table of (type, value).

    Args:
        bits: For a Flag, the bits that combinations of its members may have.
        number: Reads a combination that is written as text.
    """

    cdef dict members
    cdef object bits
    cdef IntLeaf number

    def __init__(
        self, str expected, kind, dict members, *, bits=None, IntLeaf number=None, bint quiet=False
    ):
        ExactLeaf.__init__(self, expected, kind, quiet=quiet)
        self.members, self.bits, self.number = members, bits, number

    cdef bint conventional(self, object value):
        return True

    cdef object convert(self, object value):
        if type(value) is list:
            value = tuple(value)
        found = self.members.get((type(value), value))
        if found is None:
            return BAD if self.bits is None else self.combined(value)
        return found

    cdef object combined(self, object value):
        if type(value) is str and self.number.conventional(value):
            value = self.number.parse(value)
        return self.kind(value) if PyLong_CheckExact(value) and not value & ~self.bits else BAD


cdef class LiteralLeaf(Leaf):
    """One of several values; `texts` has those that are written as text, by that text."""

    cdef frozenset values
    cdef dict texts

    def __init__(self, str expected, tuple values, dict texts, *, bint quiet=False):
        Step.__init__(self, expected, quiet=quiet)
        self.values = frozenset((type(value), value) for value in values)
        self.texts = texts

    cdef bint fits(self, object value):
        cdef type kind = type(value)
        return (kind is str or kind is int or kind is bool or value is None) and (kind, value) in self.values

    cdef long long misfit(self, object value, Look *look) except -1:
        return 1 if self.fits(value) else Leaf.misfit(self, value, look)

    cdef object convert(self, object value):
        return self.texts.get(value, BAD) if type(value) is str else BAD
