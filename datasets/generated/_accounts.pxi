# The records of `accounts`: users with what they own, and password hashes that nobody has to wait for.

GROUPS = ["reader", "writer", "editor", "moderator", "admin"]
LANGUAGES = ["de", "en", "es", "fr", "hi", "ja", "pt", "sv"]

cdef char *BCRYPT = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


cdef str password_hash(Random random):
    """Return text of the form of a bcrypt hash, as none of the words that it could belong to is known."""
    cdef char out[60]
    cdef uint64_t word = 0
    cdef Py_ssize_t at
    memcpy(out, b"$2b$12$", 7)
    for at in range(7, 60):
        if (at - 7) % 10 == 0:
            word = random.next()
        out[at] = BCRYPT[word & 63]
        word >>= 6
    return ascii_text(out, 60)


cdef object moment(Random random, int first):
    """Return a time in UTC, of whole milliseconds as BSON has them, in one of ten years."""
    cdef uint64_t draw = random.next()
    return datetime_new(
        first + <int>((draw & 0xFFFF) * 10 >> 16), 1 + <int>((draw >> 16 & 0xFF) * 12 >> 8),
        1 + <int>((draw >> 24 & 0xFF) * 28 >> 8), <int>((draw >> 32 & 0xFF) * 24 >> 8),
        <int>((draw >> 40 & 0xFF) * 60 >> 8), <int>((draw >> 48 & 0xFF) * 60 >> 8),
        1000 * random.small(1000), UTC,
    )


cdef dict owned(Random random):
    return {
        "item": 10_000_000 + random.small(90_000_000),
        "title": random.title(2),
        "bought": date_new(2014 + random.small(10), 1 + random.small(12), 1 + random.small(28)),
        "cents": 300 + random.small(100_000),
        "shared": random.chance(20),
    }


cpdef dict account(Random random, uint64_t index):
    """Return one account: a user with up to eight items, 780 bytes of compact JSON on average."""
    cdef uint32_t step
    cdef str first = random.word(), last = random.word()
    return {
        "id": 2_000_001 + index,
        "login": f"{first}{random.small(9000) + 1000}",
        "name": f"{first.capitalize()} {last.capitalize()}",
        "email": f"{first}.{last}@example.com",
        "password": password_hash(random),
        "created": moment(random, 2004),
        "seen": moment(random, 2014) if random.chance(80) else None,
        "active": random.chance(85),
        "groups": [random.pick(GROUPS) for step in range(1 + random.small(3))],
        "settings": {
            "language": random.pick(LANGUAGES),
            "mails": random.chance(60),
            "page": 10 * (1 + random.small(10)),
        },
        "items": [owned(random) for step in range(1 + random.small(8))],
    }
