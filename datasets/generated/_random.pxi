# Random numbers, and text made of fresh objects.

cdef enum:
    TABLE = 4096
    MAX_WORDS = 1024
    MAX_TEXT = 4096
    LONGEST_WORD = 15

# floor(2**64 / golden ratio), made odd: the increment of SplitMix64.
cdef uint64_t GAMMA = 0x9E3779B97F4A7C15ULL

cdef char words_text[MAX_WORDS * (LONGEST_WORD + 1)]
cdef uint16_t words_start[MAX_WORDS]
cdef uint8_t words_length[MAX_WORDS]
cdef uint16_t words_by_frequency[TABLE]
cdef uint32_t words_count = 0
cdef uint32_t words_content = 0  # the first content word


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef void load_words() except *:
    """Lay the word list out for C: one text, and a table that holds each word as often as it shall come."""
    global words_count, words_content
    cdef uint32_t rank = 0, entry = 0, start = 0, copies
    cdef bytes text
    if len(WORDS) > MAX_WORDS or max(map(len, WORDS)) > LONGEST_WORD:
        raise ValueError("the word list does not fit its table")
    words_content = len(FUNCTION_WORDS)
    words_count = len(WORDS)
    weights = [1_000_000 // (rank + 3) for rank in range(words_count)]
    total = sum(weights)
    for rank, word in enumerate(WORDS):
        text = word.encode("ascii")
        memcpy(words_text + start, PyBytes_AS_STRING(text), len(text))
        words_start[rank] = start
        words_length[rank] = len(text)
        start += len(text)
        copies = max(1, weights[rank] * (TABLE - words_count) // total + 1)
        while copies and entry < TABLE:
            words_by_frequency[entry] = rank
            entry += 1
            copies -= 1
    while entry < TABLE:  # what rounding has left over
        words_by_frequency[entry] = entry % words_count
        entry += 1


load_words()


cdef inline object ascii_text(const char *data, Py_ssize_t length):
    cdef object text = PyUnicode_New(length, 127)
    memcpy(PyUnicode_DATA(text), data, length)
    return text


cpdef str fresh(str text):
    """Return an equal text that is another object (the empty text is always the same one)."""
    cdef object copy = PyUnicode_New(len(text), PyUnicode_MAX_CHAR_VALUE(text))
    if len(text):
        PyUnicode_CopyCharacters(copy, 0, text, 0, len(text))
    return copy


cdef class Random:
    """Random numbers and text for one stream of records.

    Record `index` of a stream depends on nothing but (seed, stream, index): any record can be
    made without those before it.

    Args:
        seed: Any whole number from 0 to 2**64 - 1.
        stream: Name of the family, at most eight ASCII characters. Read as a number it keeps families
            with the same seed apart.

    Raises:
        ValueError: The name is longer, or not ASCII.
    """

    cdef uint64_t key
    cdef uint64_t state

    def __init__(self, uint64_t seed, str stream):
        if len(stream) > 8 or not stream.isascii():
            raise ValueError(f"{stream!r}: names of families have at most eight ASCII characters")
        cdef uint64_t salt = int.from_bytes(stream.encode("ascii"), "little")
        self.key = mix(mix(seed + GAMMA) ^ salt)
        self.state = mix(self.key)

    cpdef void seek(self, uint64_t index):
        """Stand at the start of record `index`."""
        self.state = mix(self.key + index * GAMMA)

    cdef inline uint64_t next(self) noexcept:
        self.state += GAMMA
        return mix(self.state)

    cdef inline uint32_t small(self, uint32_t limit) noexcept:
        return <uint32_t>(((self.next() >> 32) * limit) >> 32)

    cpdef uint64_t bits(self):
        """Return 64 random bits."""
        return self.next()

    cpdef uint64_t below(self, uint64_t limit) except? 0:
        """Return a whole number from 0 to `limit` - 1.

        Raises:
            ValueError: `limit` is 0.
        """
        if limit == 0:
            raise ValueError("no whole number is below 0 and at least 0")
        # The bias (at most 1 in 2**11 for the widest limits used here) is irrelevant to a corpus.
        return self.small(limit) if limit <= 0xFFFFFFFFULL else self.next() % limit

    cpdef object between(self, object low, object high):
        """Return a whole number from `low` to `high`, both included."""
        return low + self.below(high - low + 1)

    cpdef bint chance(self, uint32_t percent):
        """Return True in `percent` of 100 cases."""
        return self.small(100) < percent

    cpdef double ratio(self, object low, object high, object scale):
        """Return ``between(low, high) / scale``: a number with few decimal places, as people enter them."""
        return <object>self.between(low, high) / scale

    cpdef double real(self):
        """Return a number from 0 up to 1 with all 53 bits of a double in use."""
        return <double>(self.next() >> 11) / 9007199254740992.0

    cpdef object pick(self, object options):
        """Return one of `options`; a text comes back as an object of its own.

        Raises:
            ValueError: There are none.
        """
        if not options:
            raise ValueError("nothing to pick from")
        option = options[self.small(len(options))]
        return fresh(option) if type(option) is str else option

    cpdef bytes data(self, Py_ssize_t length):
        """Return `length` random bytes."""
        cdef bytes result = PyBytes_FromStringAndSize(NULL, length)
        cdef char *out = PyBytes_AS_STRING(result)
        cdef Py_ssize_t at = 0
        cdef uint64_t word = 0
        while at < length:
            # Byte by byte: the same on machines of either byte order.
            if at & 7 == 0:
                word = self.next()
            out[at] = <char>(word & 0xFF)
            word >>= 8
            at += 1
        return result

    cpdef str digits(self, Py_ssize_t length):
        """Return `length` hexadecimal digits, at most 64."""
        cdef char out[64]
        cdef Py_ssize_t at
        cdef uint64_t word = 0
        for at in range(min(length, 64)):
            if at & 15 == 0:
                word = self.next()
            out[at] = b"0123456789abcdef"[word & 15]
            word >>= 4
        return ascii_text(out, min(length, 64))

    cdef Py_ssize_t put_words(self, char *out, uint32_t count, bint capital) noexcept:
        cdef Py_ssize_t at = 0
        cdef uint32_t word
        while count:
            word = words_content + self.small(words_count - words_content)
            memcpy(out + at, words_text + words_start[word], words_length[word])
            if capital:
                out[at] -= 32
            at += words_length[word]
            count -= 1
            if count:
                out[at] = b" "
                at += 1
        return at

    cdef Py_ssize_t put_prose(self, char *out, Py_ssize_t length) noexcept:
        """Write sentences of at least `length` characters, at most a word and a full stop more."""
        cdef Py_ssize_t at = 0
        cdef uint64_t draw = 0
        cdef uint32_t word, left = 0, mark
        cdef bint capital = True
        while True:
            if left == 0:
                draw = self.next()
                left = 4
            word = words_by_frequency[draw & (TABLE - 1)]
            mark = (draw >> 12) & 15
            draw >>= 16
            left -= 1
            memcpy(out + at, words_text + words_start[word], words_length[word])
            if capital:
                out[at] -= 32
                capital = False
            at += words_length[word]
            if at >= length:
                break
            if mark == 0 and at > 20:
                out[at] = b"."
                at += 1
                capital = True
            elif mark == 1 and at > 10:
                out[at] = b","
                at += 1
            out[at] = b" "
            at += 1
        out[at] = b"."
        return at + 1

    cpdef str word(self):
        """Return a content word, all equally likely."""
        cdef uint32_t word = words_content + self.small(words_count - words_content)
        return ascii_text(words_text + words_start[word], words_length[word])

    cpdef str title(self, uint32_t words):
        """Return content words with capitals, at most sixteen."""
        cdef char out[16 * (LONGEST_WORD + 1)]
        return ascii_text(out, self.put_words(out, min(words, 16), True))

    cpdef str prose(self, Py_ssize_t length):
        """Return sentences of about `length` characters (up to a word more), at most 4,000."""
        cdef char out[MAX_TEXT]
        return ascii_text(out, self.put_prose(out, min(length, MAX_TEXT - 2 * LONGEST_WORD)))

    cpdef str spell(self, str alphabet, Py_ssize_t length):
        """Return `length` letters of an alphabet.

        Raises:
            ValueError: The alphabet is empty.
        """
        cdef Py_ssize_t count = len(alphabet), at
        if count == 0:
            raise ValueError("no letters to spell with")
        return "".join([alphabet[self.small(count)] for at in range(length)])

    cpdef str fill(self, list table, Py_ssize_t length):
        """Return `length` characters of texts out of a table, drawn one after another.

        Raises:
            ValueError: There is none in it, or an empty one.
        """
        cdef list parts = []
        cdef Py_ssize_t have = 0, count = len(table)
        cdef str part
        if count == 0:
            raise ValueError("nothing to fill with")
        while have < length:
            part = <str?>table[self.small(count)]
            if len(part) == 0:
                raise ValueError("nothing to fill with")
            have += len(part)
            parts.append(part)
        return "".join(parts)[:length]


cdef class Stream:
    """The records `start` to `stop` of a family, made one by one as they are asked for."""

    cdef Random random
    cdef object make
    cdef uint64_t index
    cdef uint64_t stop

    def __init__(self, object make, Random random, uint64_t start, uint64_t stop):
        self.make = make
        self.random = random
        self.index = start
        self.stop = stop

    def __iter__(self):
        return self

    def __next__(self):
        cdef uint64_t index = self.index
        if index >= self.stop:
            raise StopIteration
        self.index = index + 1
        self.random.seek(index)
        return self.make(self.random, index)
