# MessagePack: msgpack/spec.md, "Overview" of formats.

cdef unsigned char[32] _FIXED = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17, 0, 0, 0, 0, 0, 0, 0,
]
"""Bytes after the head byte, for heads from 0xc0 on that have no length."""
cdef unsigned char[32] _LENGTH = [
    0, 0, 0, 0, 1, 2, 4, 1, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 2, 4, 2, 4,
]
"""Bytes of the length after these heads."""

cdef unsigned char[256] _MSGPACK_LENGTHS
"""Bytes of a value whose head byte determines them, including the head; 0 if they vary, or are 1."""
cdef unsigned char[256] _MSGPACK_SIZES
"""The same; 0 only if they vary."""


cdef int _fill_msgpack() noexcept:
    cdef unsigned int head, low
    for head in range(256):
        low = head & 31
        _MSGPACK_SIZES[head] = 1 + (low if 0xA0 < head < 0xC0 else _FIXED[low] if 0xCA <= head <= 0xD3 else 0)
        _MSGPACK_LENGTHS[head] = _MSGPACK_SIZES[head] * (_MSGPACK_SIZES[head] > 1)
        if 0x80 <= head < 0xA0 or 0xC0 <= head < 0xE0 and (_LENGTH[low] or head == 0xC1):
            _MSGPACK_SIZES[head] = 0
        elif 0xD4 <= head < 0xD9:
            _MSGPACK_SIZES[head] = 1 + _FIXED[low]
    return 0


_fill_msgpack()


cdef enum:
    # Kinds of MessagePack heads. `NOTHING` is a head that is cut short or invalid.
    NOTHING
    LEAF
    EXTENSION
    LIST
    MAP


cdef inline int _msgpack_head(
    const unsigned char *data, uint64_t end, uint64_t *at, uint64_t *count
) noexcept nogil:
    """Skip the head of a container and set the number of its entries; skip any other value entirely."""
    cdef unsigned int head = data[at[0]], length
    at[0] += 1
    if head < 0x80 or head >= 0xE0:
        return LEAF
    if head < 0xA0:
        count[0] = head & 15
        return MAP if head < 0x90 else LIST
    if head < 0xC0:
        at[0] += head & 31
        return LEAF
    length = _LENGTH[head & 31]
    if length == 0:
        at[0] += _FIXED[head & 31]
        return NOTHING if head == 0xC1 else EXTENSION if head >= 0xD4 else LEAF
    if length > end - at[0]:
        return NOTHING
    count[0] = _big(data + at[0], length)
    at[0] += length
    if head >= 0xDC:
        return MAP if head >= 0xDE else LIST
    at[0] += count[0]
    if 0xC7 <= head <= 0xC9:
        at[0] += 1
        return EXTENSION
    return LEAF


