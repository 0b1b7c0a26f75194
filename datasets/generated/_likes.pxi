# The records of `likes`: a user, and a set of relations as large as is asked for.


cpdef dict likes(Random random, uint64_t index, Py_ssize_t relations=100):
    """Return one user with so many relations, which are numbers of items."""
    cdef set items = set()
    cdef dict record = {"user": 3_000_000 + index, "name": random.title(2), "likes": items}
    while len(items) < relations:
        items.add(<uint64_t>10_000_000 + random.small(90_000_000))
    return record
