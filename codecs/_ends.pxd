ctypedef struct held_t:
    # Values within, and whether some may stand in several places.
    Py_ssize_t values
    bint shared

ctypedef Py_ssize_t (*end_t)(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil

cdef enum:
    # What a finder gives for a payload that the library would read beyond.
    UNSAFE = -2

cdef bint container_key(bytes payload) noexcept
cdef end_t finder(str kind) except? NULL
