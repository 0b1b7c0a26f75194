ctypedef Py_ssize_t (*end_t)(const unsigned char *data, Py_ssize_t size) noexcept nogil

cdef bint container_key(bytes payload) noexcept
cdef end_t finder(str kind) except NULL
