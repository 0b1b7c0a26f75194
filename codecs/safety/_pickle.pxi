# pickle: pickletools.

cdef enum:
    # Argument of an opcode if it is not a fixed number of bytes. The first five are constants of pickletools.
    TO_NEWLINE = -1
    LENGTH_1 = -2
    SIGNED_4 = -3
    LENGTH_4 = -4
    LENGTH_8 = -5
    TWO_LINES = -6
    NO_OPCODE = -7

cdef signed char[256] _ARGUMENT


cdef int _read_opcodes() except -1:
    """Fill the table from `pickletools`."""
    import pickletools

    for code in range(256):
        _ARGUMENT[code] = NO_OPCODE
    for opcode in pickletools.opcodes:
        argument = opcode.arg
        two = argument is not None and argument.name.endswith("_pair")
        _ARGUMENT[ord(opcode.code)] = 0 if argument is None else TWO_LINES if two else argument.n
    return 0


cdef inline bint _is_one_frame(const unsigned char *data, Py_ssize_t size) noexcept nogil:
    """Return whether a pickle is a protocol header and exactly one frame (PEP 3154), taken as its end."""
    return size > 11 and data[0] == 0x80 and data[2] == 0x95 and _little8(data + 3) == <uint64_t>(size - 11)


cdef Py_ssize_t _pickle(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    cdef scan_t scan = scan_t(0, 1, NULL, 0, 0)
    if _is_one_frame(data, size):
        return size
    return scan.at if _scan_pickle(data, size, &scan, held) == WHOLE else -1


cdef inline uint64_t _after_lines(const unsigned char *data, uint64_t end, uint64_t at, int *lines) noexcept nogil:
    """Return the end of `lines` lines from `at` on, or `end` if some are incomplete; subtract those found."""
    cdef const unsigned char *line
    while lines[0] and at < end:
        line = <const unsigned char *>memchr(data + at, c"\n", end - at)
        at = end if line is NULL else line - data + 1
        lines[0] -= line is not NULL
    return at


cdef inline int _scan_pickle(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil:
    cdef uint64_t at = _after_lines(data, end, scan.at, &scan.lines), count
    cdef int head, argument, length, state = SHORT
    while at < end:
        head = data[at]
        at += 1
        # Most opcodes are texts and their memo numbers. Handling them here avoids waiting for the table.
        if head == c"X" and end - at >= 4:
            at += 4 + _little4(data + at)
            if at < end and data[at] == c"q":
                at += 2
            continue
        argument = _ARGUMENT[head]
        if argument >= 0:
            at += argument
            if head == c".":
                state = WHOLE
                break
        elif argument == NO_OPCODE:
            state = NO_VALUE
            at -= 1
            break
        elif argument == TO_NEWLINE or argument == TWO_LINES:
            scan.lines = 1 if argument == TO_NEWLINE else 2
            at = _after_lines(data, end, at, &scan.lines)
        else:
            length = 1 if argument == LENGTH_1 else 8 if argument == LENGTH_8 else 4
            if <uint64_t>length > end - at:
                at -= 1  # read again when more bytes arrive
                break
            # Signed lengths are read as unsigned, so a negative one exceeds any payload below 2 GiB.
            count = data[at] if length == 1 else _little4(data + at) if length == 4 else _little8(data + at)
            at += length + min(count, BEYOND)
    scan.at = at
    return state


_add("pickle", _pickle, _scan_pickle)
