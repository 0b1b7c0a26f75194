# Avro: specification 1.12, "Binary Encoding". The end of a value can only be found with its schema.

cdef enum:
    # Kinds of values by their encoding.
    OF_FIXED
    OF_BOOL
    OF_INT
    OF_LONG
    OF_BYTES
    OF_ENUM
    OF_UNION
    OF_RECORD
    OF_ARRAY
    OF_MAP

cdef enum:
    # Errors in a payload.
    CUT_SHORT = -1
    TOO_MUCH = -2
    NO_NUMBER = -3
    NO_BOOL = -4
    NO_BRANCH = -5
    NO_LENGTH = -6
    NO_BLOCK = -7
    TOO_DEEP = -8

_WRONG = {
    CUT_SHORT: "the payload ends within a value",
    NO_NUMBER: "a number of more bits than its type has",
    NO_BOOL: "a boolean that is neither 0 nor 1",
    NO_BRANCH: "a branch of a union or a symbol of an enum that the schema does not have",
    NO_LENGTH: "a text, bytes or block of less than no bytes",
    NO_BLOCK: "a block of another length than it says",
}

_AVRO = {
    "null": (OF_FIXED, 0), "boolean": (OF_BOOL, 0), "int": (OF_INT, 0), "long": (OF_LONG, 0),
    "float": (OF_FIXED, 4), "double": (OF_FIXED, 8), "bytes": (OF_BYTES, 0), "string": (OF_BYTES, 0),
}

ctypedef struct avro_t:
    int what
    # Bytes of a fixed value, or number of symbols, branches or fields.
    int64_t size
    # Index of its first part in `AvroEnds._parts`; the others follow.
    int parts


