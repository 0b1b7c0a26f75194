# The records of `movies`: small, flat, four fields.


cpdef dict movie(Random random, uint64_t index):
    """Return one movie: id, title, year, description."""
    cdef char out[256]
    cdef Py_ssize_t length = 0
    cdef uint64_t draw = random.next()
    if draw & 3 == 0:
        memcpy(out, b"The ", 4)
        length = 4
    length += random.put_words(out + length, 1 + ((draw >> 2) & 3) * 3 // 4, True)
    title = ascii_text(out, length)
    # 1888: the year of the oldest film that survives.
    year = 1888 + <uint32_t>((((draw >> 32) & 0xFFFF) * 139) >> 16)
    length = random.put_prose(out, 64 + ((draw >> 8) & 31))
    return {"id": 1_000_001 + index, "title": title, "year": year, "description": ascii_text(out, length)}
