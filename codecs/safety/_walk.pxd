cdef class Rules:
    cdef Py_ssize_t max_items
    cdef Py_ssize_t max_text
    cdef object max_digits
    cdef object bound
    cdef long long _short
    cdef bint nonfinite
    cdef bint surrogates
    cdef Py_ssize_t integer_bits
    cdef tuple foreign
    cdef object keys
    cdef object inside
    cdef bint _texts
    cdef bint _ints
    cdef bint _others

cpdef int check_record(object record, Rules rules) except -1
