# Find one field of a payload without decoding the others. The walkers are in the files of their formats.
#
# A walker scans the whole payload, because a key may occur twice and the last one counts, and to detect a
# payload that is cut short or has trailing data. If it is not sure, it returns -1, and the payload is decoded
# in full: if it is malformed, a key is not plain text, or a container has a tag. So a walker has to be right
# only if it finds a field, or finds none.

cdef class Way:
    """The steps to a field, in the form that walkers use.

    Args:
        kind: ``"msgpack"``, ``"cbor"``, ``"bson"`` or ``"json"``.
        steps: For each step its key in UTF-8, or None, and its index, or -1.
        wrap: For BSON, the key of a record other than a dict in the document that wraps it; else None.

    Raises:
        ValueError: Unknown kind, or too many steps.
    """

    def __cinit__(self, str kind not None, tuple steps not None, bytes wrap):
        if kind not in WALKS:
            raise ValueError(f"nothing walks through {kind!r}")
        if len(steps) > LONGEST_WAY:
            raise ValueError(f"{len(steps)} steps, more than {LONGEST_WAY}")
        self.kind, self._held, self._wrap = WALKS[kind], steps, wrap
        self.steps.count = len(steps)
        for i, (text, index) in enumerate(steps):
            self.steps.index[i] = index
            self.steps.length[i] = -1 if text is None else len(text)
            self.steps.text[i] = NULL
            if text is not None:
                self.steps.text[i] = <const unsigned char *>PyBytes_AS_STRING(text)
        self.steps.wrap_length = 0 if wrap is None else len(wrap)
        self.steps.wrap = NULL
        if wrap is not None:
            self.steps.wrap = <const unsigned char *>PyBytes_AS_STRING(wrap)

    cdef int locate(self, bytes payload, field_t *field) noexcept:
        """Find the field. Return `FOUND`, with its offsets in `field`, `ABSENT` or `UNSURE`."""
        cdef const unsigned char *data = <const unsigned char *>PyBytes_AS_STRING(payload)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload), end
        field.start = -1
        field.held.shared = False
        if self.kind == IN_MSGPACK:
            end = _msgpack_field(data, size, 0, &self.steps, 0, field)
        elif self.kind == IN_CBOR:
            end = _cbor_field(data, size, 0, &self.steps, 0, field)
        elif self.kind == IN_BSON:
            end = _bson_field(data, size, 0, &self.steps, 0, field, False)
        else:
            end = _json_blank(data, size, _json_field(data, size, _json_blank(data, size, 0), &self.steps, 0, field))
        if end != size or field.held.shared:
            return UNSURE
        return ABSENT if field.start < 0 else FOUND


WALKS = {"msgpack": IN_MSGPACK, "cbor": IN_CBOR, "bson": IN_BSON, "json": IN_JSON}


cdef inline bint _is_step(const steps_t *steps, int step, const unsigned char *text, Py_ssize_t length) noexcept nogil:
    return steps.length[step] == length and memcmp(steps.text[step], text, length) == 0


cdef Py_ssize_t list_head(int kind, const unsigned char *data, uint64_t *count) noexcept nogil:
    """Read the head of a list found in MessagePack or CBOR, and return the length of the head.

    It is -1 if the value is not a list, and 0 if the list ends with a mark.
    """
    cdef uint64_t at = 0
    if kind == IN_CBOR:
        if _cbor_head(data, 9, &at, count) != 4:
            return -1
        return 0 if count[0] == UNKNOWN else at
    return at if _msgpack_head(data, 9, &at, count) == LIST else -1