cdef Py_ssize_t _msgpack(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    return _msgpack_values(data, size, 0, 1, held)


cdef inline Py_ssize_t _msgpack_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return the end of `left` values that start at `at`, or -1."""
    cdef scan_t scan = scan_t(at, left, NULL, 0, 0)
    return scan.at if _scan_msgpack(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_msgpack(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef Py_ssize_t values = held.values, containers = held.containers
    cdef unsigned int head, length
    cdef bint is_value = True, wide = held.wide
    while left and at < end:
        head = data[at]
        at += 1
        left -= 1
        values += 1
        if head < 0x80 or head >= 0xE0:
            continue
        if head < 0xC0:
            if head >= 0xA0:
                at += head & 31
            else:
                left += (head & 15) << (head < 0x90)
                containers += 1
            continue
        if head == 0xD9 and at < end:
            at += 1 + data[at]
            continue
        length = _LENGTH[head & 31]
        if length == 0:
            if head == 0xC1:
                is_value = False
                at -= 1
                break
            at += _FIXED[head & 31]
            continue
        if at + length > end:
            at, left = at - 1, left + 1  # read again when more bytes arrive
            break
        count = _big(data + at, length)
        at += length
        if head < 0xDC:
            at += count + (0xC7 <= head <= 0xC9)
        else:
            left += count << (head >= 0xDE)
            containers += 1
            wide |= head >= 0xDE and count > SAME
        # Each value takes at least one byte.
        if at > end or left > end - at:
            break
        if head <= 0xDD and head >= 0xDC and count >= MANY:
            count = _alike(data, end, &at, count, _MSGPACK_LENGTHS)
            left -= count
            values += count
    scan.at, scan.left = at, left
    held.values, held.containers, held.wide = values, containers, wide
    return NO_VALUE if not is_value else WHOLE if left == 0 and at <= end else SHORT


cdef bint container_key(bytes payload) noexcept:
    """Return whether a key of a complete MessagePack value is an array or map: no dict key when decoded."""
    return _msgpack_keys(payload, None)


cdef int _collect_msgpack_keys(bytes payload, list found) except -1:
    """Collect the keys of maps that are arrays or maps."""
    return _msgpack_keys(payload, found)


cdef bint _msgpack_keys(bytes payload, list found) noexcept:
    """Return whether a key is a container or nested too deeply to check; with `found`, collect such keys."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, start, count
    cdef uint64_t[DEEPEST] left
    cdef bint[DEEPEST] is_map
    cdef held_t held
    cdef int depth = 0, what
    cdef bint is_key
    cdef Py_ssize_t size
    left[0], is_map[0] = 1, False
    while at < end:
        while left[depth] == 0:
            if depth == 0:
                return False
            depth -= 1
        is_key = is_map[depth] and left[depth] % 2 == 0
        left[depth] -= 1
        start = at
        what = _msgpack_head(data, end, &at, &count)
        if what == NOTHING:
            return False
        if what < LIST:
            continue
        if is_key and found is not None:
            size = _msgpack(data + start, end - start, &held)
            if size < 0:
                return False
            found.append(payload[start : start + size])
            at = start + size
            continue
        # The packer writes at most 511 levels.
        if is_key or depth + 1 == DEEPEST:
            return True
        depth += 1
        is_map[depth] = what == MAP
        left[depth] = count << is_map[depth]
    return False


cdef bint _msgpack_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef held_t held
    # A few long texts are skipped sooner than their bytes are counted.
    cdef Py_ssize_t end = _msgpack_levels_of(data, size, most, FEW + size // SPARSE, &held)
    if end != UNFINISHED:
        return end == DEEPER
    return _vectors.msgpack_opens(data, size, most) > <size_t>most and _msgpack_levels(
        data, size, most, &held
    ) == DEEPER


cdef enum:
    # Payloads with this many values, and one more for so many bytes, are walked through faster than their bytes are
    # counted.
    FEW = 16
    SPARSE = 256
    # Result for payloads with more values than are walked through.
    UNFINISHED = -4


cdef Py_ssize_t _msgpack_levels(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, held_t *held
) noexcept nogil:
    """Return the length of the first value, `DEEPER` if it has more levels than `most`, or -1."""
    return _msgpack_levels_of(data, size, most, <Py_ssize_t>BEYOND, held)


cdef Py_ssize_t _msgpack_levels_of(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, Py_ssize_t most_values, held_t *held
) noexcept nogil:
    # Values that each enclosing container has left, including the one that is being read, times two; plus one for maps.
    cdef uint64_t[DEEPEST] outer
    cdef const unsigned char *at = data
    cdef const unsigned char *end = data + size
    cdef uint64_t left = 1, count, start
    cdef Py_ssize_t values = 1, containers = 0, result = -1
    cdef Py_ssize_t odd = 0
    cdef unsigned int head, length
    cdef int depth = 0
    cdef bint in_map = False
    while at < end:
        head = at[0]
        length = _MSGPACK_SIZES[head]
        if length:
            at += length
        elif head == 0xD9 and end - at >= 2:
            at += 2 + at[1]
        else:
            at += 1
            if head < 0xA0:
                count = (head & 15) << (head < 0x90)
            else:
                length = _LENGTH[head & 31]
                count = 0
                if length == 0:
                    break
                elif end - at < length:
                    break
                else:
                    count = _big(at, length)
                    at += length
                    if head < 0xDC:
                        if count > <uint64_t>(end - at):
                            break
                        at += count + (0xC7 <= head <= 0xC9)
                        count = 0
                    elif head >= 0xDE:
                        count <<= 1
            if head < 0xA0 or head >= 0xDC:
                containers += 1
                odd += in_map and left % 2 == 0
                # Each value takes at least one byte.
                if count > <uint64_t>(end - at):
                    break
                values += count
                if values > most_values:
                    result = UNFINISHED
                    break
                if depth == most:
                    result = DEEPER
                    break
                if (head & 0xFE) == 0xDC and count >= MANY:
                    start = at - data
                    count -= _alike(data, size, &start, count, _MSGPACK_LENGTHS)
                    at = data + start
                if count:
                    outer[depth] = left << 1 | in_map
                    depth += 1
                    left, in_map = count, head < 0x90 or head >= 0xDE
                    continue
        left -= 1
        while left == 0 and depth:
            depth -= 1
            left, in_map = (outer[depth] >> 1) - 1, outer[depth] & 1
        if left == 0:
            if at <= end:
                result = at - data
            break
    held.values, held.containers, held.wide = values, containers, odd > SAME
    held.tagged = held.shared = False
    return result


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


_add("msgpack", _msgpack, _scan_msgpack, _msgpack_deeper, _collect_msgpack_keys, _msgpack_levels)
