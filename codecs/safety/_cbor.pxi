# CBOR: RFC 8949, section 3.

cdef enum:
    # CBOR tag of a reference to a shared value (http://cbor.schmorp.de/value-sharing).
    SHARED = 29
    # The same for strings (http://cbor.schmorp.de/stringref).
    SHARED_TEXT = 25
    # CBOR tag of a set (https://github.com/input-output-hk/cbor-sets-spec).
    SET = 258

cdef uint64_t UNKNOWN = <uint64_t>1 << 62
"""Count of a container that ends with a mark: even, like a count of keys and values."""

cdef unsigned char[256] _CBOR_LENGTHS
"""Bytes of a value whose head byte determines them, including the head; 0 if they vary, or are 1."""
cdef unsigned char[256] _CBOR_SIZES
"""The same; 0 only if they vary."""


cdef int _fill_cbor() noexcept:
    cdef unsigned int head, low
    for head in range(256):
        low = head & 31
        _CBOR_SIZES[head] = 1 + (
            low if 0x40 < head < 0x58 or 0x60 < head < 0x78
            else 1 << (low - 24) if 24 <= low < 28 and head < 0x40 or 0xF9 <= head <= 0xFB
            else 0
        )
        _CBOR_LENGTHS[head] = _CBOR_SIZES[head] * (_CBOR_SIZES[head] > 1)
        if 0x58 <= head < 0x60 or head >= 0x78 and not (0xE0 <= head < 0xFC) or head < 0x40 and low >= 28:
            _CBOR_SIZES[head] = 0
        if head == 0xF8:
            _CBOR_SIZES[head] = 2
    return 0


_fill_cbor()


cdef inline int _cbor_head(
    const unsigned char *data, uint64_t end, uint64_t *at, uint64_t *count
) noexcept nogil:
    """Skip a head and return its major type, or -1 if invalid. The count is `UNKNOWN` if it has none."""
    if at[0] >= end:
        return -1
    cdef unsigned int head = data[at[0]], length
    at[0] += 1
    count[0] = head & 31
    if 24 <= count[0] < 28:
        length = 1 << (count[0] - 24)
        if length > end - at[0]:
            return -1
        count[0] = _big(data + at[0], length)
        at[0] += length
    elif count[0] == 31 and 0x40 <= head < 0xC0:
        count[0] = UNKNOWN
    elif count[0] >= 28:
        return -1
    return head >> 5


