# Thrift's compact protocol: doc/specs/thrift-compact-protocol.md.


cdef inline uint64_t _varint(const unsigned char *data, uint64_t end, uint64_t *at) noexcept nogil:
    """Read a number with seven bits in each byte, and limit it to the length of the payload."""
    cdef uint64_t number = 0
    cdef unsigned int shift = 0
    while at[0] < end:
        if shift < 64:
            number |= <uint64_t>(data[at[0]] & 0x7F) << shift
        shift += 7
        at[0] += 1
        if data[at[0] - 1] < 0x80:
            return min(number, end)
    return 0


cdef Py_ssize_t _thrift(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef uint64_t end = size, at = 0, count
    # Values that a list, set or map has left, and their types: in maps, of keys and values; 0 in structs.
    cdef uint64_t[DEEPEST] left
    cdef unsigned char[DEEPEST] first
    cdef unsigned char[DEEPEST] second
    cdef unsigned int head, kind
    cdef int depth = 0
    first[0] = 0
    held.values += 1
    while at < end:
        head = data[at]
        if first[depth] == 0:
            kind = head & 15
            at += 1
            if kind == 0:
                if depth == 0:
                    return at
                depth -= 1
                continue
            if head < 16:
                _varint(data, end, &at)
            # The field, and its name, which is a key in the record.
            held.values += 2
            if kind < 3:
                # The head of the field contains the bool.
                continue
        elif left[depth] == 0:
            depth -= 1
            continue
        else:
            kind = first[depth] if left[depth] % 2 == 0 else second[depth]
            left[depth] -= 1
            held.values += 1
        if kind <= 3:
            at += 1
        elif kind <= 6:
            _varint(data, end, &at)
        elif kind == 7:
            at += 8
        elif kind == 13:
            at += 16
        elif kind == 8:
            count = _varint(data, end, &at)
            at += count
        elif kind > 13 or depth + 1 == DEEPEST:
            return -1
        else:
            depth += 1
            if kind == 12:
                first[depth] = 0
                continue
            if at >= end:
                return -1
            if kind == 11:
                count = 2 * _varint(data, end, &at)
                # An empty map has no types.
                head = 0x33 if count == 0 or at >= end else data[at]
                at += count > 0
                first[depth], second[depth] = head >> 4, head & 15
            else:
                head = data[at]
                at += 1
                count = head >> 4 if head < 0xF0 else _varint(data, end, &at)
                first[depth] = second[depth] = head & 15
            if first[depth] == 0 or second[depth] == 0:
                if count:
                    return -1
                first[depth] = 1
            left[depth] = count
    return -1


_add("thrift", _thrift)
