from libc.stdint cimport int64_t, uint64_t

ctypedef struct held_t:
    # Values within, containers among them, whether some have tags of CBOR, and may stand in several places.
    Py_ssize_t values
    Py_ssize_t containers
    bint tagged
    bint shared

ctypedef Py_ssize_t (*end_t)(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil

ctypedef bint (*deeper_t)(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil

cdef enum:
    # Containers that are gone into, one within another: more than cbor2 reads (400) and marshal (2,000).
    DEEPEST = 2048

cdef enum:
    # What a finder gives for a payload that the library would read beyond.
    UNSAFE = -2

cdef bint container_key(bytes payload) noexcept
cdef end_t finder(str kind) except? NULL
cdef deeper_t deeper(str kind) except? NULL

cdef enum:
    # Steps of a way to a field.
    LONGEST_WAY = 32
    # Documents of BSON from the first to a list at its end.
    MOST_OUTER = 33
    # Brackets of JSON within one another, as many as the libraries read.
    JSON_DEPTH = 1024
    JSON_WORDS = 16

cdef enum:
    # What a payload is walked through as.
    IN_MSGPACK
    IN_CBOR
    IN_BSON
    IN_JSON

cdef enum:
    # What a walk has come to.
    FOUND
    ABSENT
    UNSURE

cdef enum:
    # What a byte of JSON is part of.
    BLANK = 1
    PLAIN = 2

ctypedef struct steps_t:
    # Key, and index, of each; where a step is not one of both, its length or its index is -1.
    int count
    const unsigned char *text[LONGEST_WAY]
    Py_ssize_t length[LONGEST_WAY]
    int64_t index[LONGEST_WAY]
    const unsigned char *wrap
    Py_ssize_t wrap_length

ctypedef struct field_t:
    # Where it stands; for BSON also its type, and the documents that it is in.
    Py_ssize_t start
    Py_ssize_t end
    Py_ssize_t head
    Py_ssize_t outer[MOST_OUTER]
    held_t held

cdef class Way:
    cdef readonly int kind
    cdef steps_t steps
    cdef tuple _held
    cdef bytes _wrap
    cdef int locate(self, bytes payload, field_t *field) noexcept

cdef Py_ssize_t list_head(int kind, const unsigned char *data, uint64_t *count) noexcept nogil
cdef Py_ssize_t bson_items(const char *array, Py_ssize_t size) noexcept nogil
