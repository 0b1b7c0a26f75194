from libc.stdint cimport int64_t, uint64_t

ctypedef struct held_t:
    # Number of values, and of containers among them; whether some have CBOR tags, or may occur several times; and
    # whether a dict or set may have more than `SAME` keys that are no texts or numbers.
    Py_ssize_t values
    Py_ssize_t containers
    bint tagged
    bint shared
    bint wide

ctypedef Py_ssize_t (*end_t)(const unsigned char *data, Py_ssize_t size, held_t *held) noexcept nogil

ctypedef size_t (*at_most_t)(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil

ctypedef Py_ssize_t (*levels_t)(
    const unsigned char *data, Py_ssize_t size, Py_ssize_t most, held_t *held
) noexcept nogil

ctypedef bint (*deeper_t)(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil

cdef enum:
    # Nesting depth that scanners support: more than cbor2 (400) and marshal (2,000) read.
    DEEPEST = 2048

cdef enum:
    # Result of a finder if the library would read past the end of the payload; and, if it checks levels, for payloads
    # that have more.
    UNSAFE = -2
    DEEPER = -3

cdef enum:
    # Harmless number of keys with the same hash in one dict; in ordinary data, hardly two keys share a hash.
    SAME = 100

cdef bint container_key(bytes payload) noexcept
cdef end_t finder(str kind) except? NULL
cdef deeper_t deeper(str kind) except? NULL
cdef at_most_t bounder(str kind) except? NULL
cdef levels_t leveler(str kind) except? NULL

cdef enum:
    # Maximum number of steps to a field.
    LONGEST_WAY = 32
    # Nested BSON documents on the longest way, and an array at its end.
    MOST_OUTER = 33
    # Nesting depth of JSON, the same as that of the libraries.
    JSON_DEPTH = 1024
    JSON_WORDS = 16

cdef enum:
    # Formats that have a walker.
    IN_MSGPACK
    IN_CBOR
    IN_BSON
    IN_JSON

cdef enum:
    # Results of a walk.
    FOUND
    ABSENT
    UNSURE

cdef enum:
    # Classes of JSON bytes.
    BLANK = 1
    PLAIN = 2

ctypedef struct steps_t:
    # Key and index of each step. The length is -1 if it has no key, the index if it has no index.
    int count
    const unsigned char *text[LONGEST_WAY]
    Py_ssize_t length[LONGEST_WAY]
    int64_t index[LONGEST_WAY]
    const unsigned char *wrap
    Py_ssize_t wrap_length

ctypedef struct field_t:
    # Offsets: start, end; for BSON also the type byte and the enclosing documents.
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
