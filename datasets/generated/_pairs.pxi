# The records of `pairs`: two numbers, and hardly anything else.

cdef inline object wide(Random random):
    """Return a whole number that takes eight bytes, and its sign no ninth."""
    return (random.next() >> 1) | (<uint64_t>1 << 56)


cpdef dict pair(Random random, uint64_t index):
    """Return one pair: a key and a value of eight bytes each."""
    return {"key": wide(random), "value": wide(random)}
