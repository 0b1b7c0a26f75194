# Find one field of a payload without decoding the others.
#
# A walker scans the whole payload, because a key may occur twice and the last one counts, and to detect a
# payload that is cut short or has trailing data. If it is not sure, it returns -1, and the payload is decoded
# in full: if it is malformed, a key is not plain text, or a container has a tag. So a walker has to be right
# only if it finds a field, or finds none.

cdef class Way:
    """The steps to a field, in the form that walkers use.

    Args:
        kind: ``"msgpack"``, ``"cbor"``, ``"bson"`` or ``"json"``.
        steps: For each step its key in UTF-8, or None, and its index, or -1.
        wrap: For BSON, the key of a record other than a dict in the document that wraps it; else None.

    Raises:
        ValueError: Unknown kind, or too many steps.
    """

    def __cinit__(self, str kind not None, tuple steps not None, bytes wrap):
        if kind not in WALKS:
            raise ValueError(f"nothing walks through {kind!r}")
        if len(steps) > LONGEST_WAY:
            raise ValueError(f"{len(steps)} steps, more than {LONGEST_WAY}")
        self.kind, self._held, self._wrap = WALKS[kind], steps, wrap
        self.steps.count = len(steps)
        for i, (text, index) in enumerate(steps):
            self.steps.index[i] = index
            self.steps.length[i] = -1 if text is None else len(text)
            self.steps.text[i] = NULL
            if text is not None:
                self.steps.text[i] = <const unsigned char *>PyBytes_AS_STRING(text)
        self.steps.wrap_length = 0 if wrap is None else len(wrap)
        self.steps.wrap = NULL
        if wrap is not None:
            self.steps.wrap = <const unsigned char *>PyBytes_AS_STRING(wrap)

    cdef int locate(self, bytes payload, field_t *field) noexcept:
        """Find the field. Return `FOUND`, with its offsets in `field`, `ABSENT` or `UNSURE`."""
        cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload), end
        field.start = -1
        field.held.shared = False
        if self.kind == IN_MSGPACK:
            end = _msgpack_field(data, size, 0, &self.steps, 0, field)
        elif self.kind == IN_CBOR:
            end = _cbor_field(data, size, 0, &self.steps, 0, field)
        elif self.kind == IN_BSON:
            end = _bson_field(data, size, 0, &self.steps, 0, field, False)
        else:
            end = _json_blank(data, size, _json_field(data, size, _json_blank(data, size, 0), &self.steps, 0, field))
        if end != size or field.held.shared:
            return UNSURE
        return ABSENT if field.start < 0 else FOUND


WALKS = {"msgpack": IN_MSGPACK, "cbor": IN_CBOR, "bson": IN_BSON, "json": IN_JSON}


cdef inline bint _is_step(const steps_t *steps, int step, const unsigned char *text, Py_ssize_t length) noexcept nogil:
    return steps.length[step] == length and memcmp(steps.text[step], text, length) == 0


# MessagePack -----------------------------------------------------------------------------------------------


cdef inline Py_ssize_t _msgpack_over(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t at, field_t *field
) noexcept nogil:
    """Return the end of the value at `at`, or -1."""
    if at >= size:
        return -1
    cdef unsigned int head = data[at]
    if head < 0x80 or head >= 0xE0:
        return at + 1
    if 0xA0 <= head < 0xC0:
        at += 1 + (head & 31)
        return at if at <= size else -1
    return _msgpack_values(data, size, at, 1, &field.held)


cdef Py_ssize_t _msgpack_field(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t at, const steps_t *steps, int step, field_t *field
) noexcept nogil:
    cdef uint64_t past = at, count, i, index
    cdef unsigned int head, length
    cdef int what
    if step == steps.count:
        field.start = at
        field.end = _msgpack_over(data, size, at, field)
        return field.end
    if at >= size:
        return -1
    what = _msgpack_head(data, size, &past, &count)
    # The object that an extension is decoded to may have fields.
    if what == NOTHING or what == EXTENSION or past > <uint64_t>size:
        return -1
    at = past
    if what == LEAF:
        return at
    if count > <uint64_t>(size - at):
        return -1
    if what == LIST:
        index = steps.index[step]
        if index >= count:
            return _msgpack_values(data, size, at, count, &field.held)
        at = _msgpack_values(data, size, at, index, &field.held)
        if at >= 0:
            at = _msgpack_field(data, size, at, steps, step + 1, field)
        return at if at < 0 else _msgpack_values(data, size, at, count - index - 1, &field.held)
    for i in range(count):
        if at >= size:
            return -1
        head = data[at]
        at += 1
        if 0xA0 <= head < 0xC0:
            length = head & 31
        elif 0xD9 <= head <= 0xDB and _LENGTH[head & 31] <= size - at:
            length = _big(data + at, _LENGTH[head & 31])
            at += _LENGTH[head & 31]
        else:
            return -1
        if length > size - at:
            return -1
        at += length
        if _is_step(steps, step, data + at - length, length):
            field.start = -1
            at = _msgpack_field(data, size, at, steps, step + 1, field)
        else:
            at = _msgpack_over(data, size, at, field)
        if at < 0:
            return -1
    return at


