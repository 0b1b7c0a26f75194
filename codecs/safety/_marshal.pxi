# marshal: r_object in CPython's Python/marshal.c.


cdef Py_ssize_t _marshal(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef uint64_t[DEEPEST] outer
    cdef scan_t scan = scan_t(0, 1, &outer[0], 0, 0)
    return scan.at if _scan_marshal(data, size, &scan, held) == WHOLE else -1


cdef inline int _scan_marshal(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = scan.at, left = scan.left, count
    cdef int64_t digits
    cdef int depth = scan.depth, head
    cdef unsigned int length
    cdef bint is_value = True
    while (left or depth) and at < end:
        head = data[at] & 0x7F  # without FLAG_REF
        at += 1
        if left:
            left -= 1
        elif head == c"0":  # NULL ends a dict
            depth -= 1
            left = scan.outer[depth]
            continue
        else:
            left = 1  # the value of this key
        if head in (c"N", c"T", c"F", c"S", c"."):
            continue
        if head in (c"i", c"r"):
            at += 4
        elif head in (c"g", c"I"):
            at += 8
        elif head == c"y":
            at += 16
        elif head == c"{" and depth < DEEPEST:
            scan.outer[depth] = left
            depth += 1
            left = 0
        elif head in (c"z", c"Z", c"f", c"x", c")", c"a", c"A", c"u", c"t", c"s", c"l", c"(", c"[", c"<", c">"):
            length = 1 if head in (c"z", c"Z", c"f", c"x", c")") else 4
            count = 0
            if length <= end - at:
                count = data[at] if length == 1 else _little4(data + at)
            if length > end - at or head == c"x" and count + 2 > end - at:
                at, left = at - 1, left + 1  # read again when more bytes arrive
                break
            if head in (c"(", c"[", c"<", c">", c")"):
                left += count
                count = 0
            elif head == c"x":  # two numbers as text
                count += 1 + data[at + 1 + count]
            elif head == c"l":
                # Digits of two bytes each. Their number is negative if the int is.
                digits = <int32_t>count
                count = 2 * <uint64_t>(digits if digits >= 0 else -digits)
            at += length + count
        else:
            is_value = False
            at -= 1
            break
    scan.at, scan.left, scan.depth = at, left, depth
    return NO_VALUE if not is_value else WHOLE if left == 0 and depth == 0 and at <= end else SHORT


_add("marshal", _marshal, _scan_marshal)
