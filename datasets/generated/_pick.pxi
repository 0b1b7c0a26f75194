# Drawing alternatives as often as they were counted, for synthetic records.

cdef enum:
    MOST_CARDS = 1024


cdef class Pick:
    """Draws alternatives as often as they were counted; called without arguments it returns one.

    As from a deck of as many cards as were counted: a synthetic document for one of a hundred items has a hundred,
    with each alternative as often as it was there, in any order.

    Args:
        options: At least one.
        counts: As many, below 2**41 each; all 0 makes all equally likely.

    Raises:
        ValueError: There are none, not as many, or more than 10,000.
    """

    cdef Random random
    cdef list options
    cdef uint64_t *upto
    cdef uint32_t *deck
    cdef uint64_t total
    cdef uint32_t cards
    cdef uint32_t left

    def __cinit__(self, Random random not None, list options not None, list counts not None):
        cdef Py_ssize_t at, size = len(options)
        cdef bint even = not any(counts)
        if not 0 < size <= 10_000 or size != len(counts):
            raise ValueError("a count for each of the options, of which there are 1 to 10,000")
        self.random = random
        self.options = list(options)
        self.upto = <uint64_t *>malloc(size * sizeof(uint64_t))
        if self.upto == NULL:
            raise MemoryError()
        for at in range(size):
            self.total += 1 if even else <uint64_t>min(counts[at], 1 << 40)
            self.upto[at] = self.total
        self.cards = <uint32_t>max(<uint64_t>2, min(self.total, <uint64_t>MOST_CARDS))
        self.deck = <uint32_t *>malloc(self.cards * sizeof(uint32_t))
        if self.deck == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.upto)
        free(self.deck)

    cdef void shuffle(self) noexcept:
        cdef uint32_t at, other, card
        for at in range(self.cards):
            self.deck[at] = at
        for at in range(self.cards - 1, 0, -1):
            other = self.random.small(at + 1)
            card = self.deck[at]
            self.deck[at] = self.deck[other]
            self.deck[other] = card
        self.left = self.cards

    def __call__(self):
        cdef uint64_t place
        cdef Py_ssize_t low = 0, high = len(self.options) - 1, middle
        if self.left == 0:
            self.shuffle()
        self.left -= 1
        place = (self.deck[self.left] * self.total + self.random.next() % self.total) // self.cards
        while low < high:
            middle = (low + high) // 2
            if self.upto[middle] > place:
                high = middle
            else:
                low = middle + 1
        return self.options[low]