# CBOR --------------------------------------------------------------------------------------------------------


cdef Py_ssize_t _cbor_field(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t start, const steps_t *steps, int step, field_t *field
) noexcept nogil:
    cdef Py_ssize_t at = start
    cdef uint64_t past = start, count, length, i = 0
    cdef int major
    cdef bint matches
    if step == steps.count:
        field.start = at
        field.end = _cbor_values(data, size, at, 1, &field.held)
        return field.end
    major = _cbor_head(data, size, &past, &count)
    at = past
    if major < 0 or major == 6:
        return -1
    if major != 4 and major != 5:
        return _cbor_values(data, size, start, 1, &field.held)
    if count != UNKNOWN and count > <uint64_t>(size - at):
        return -1
    while i < count:
        if count == UNKNOWN and at < size and data[at] == 0xFF:
            return at + 1
        if major == 5:
            if at >= size or data[at] >> 5 != 3:
                return -1
            past = at
            if _cbor_head(data, size, &past, &length) < 0 or length > size - past:
                return -1
            at = past + length
            matches = _is_step(steps, step, data + at - length, length)
        else:
            matches = i == <uint64_t>steps.index[step]
            if not matches and count != UNKNOWN:
                # Skip all items up to the index, or up to the end, at once.
                length = (<uint64_t>steps.index[step] if i < <uint64_t>steps.index[step] < count else count) - i
                at = _cbor_values(data, size, at, length, &field.held)
                if at < 0:
                    return -1
                i += length
                continue
        if matches:
            field.start = -1
            at = _cbor_field(data, size, at, steps, step + 1, field)
        else:
            at = _cbor_values(data, size, at, 1, &field.held)
        if at < 0:
            return -1
        i += 1
    return at


# BSON --------------------------------------------------------------------------------------------------------


cdef inline Py_ssize_t _bson_over(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t at, unsigned int kind
) noexcept nogil:
    """Return the end of a value by its type and length, without reading its contents; -1 if there is none."""
    cdef int what = _BSON[kind]
    cdef Py_ssize_t after
    if what == NO_TYPE:
        return -1
    if what >= 0:
        after = at + what
    elif what == TWO_NAMES:
        after = _after_name(data, size, _after_name(data, size, at))
    elif size - at < 4:
        return -1
    elif what == WITHIN or what == SCOPED:
        after = at + _little4(data + at)
    else:
        after = at + 4 + _little4(data + at) + (what == BLOB) + 12 * (what == REFERENCE)
    return after if after <= size else -1


cdef Py_ssize_t _bson_field(
    const unsigned char *data, Py_ssize_t limit, Py_ssize_t at, const steps_t *steps, int step, field_t *field,
    bint is_array,
) noexcept nogil:
    """Walk through the document at `at`, which ends at `limit` or before. Return its end, or -1."""
    cdef Py_ssize_t end, name, length, over
    cdef unsigned int kind
    cdef int64_t i = 0
    if limit - at < 5:
        return -1
    end = at + _little4(data + at)
    if end - at < 5 or end > limit:
        return -1
    field.outer[step] = at
    at += 4
    while at < end:
        kind = data[at]
        name = at + 1
        if kind == 0:
            return end if name == end else -1
        at = _after_name(data, end, name)
        length = at - 1 - name
        over = _bson_over(data, end, at, kind)
        if over < 0:
            return -1
        if not is_array and (
            length and data[name] == c"$"  # a reference to a document, which has a class of its own
            or step == 0 and length == steps.wrap_length and memcmp(data + name, steps.wrap, length) == 0
        ):
            return -1
        if i == steps.index[step] if is_array else _is_step(steps, step, data + name, length):
            field.start = -1
            if step + 1 == steps.count:
                field.head, field.start, field.end = name - 1, at, over
            elif kind == 3 or kind == 4:
                if _bson_field(data, over, at, steps, step + 1, field, kind == 4) != over:
                    return -1
        at = over
        i += 1
    return -1


# JSON --------------------------------------------------------------------------------------------------------

cdef extern from *:
    """
    #include <string.h>
    #define BAKEOFF_EACH 0x0101010101010101ULL
    #define BAKEOFF_HAS(word, byte) \\
        ((((word) ^ BAKEOFF_EACH * (byte)) - BAKEOFF_EACH) & ~((word) ^ BAKEOFF_EACH * (byte)) & BAKEOFF_EACH * 0x80)

    /* Find the next quote or backslash, eight bytes at a time. */
    static inline Py_ssize_t bakeoff_quote(const unsigned char *data, Py_ssize_t at, Py_ssize_t size) {
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        for (; size - at >= 8; at += 8) {
            unsigned long long word, found;
            memcpy(&word, data + at, 8);
            found = BAKEOFF_HAS(word, '"') | BAKEOFF_HAS(word, '\\\\');
            if (found)
                return at + (__builtin_ctzll(found) >> 3);
        }
    #endif
        while (at < size && data[at] != '"' && data[at] != '\\\\')
            at++;
        return at;
    }
    """
    Py_ssize_t quote_from "bakeoff_quote"(const unsigned char *data, Py_ssize_t at, Py_ssize_t size) noexcept nogil

