# JSON: RFC 8259.


cdef inline bint _is_delimiter(unsigned char byte) noexcept nogil:
    return byte <= c" " or byte == c"," or byte == c"]" or byte == c"}" or byte == c":"


cdef Py_ssize_t _json(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count the values. Return the size, because every library finds the end itself."""
    cdef Py_ssize_t at = 0
    cdef unsigned char byte
    while at < size:
        byte = data[at]
        at += 1
        if _is_delimiter(byte):
            continue
        held.values += 1
        if byte == c'"':
            while at < size and data[at] != c'"':
                at += 1 + (data[at] == c"\\")
            at += 1
        elif byte != c"[" and byte != c"{":
            while at < size and not _is_delimiter(data[at]):
                at += 1
    return size


cdef size_t _json_at_most(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil:
    """Return an upper bound for the number of values.

    Before each value but the first comes one of ``,:[{``; the first count also counts those within texts.
    """
    cdef size_t found = _vectors.json_delimits(data, size, most) + 1
    return found if found <= most else _vectors.json_values(data, size)


cdef bint _json_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    return _vectors.json_opens(data, size, most) > <size_t>most and _vectors.json_nests(data, size, most)


def refuse_wide(bytes data, /):
    """Refuse UTF-16 and UTF-32, which `json.loads` detects, and in which guards would not see the structure.

    Raises:
        ValueError: The payload is in one of them, or begins with a byte order mark.
    """
    cdef const unsigned char *at = <const unsigned char *>PyBytes_AS_STRING(data)
    cdef Py_ssize_t size = PyBytes_GET_SIZE(data)
    if size and (at[0] > 0x7f or memchr(at, 0, min(size, 4)) != NULL):
        raise ValueError("is not UTF-8 without a byte order mark")


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


# RapidJSON ends its text at a NUL.


cdef Py_ssize_t _nul(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef const unsigned char *found = <const unsigned char *>memchr(data, 0, size)
    return size if found is NULL else found - data


_add("json", _json, NULL, _json_deeper, NULL, NULL, _json_at_most)
_add("nul", _nul)
