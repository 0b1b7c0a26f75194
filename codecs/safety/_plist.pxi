# Property lists: CFBinaryPList.c of Apple's CoreFoundation.


cdef inline uint64_t _big_n(const unsigned char *at, unsigned int length) noexcept nogil:
    cdef uint64_t number = 0
    cdef unsigned int i
    for i in range(length):
        number = number << 8 | at[i]
    return number


cdef Py_ssize_t _plist(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil:
    """Count the references of containers in a binary property list. For XML, the parser counts the values."""
    cdef uint64_t end = size, objects, table, offset, count, i
    cdef unsigned int width, head, length
    if size < 40 or memcmp(data, b"bplist", 6):
        return size
    width, objects, table = data[size - 26], _big_n(data + size - 24, 8), _big_n(data + size - 8, 8)
    held.values = 1
    if width == 0 or width > 8 or table > end or objects > (end - table) // width:
        return -1
    for i in range(objects):
        offset = _big_n(data + table + i * width, width)
        if offset >= end:
            return -1
        head = data[offset]
        # Lists, sets and dicts. With more than 14 entries, the count follows as an integer.
        if head >> 4 not in (0xA, 0xC, 0xD):
            continue
        count = head & 15
        if count == 15:
            if offset + 1 >= end:
                return -1
            length = 1 << (data[offset + 1] & 15)
            if length > 8 or offset + 2 + length > end:
                return -1
            count = _big_n(data + offset + 2, length)
        if count > end:
            return -1
        held.values += count << (head >> 4 == 0xD)
    held.shared = held.values > <Py_ssize_t>objects
    return size


_add("plist", _plist)