cdef Py_ssize_t _cbor(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    return _cbor_values(data, size, 0, 1, held)


cdef Py_ssize_t _cbor_values(
    const unsigned char *data, Py_ssize_t size, uint64_t at, uint64_t left, held_t *held
) noexcept nogil:
    """Return the end of `left` values that start at `at`, or -1."""
    cdef uint64_t[DEEPEST] outer
    cdef scan_t scan = scan_t(at, left, &outer[0], 0, 0)
    return scan.at if _scan_cbor(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_cbor(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef held_t counted = held[0]
    cdef unsigned int head, major, length
    cdef int depth = scan.depth
    cdef bint is_value = True
    while (left or depth) and at < end:
        head = data[at]
        at += 1
        if left:
            left -= 1
        elif head == 0xFF:
            depth -= 1
            left = scan.outer[depth]
            continue
        counted.values += 1
        # Most values are short texts and small numbers.
        if 0x60 <= head < 0x78:
            at += head & 31
            continue
        if head < 0x18:
            continue
        major, count = head >> 5, head & 31
        if count >= 24:
            if count < 28:
                length = 1 << (count - 24)
                if length > end - at:
                    at, left = at - 1, left + 1  # read again when more bytes arrive
                    break
                count = _big(data + at, length)
                at += length
            elif count == 31 and 2 <= major <= 5 and depth < DEEPEST:
                # Indefinite length. The loop counts the chunks of a string as items.
                scan.outer[depth] = left
                depth += 1
                left = 0
                counted.containers += 1
                counted.wide |= major == 5
                continue
            else:
                is_value = False
                at -= 1
                break
        if major == 2 or major == 3:
            if count > end - at:
                at += min(count, BEYOND)
                break
            at += count
        elif major == 4 or major == 5:
            # Each item takes at least one byte.
            if count > end - at:
                left += min(count, BEYOND) << (major == 5)
                break
            left += count << (major == 5)
            counted.containers += 1
            counted.wide |= major == 5 and count > SAME
            if major == 4 and count >= MANY:
                count = _alike(data, end, &at, count, _CBOR_LENGTHS)
                left -= count
                counted.values += count
        elif major == 6:
            left += 1
            counted.tagged = True
            if count == SHARED or count == SHARED_TEXT:
                counted.shared = True
            elif count == SET:
                counted.wide = True
    scan.at, scan.left, scan.depth = at, left, depth
    held[0] = counted
    return NO_VALUE if not is_value else WHOLE if left == 0 and depth == 0 and at <= end else SHORT


cdef int _collect_cbor_keys(bytes payload, list found) except -1:
    """Collect the keys of maps and the items of sets that are arrays, maps or tagged."""
    cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
    cdef uint64_t end = PyBytes_GET_SIZE(payload), at = 0, start, count
    cdef uint64_t[DEEPEST] left
    cdef char[DEEPEST] kind
    cdef held_t held
    cdef int depth = 0, major
    cdef bint set_follows = False, is_key
    cdef Py_ssize_t size
    left[0], kind[0] = 1, c"["
    while True:
        while left[depth] == 0:
            if depth == 0:
                return 0
            depth -= 1
        if at < end and data[at] == 0xFF:
            # This byte ends a container of indefinite length.
            at += 1
            left[depth] = 0
            continue
        start = at
        major = _cbor_head(data, end, &at, &count)
        if major < 0:
            return 0
        is_key = kind[depth] == c"s" or kind[depth] == c"{" and left[depth] % 2 == 0
        if is_key and 4 <= major <= 6:
            size = _cbor(data + start, end - start, &held)
            if size < 0:
                return 0
            found.append(payload[start : start + size])
            at = start + size
            left[depth] -= 1
            continue
        if major == 6:
            set_follows = count == SET
            continue
        left[depth] -= 1
        if 2 <= major <= 3 and count != UNKNOWN:
            if count > end - at:
                return 0
            at += count
        elif 2 <= major <= 5:
            if depth + 1 == DEEPEST or count > end - at and count != UNKNOWN:
                return 0
            depth += 1
            kind[depth] = c"{" if major == 5 else c"s" if major == 4 and set_follows else c"["
            left[depth] = count << (major == 5 and count != UNKNOWN)
        set_follows = False


cdef bint _cbor_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef held_t held
    return _cbor_levels(data, size, most, &held) == DEEPER


cdef Py_ssize_t _cbor_levels(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, held_t *held
) noexcept nogil:
    """Return the length of the first value, `DEEPER` if it has more levels than `most`, or -1."""
    # Items that each enclosing container has left, including the one that is being read, times two; plus one for maps.
    cdef uint64_t[DEEPEST] outer
    cdef const unsigned char *at = data
    cdef const unsigned char *end = data + size
    cdef uint64_t left = 1, count, start
    cdef Py_ssize_t values = 0, containers = 0, result = -1
    cdef Py_ssize_t odd = 0
    cdef unsigned int head, length, major
    cdef int depth = 0
    cdef bint in_map = False, tagged = False, shared = False, sets = False
    while at < end:
        head = at[0]
        length = _CBOR_SIZES[head]
        if length:
            at += length
        elif head == 0xFF:
            # This byte ends a container of indefinite length.
            if left < UNKNOWN >> 1:
                break
            at += 1
            left = 1
        else:
            start = at - data
            major = _cbor_head(data, size, &start, &count)
            at = data + start
            if <int>major < 0:
                break
            odd += 4 <= major <= 6 and in_map and left % 2 == 0
            if major == 6:
                values += 1
                tagged = True
                shared |= count == SHARED or count == SHARED_TEXT
                sets |= count == SET
                continue
            if (major == 2 or major == 3) and count != UNKNOWN:
                if count > <uint64_t>(end - at):
                    break
                at += count
            elif 2 <= major <= 5:
                containers += 1
                if count != UNKNOWN:
                    # Each item takes at least one byte.
                    if count > <uint64_t>(end - at):
                        break
                    count <<= major == 5
                    values += count
                # A string of indefinite length contains chunks, but is not a level.
                if depth == most + (major < 4):
                    result = DEEPER
                    break
                if major == 4 and MANY <= count < UNKNOWN:
                    start = at - data
                    count -= _alike(data, size, &start, count, _CBOR_LENGTHS)
                    at = data + start
                if count:
                    outer[depth] = left << 1 | in_map
                    depth += 1
                    left, in_map = count, major == 5
                    continue
        left -= 1
        if left >= UNKNOWN >> 1:
            values += 1
        while left == 0 and depth:
            depth -= 1
            left, in_map = (outer[depth] >> 1) - 1, outer[depth] & 1
            if left >= UNKNOWN >> 1:
                values += 1
        if left == 0:
            if at <= end:
                result = at - data
            break
    held.values, held.containers, held.wide = values + 1, containers, sets or odd > SAME
    held.tagged, held.shared = tagged, shared
    return result


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


_add("cbor", _cbor, _scan_cbor, _cbor_deeper, _collect_cbor_keys, _cbor_levels)
