# Records in the form that the compiled part of Apache Thrift's library uses (lib/py/src/ext/protocol.tcc): it
# reads attributes of structs in the order of their numbers, and makes frozen structs by a call with all fields.


cdef class Row:
    """The values of a record as attributes, which can only be read in their order."""

    cdef tuple names
    cdef list values
    cdef Py_ssize_t at

    def __getattribute__(self, name):
        cdef Py_ssize_t at = self.at
        if at < len(self.names) and (self.names[at] is name or self.names[at] == name):
            self.at = at + 1
            return self.values[at]
        raise AttributeError(name)


cdef Row row(tuple names, list values):
    cdef Row made = Row.__new__(Row)
    made.names, made.values = names, values
    return made


cdef class ToRow(Fields):
    """Converts a record to a row, in which missing fields are None.

    Args:
        fields: In order of their numbers. One with `null` says whether the value of its key is None.
        places: Whether records are tuples.

    Raises:
        MisfitError: As for `ToDict`.
    """

    cdef tuple names

    def __init__(self, fields, places=False):
        cdef Field field
        super().__init__(fields, places)
        self.names = tuple([field.name for field in self.fields])

    cdef object turn(self, object record):
        cdef dict source = self.opened(record)
        cdef list values = []
        cdef Field field
        cdef PyObject *found
        cdef Py_ssize_t known = 0
        for field in self.fields:
            found = PyDict_GetItemWithError(source, field.key)
            if field.null:
                values.append(True if found is not NULL and <object>found is None else None)
                continue
            if found is NULL:
                if field.required:
                    raise MisfitError("a required field is missing", field.part())
                values.append(None)
                continue
            known += 1
            try:
                values.append(turned(field.step, <object>found))
            except Exception as error:
                raise placed(error, field.part()) from error.__cause__
        if known != PyDict_Size(source):
            raise self.lacking(source)
        return row(self.names, values)


cdef class ToOptionRow(Options):
    """Converts a value to a row of all options, all None except one.

    Args:
        options: In order.
        names: Names of the options, in order of their numbers.
    """

    cdef tuple names
    cdef dict places

    def __init__(self, options, names):
        super().__init__(options)
        self.names = tuple(names)
        self.places = {name: i for i, name in enumerate(self.names)}

    cdef object turn(self, object value):
        cdef Field option
        cdef list values = [None] * len(self.names)
        option, made = self.taken(value)
        values[self.places[option.name]] = made
        return row(self.names, values)


cdef class ToBox(Step):
    """Converts a value to a row that contains only this value, for places where Thrift has no None.

    Args:
        step: Converts values other than None.
        name: Name of the value in the row.
    """

    cdef Step step
    cdef tuple names

    def __init__(self, Step step, str name):
        self.step, self.names = step, (name,)

    cdef object turn(self, object value):
        return row(self.names, [None if value is None else turned(self.step, value)])


cdef class FromBox(ToBox):
    """Converts the dict that was read from such a row to the value."""

    cdef object turn(self, object value):
        if value:
            return turned(self.step, value[self.names[0]])
        if isinstance(self.step, (Maybe, Null)):
            return None
        raise MisfitError("a required field is missing", self.names[0])


cdef class FromFields(FromDict):
    """Converts a dict to a record as `FromDict` does, but missing and None fields are not in the dict.

    Raises:
        MisfitError: A required field is missing that cannot be None, because its step is not `Maybe` or `Null`.
    """

    cdef object turn(self, object value):
        cdef dict source = value, made = {}
        cdef Field field
        cdef PyObject *found
        for field in self.fields:
            found = PyDict_GetItemWithError(source, field.name)
            if found is not NULL:
                made[field.key] = turned(field.step, <object>found)
            elif field.required:
                if not isinstance(field.step, (Maybe, Null)):
                    raise MisfitError("a required field is missing", field.part())
                made[field.key] = None
            elif field.null and source.get(field.null):
                made[field.key] = None
        return self.built(made)


cdef class Making:
    """Replaces ``__new__`` of a class, so that a call of the class with fields returns a step's result."""

    cdef Step step

    def __init__(self, Step step):
        self.step = step

    def __call__(self, _cls, /, **fields):
        return self.step.turn(fields)


cdef class Text(Step):
    """Converts UTF-8 to text.

    Raises:
        UnicodeDecodeError: It is not UTF-8.
    """

    cdef object turn(self, object value):
        cdef bytes data = value
        return data.decode("utf-8")


cdef class Chain(Step):
    """Two steps, one after the other."""

    cdef Step first
    cdef Step second

    def __init__(self, Step first, Step second):
        self.first, self.second = first, second

    cdef object turn(self, object value):
        return turned(self.second, turned(self.first, value))