cdef class AvroEnds:
    """A scanner that finds the ends of values of one Avro schema, and limits their number and nesting.

    Args:
        schema: The schema, with full names.
        names: Named types by their full names.
    """

    cdef avro_t *_nodes
    cdef int *_parts
    cdef int _root

    def __init__(self, schema, names):
        cdef list nodes = [], parts = []
        cdef int i
        made = {}

        def add(node):
            if isinstance(node, str) and node in names:
                return made[node] if node in made else build(names[node])
            if isinstance(node, dict) and node.get("name") in names:
                return add(node["name"])
            return build(node)

        def build(node):
            if isinstance(node, list):
                return put(OF_UNION, [add(branch) for branch in node])
            kind = node["type"] if isinstance(node, dict) else node
            if kind == "record" or kind == "error":
                # Added before its fields, because their types may refer to it.
                nodes.append(None)
                i = made[node["name"]] = len(nodes) - 1
                fields = [add(field["type"]) for field in node["fields"]]
                nodes[i] = (OF_RECORD, len(fields), len(parts))
                parts.extend(fields)
                return i
            if kind == "array":
                return put(OF_ARRAY, [add(node["items"])])
            if kind == "map":
                return put(OF_MAP, [add(node["values"])])
            if kind == "fixed" or kind == "enum":
                nodes.append((OF_FIXED, node["size"], 0) if kind == "fixed" else (OF_ENUM, len(node["symbols"]), 0))
            else:
                nodes.append((*_AVRO[kind], 0))
            return len(nodes) - 1

        def put(what, own):
            nodes.append((what, len(own), len(parts)))
            parts.extend(own)
            return len(nodes) - 1

        self._root = add(schema)
        self._nodes = <avro_t *>PyMem_Malloc(len(nodes) * sizeof(avro_t))
        self._parts = <int *>PyMem_Malloc((len(parts) + 1) * sizeof(int))
        if self._nodes is NULL or self._parts is NULL:
            raise MemoryError
        for i in range(len(nodes)):
            self._nodes[i] = avro_t(nodes[i][0], nodes[i][1], nodes[i][2])
        for i in range(len(parts)):
            self._parts[i] = parts[i]

    def __dealloc__(self):
        PyMem_Free(self._nodes)
        PyMem_Free(self._parts)

    def end(self, bytes data not None, Py_ssize_t start, Py_ssize_t most, int deepest, /):
        """Return the end of the value that starts at an offset of data.

        Args:
            data: Bytes.
            start: Offset of the value.
            most: Maximum number of values, including keys and containers.
            deepest: Maximum levels of records, arrays and maps.

        Raises:
            TooMuchError: More values.
            RecursionError: Deeper nesting.
            ValueError: The data are not a value of the schema.
        """
        cdef int64_t at = start, left = most
        cdef int64_t size = PyBytes_GET_SIZE(data)
        at = self._walk(self._root, <const unsigned char *>PyBytes_AS_STRING(data), size, at, &left, deepest)
        if at == TOO_MUCH:
            raise TooMuchError(f"more than {most:,} values, the limit of items")
        if at == TOO_DEEP:
            raise RecursionError(f"records nest more than {deepest:,} deep")
        if at < 0:
            raise ValueError(_WRONG[at])
        return at

    cdef int64_t _walk(
        self, int index, const unsigned char *data, int64_t end, int64_t at, int64_t *left, int levels
    ) noexcept nogil:
        cdef avro_t *node = &self._nodes[index]
        cdef int64_t number, i
        left[0] -= 1
        if left[0] < 0:
            return TOO_MUCH
        if node.what == OF_FIXED:
            return at + node.size if node.size <= end - at else CUT_SHORT
        if node.what == OF_BOOL:
            if at >= end:
                return CUT_SHORT
            return at + 1 if data[at] <= 1 else NO_BOOL
        if OF_RECORD <= node.what <= OF_MAP:
            if levels == 0:
                return TOO_DEEP
            levels -= 1
        if node.what == OF_RECORD:
            left[0] -= node.size
            for i in range(node.size):
                at = self._walk(self._parts[node.parts + i], data, end, at, left, levels)
                if at < 0:
                    return at
            return at
        if node.what == OF_ARRAY or node.what == OF_MAP:
            return self._blocks(node, data, end, at, left, levels)
        # All other kinds begin with a number.
        at = _avro_long(data, end, at, &number)
        if at < 0:
            return at
        if node.what == OF_LONG:
            return at
        if node.what == OF_INT:
            return at if -(<int64_t>1 << 31) <= number < <int64_t>1 << 31 else NO_NUMBER
        if node.what == OF_BYTES:
            if number < 0:
                return NO_LENGTH
            return at + number if number <= end - at else CUT_SHORT
        if number < 0 or number >= node.size:
            return NO_BRANCH
        if node.what == OF_ENUM:
            return at
        return self._walk(self._parts[node.parts + number], data, end, at, left, levels)

    cdef int64_t _blocks(
        self, avro_t *node, const unsigned char *data, int64_t end, int64_t at, int64_t *left, int levels
    ) noexcept nogil:
        cdef int64_t count, size, i, stop
        cdef int part = self._parts[node.parts]
        cdef avro_t *item = &self._nodes[part]
        while True:
            at = _avro_long(data, end, at, &count)
            if at < 0:
                return at
            if count == 0:
                return at
            stop = -1
            if count < 0:
                if count < -left[0]:
                    return TOO_MUCH
                count = -count
                at = _avro_long(data, end, at, &size)
                if at < 0:
                    return at
                if size < 0:
                    return NO_LENGTH
                if size > end - at:
                    return CUT_SHORT
                stop = at + size
            if count > left[0]:
                return TOO_MUCH
            if item.what == OF_FIXED and node.what == OF_ARRAY:
                left[0] -= count
                if item.size and count > (end - at) // item.size:
                    return CUT_SHORT
                at += count * item.size
            else:
                for i in range(count):
                    if node.what == OF_MAP:
                        left[0] -= 1
                        at = _avro_long(data, end, at, &size)
                        if at < 0:
                            return at
                        if size < 0:
                            return NO_LENGTH
                        if size > end - at:
                            return CUT_SHORT
                        at += size
                    at = self._walk(part, data, end, at, left, levels)
                    if at < 0:
                        return at
            if stop >= 0 and at != stop:
                return NO_BLOCK


cdef inline int64_t _avro_long(const unsigned char *data, int64_t end, int64_t at, int64_t *number) noexcept nogil:
    """Read a zigzag number of up to 64 bits, and return its end or an error."""
    cdef uint64_t value = 0
    cdef int shift = 0
    while at < end:
        value |= <uint64_t>(data[at] & 0x7F) << shift
        if data[at] < 0x80:
            if shift == 63 and data[at] > 1:
                return NO_NUMBER
            number[0] = <int64_t>(value >> 1) ^ -<int64_t>(value & 1)
            return at + 1
        at += 1
        shift += 7
        if shift > 63:
            return NO_NUMBER
    return CUT_SHORT


cdef class AvroBody:
    """A file-like object from which fastavro reads the body of a payload.

    Args:
        data: The payload.
        at: Offset of the body.
    """

    cdef bytes _data
    cdef Py_ssize_t _at
    cdef Py_ssize_t _size

    def __init__(self, bytes data not None, Py_ssize_t at):
        self._data, self._at, self._size = data, at, PyBytes_GET_SIZE(data)

    def read(self, Py_ssize_t size, /):
        """Return up to `size` bytes, or all that are left if it is negative."""
        cdef Py_ssize_t at = self._at, left = self._size - at
        if size < 0 or size > left:
            size = left
        self._at = at + size
        return PyBytes_FromStringAndSize(PyBytes_AS_STRING(self._data) + at, size)
