# Check the nesting depth of a payload.
#
# A count is enough for most payloads: with no more bytes that could open a container than levels are allowed,
# a payload cannot nest deeper. The others are scanned exactly. Budget of the scan: 60 ns a KB of JSON, 3 ns a
# value of MessagePack.


cdef bint _json_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    return _vectors.json_opens(data, size, most) > <size_t>most and _vectors.json_nests(data, size, most)


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


cdef bint _bson_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef held_t held
    return _bson_levels(data, size, most, &held) == DEEPER