cdef unsigned char[256] _JSON
"""Class of each byte: `BLANK`, `PLAIN` for numbers and words, or 0 for all others."""


cdef int _fill_json() noexcept:
    cdef unsigned int byte
    for byte in b" \t\n\r":
        _JSON[byte] = BLANK
    for byte in b"+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ":
        _JSON[byte] = PLAIN
    return 0


_fill_json()


cdef inline Py_ssize_t _json_blank(const unsigned char *data, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Skip whitespace. Return -1 if `at` is -1, the result of another step."""
    while 0 <= at < size and _JSON[data[at]] == BLANK:
        at += 1
    return at


cdef inline Py_ssize_t _json_text(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t at, bint *escaped
) noexcept nogil:
    """Return the end of a text whose opening quote is before `at`, or -1; note whether it has a backslash."""
    while True:
        at = quote_from(data, at, size)
        if at >= size:
            return -1
        if data[at] == c'"':
            return at + 1
        escaped[0] = True
        at += 2


cdef Py_ssize_t _json_over(const unsigned char *data, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Return the end of the value at `at`, or -1. Brackets have to match; commas are not checked."""
    cdef uint64_t curly = 0
    cdef uint64_t[JSON_WORDS] outer
    cdef int depth = 0
    cdef bint escaped = False
    cdef unsigned char byte
    while at < size:
        byte = data[at]
        if byte == c'"':
            at = _json_text(data, size, at + 1, &escaped)
            if at < 0:
                return -1
        elif _JSON[byte] == PLAIN:
            at += 1
            while at < size and _JSON[data[at]] == PLAIN:
                at += 1
        elif byte == c"{" or byte == c"[":
            if depth == JSON_DEPTH:
                return -1
            if depth % 64 == 0 and depth:
                outer[depth // 64 - 1] = curly
            curly = curly << 1 | (byte == c"{")
            depth += 1
            at += 1
            continue
        elif byte == c"}" or byte == c"]":
            if depth == 0 or curly & 1 != (byte == c"}"):
                return -1
            depth -= 1
            curly = outer[depth // 64 - 1] if depth % 64 == 0 and depth else curly >> 1
            at += 1
        elif depth and (byte == c"," or byte == c":" or _JSON[byte] == BLANK):
            at += 1
            continue
        else:
            return -1
        if depth == 0:
            return at
    return -1


cdef Py_ssize_t _json_field(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t at, const steps_t *steps, int step, field_t *field
) noexcept nogil:
    cdef Py_ssize_t name, length
    cdef int64_t i = 0
    cdef unsigned char close
    cdef bint escaped = False, matches
    if step == steps.count:
        field.start = at
        field.end = _json_over(data, size, at)
        return field.end
    if at >= size or at < 0:
        return -1
    if data[at] != c"{" and data[at] != c"[":
        return _json_over(data, size, at)
    close = data[at] + 2  # the brackets of a pair differ by two in ASCII
    at = _json_blank(data, size, at + 1)
    if at < size and data[at] == close:
        return at + 1
    while at < size:
        if close == c"}":
            if data[at] != c'"':
                return -1
            name = at + 1
            at = _json_text(data, size, name, &escaped)
            if escaped:
                return -1  # only the library decodes escapes in keys
            length = at - 1 - name
            at = _json_blank(data, size, at)
            if at < 0 or at >= size or data[at] != c":":
                return -1
            at = _json_blank(data, size, at + 1)
            matches = _is_step(steps, step, data + name, length)
        else:
            matches = i == steps.index[step]
        if matches:
            field.start = -1
            at = _json_field(data, size, at, steps, step + 1, field)
        else:
            at = _json_over(data, size, at)
        at = _json_blank(data, size, at)
        if at < 0 or at >= size:
            return -1
        if data[at] == close:
            return at + 1
        if data[at] != c",":
            return -1
        at = _json_blank(data, size, at + 1)
        i += 1
    return -1


# Lists that are appended to ---------------------------------------------------------------------------------


cdef Py_ssize_t list_head(int kind, const unsigned char *data, uint64_t *count) noexcept nogil:
    """Read the head of a list found in MessagePack or CBOR, and return the length of the head.

    It is -1 if the value is not a list, and 0 if the list ends with a mark.
    """
    cdef uint64_t at = 0
    if kind == IN_CBOR:
        if _cbor_head(data, 9, &at, count) != 4:
            return -1
        return 0 if count[0] == UNKNOWN else at
    return at if _msgpack_head(data, 9, &at, count) == LIST else -1


cdef Py_ssize_t bson_items(const char *array, Py_ssize_t size) noexcept nogil:
    """Count the items of a BSON array. Return -1 if it is malformed."""
    cdef const unsigned char *data = <const unsigned char *>array
    cdef Py_ssize_t at = 4, count = 0
    cdef unsigned int kind
    while at < size:
        kind = data[at]
        if kind == 0:
            return count if at + 1 == size else -1
        at = _after_name(data, size, at + 1)
        at = _bson_over(data, size, at, kind)
        if at < 0:
            return -1
        count += 1
    return -1
