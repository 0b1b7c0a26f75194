# BSON: bsonspec.org.

cdef enum:
    # Kinds of BSON values whose type does not determine their size.
    TEXT = -1
    WITHIN = -2
    BLOB = -3
    TWO_NAMES = -4
    REFERENCE = -5
    SCOPED = -6
    NO_TYPE = -7

cdef extern from *:
    """
    /* Return the index of the first zero byte, from the least significant one, or 8 if there is none. */
    static inline int bakeoff_first_zero(unsigned long long bytes) {
        unsigned long long zeros = (bytes - 0x0101010101010101ULL) & ~bytes & 0x8080808080808080ULL;
        if (!zeros) return 8;
    #if defined(__GNUC__)
        return __builtin_ctzll(zeros) >> 3;
    #else
        int place = 0;
        for (; bytes & 0xff; bytes >>= 8) place++;
        return place;
    #endif
    }
    """
    int _first_zero "bakeoff_first_zero"(uint64_t number) noexcept nogil

cdef signed char[256] _BSON
"""Bytes of a value by its type, or its kind."""


cdef int _fill_bson() except -1:
    for kind in range(256):
        _BSON[kind] = NO_TYPE
    for kind, what in enumerate((
        NO_TYPE, 8, TEXT, WITHIN, WITHIN, BLOB, 0, 12, 1, 8, 0, TWO_NAMES, REFERENCE, TEXT, TEXT, SCOPED, 4, 8, 8, 16,
    )):
        _BSON[kind] = what
    _BSON[0x7F] = _BSON[0xFF] = 0  # MaxKey and MinKey
    return 0


_fill_bson()


cdef inline Py_ssize_t _after_name(const unsigned char *data, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Return the offset after the name at `at`, or more than `size` if it does not end in the payload."""
    if at >= size:
        return size + 1
    cdef const unsigned char *end
    cdef int i, place
    # Most names are short, and take less time than a call of memchr.
    for i in range(2):
        if size - at < 8:
            break
        place = _first_zero(_little8(data + at))
        at += place
        if place < 8:
            return at + 1
    end = <const unsigned char *>memchr(data + at, 0, size - at)
    return size + 1 if end is NULL else end - data + 1


cdef Py_ssize_t _bson_levels(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, held_t *held
) noexcept nogil:
    """Return the length of a document, `DEEPER` if it has more levels than `most`, or `UNSAFE`.

    Names and lengths must not exceed the payload, because PyMongo's C decoder reads names past its end.
    """
    cdef bint[DEEPEST] is_array
    cdef Py_ssize_t[DEEPEST] ends
    cdef Py_ssize_t at = 4, end = UNSAFE, values = 1, containers = 1
    cdef unsigned int kind
    cdef int depth = 0, what
    if size >= 5:
        is_array[0], ends[0] = False, _little4(data)
    while at < size:
        kind = data[at]
        at += 1
        if kind == 0:
            if at != ends[depth]:
                break
            if depth == 0:
                end = at
                break
            depth -= 1
            continue
        values += 1 if is_array[depth] else 2
        at = _after_name(data, size, at)
        what = _BSON[kind]
        if what >= 0:
            at += what
            continue
        if what == TWO_NAMES:
            at = _after_name(data, size, _after_name(data, size, at))
            continue
        # All other values begin with a length.
        if what == NO_TYPE or size - at < 4:
            break
        if what == WITHIN or what == SCOPED:
            if depth + 1 == most:
                end = DEEPER
                break
            if what == SCOPED:
                at += 4
                if size - at < 4:
                    break
                at += 4 + _little4(data + at)
                if size - at < 4:
                    break
            depth += 1
            containers += 1
            is_array[depth], ends[depth] = kind == 4, at + _little4(data + at)
            at += 4
        else:
            at += 4 + _little4(data + at) + (what == BLOB) + 12 * (what == REFERENCE)
    held.values, held.containers = values, containers
    return end


cdef Py_ssize_t _bson(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef Py_ssize_t end = _bson_levels(data, size, DEEPEST, held)
    # The library itself refuses documents that are nested this deeply.
    return size if end == DEEPER else end


cdef bint _bson_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef held_t held
    return _bson_levels(data, size, most, &held) == DEEPER


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


_add("bson", _bson, NULL, _bson_deeper, NULL, _bson_levels)
