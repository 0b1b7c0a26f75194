# The kinds of payloads, and what can be found in each without decoding it. The file of each format adds its own.

ctypedef int (*resume_t)(const unsigned char *data, uint64_t end, scan_t *scan, held_t *held) noexcept nogil
ctypedef int (*collect_t)(bytes payload, list found) except -1

ctypedef struct kind_t:
    # Finds the end of the first value and counts values, in all kinds. The others are NULL if not needed.
    end_t end
    # Continues the search for the end in a stream.
    resume_t resume
    # Checks whether a payload nests deeper than `most` levels (below `DEEPEST`). For a malformed payload, it may
    # overestimate the depth, but it misses no level that a library would enter. With no more bytes that could open a
    # container than levels are allowed, a payload cannot nest deeper; the others are scanned exactly. Budget of the
    # scan: 60 ns a KB of JSON, 3 ns a value of MessagePack.
    deeper_t deeper
    # Collects keys of dicts, and items of sets, that are arrays, maps or tagged values.
    collect_t odd_keys
    # Does the same as `end`, and returns `DEEPER` if there are more levels than `most`.
    levels_t levels
    # Returns a number that is at least that of the values; exact counts take longer.
    at_most_t at_most

cdef kind_t[32] _KINDS
cdef dict _NUMBERS = {}


cdef int _add(
    str name, end_t end, resume_t resume=NULL, deeper_t deeper=NULL, collect_t odd_keys=NULL,
    levels_t levels=NULL, at_most_t at_most=NULL,
) except -1:
    _KINDS[len(_NUMBERS)] = kind_t(end, resume, deeper, odd_keys, levels, at_most)
    _NUMBERS[name] = len(_NUMBERS)
    return 0


cdef kind_t *_kind(str name) except? NULL:
    """Return the functions of a kind; NULL if it is unknown."""
    if name not in _NUMBERS:
        return NULL
    if name == "pickle" and _ARGUMENT[0] != NO_OPCODE:
        _read_opcodes()
    return &_KINDS[<int>_NUMBERS[name]]


cdef end_t finder(str kind) except? NULL:
    """Return the function that finds the end of a kind's first value; NULL if the kind is unknown."""
    cdef kind_t *found = _kind(kind)
    return NULL if found is NULL else found.end


cdef deeper_t deeper(str kind) except? NULL:
    """Return the function that checks how deep a kind nests; NULL if there is none."""
    cdef kind_t *found = _kind(kind)
    return NULL if found is NULL else found.deeper


cdef at_most_t bounder(str kind) except? NULL:
    """Return the function that bounds the number of a kind's values; NULL if there is none."""
    cdef kind_t *found = _kind(kind)
    return NULL if found is NULL else found.at_most


cdef levels_t leveler(str kind) except? NULL:
    """Return the function that finds the end of a kind's value within a number of levels; NULL if there is none."""
    cdef kind_t *found = _kind(kind)
    return NULL if found is NULL else found.levels


def kinds():
    """Return the names of the functions of each kind: any of ``"deeper"``, ``"resume"`` and ``"odd_keys"``."""
    cdef kind_t *found
    cdef dict made = {}
    for name, number in _NUMBERS.items():
        found = &_KINDS[<int>number]
        functions = {
            "deeper": found.deeper is not NULL,
            "resume": found.resume is not NULL,
            "odd_keys": found.odd_keys is not NULL,
        }
        made[name] = {function for function, exists in functions.items() if exists}
    return made


def end_of(str kind, const unsigned char[:] data not None, /):
    """Return the length in bytes of the first value in data, or a negative number if it is not complete.

    Args:
        kind: One of `kinds`.
        data: Bytes, or a view of them.

    Raises:
        ValueError: Unknown kind.
    """
    return _found(kind, data)[0]


def values_in(str kind, const unsigned char[:] data not None, /):
    """Count the values of a payload. Return their number, and whether some may occur several times.

    Of pickle, marshal and text that ends with a NUL, values are not counted.

    Args:
        kind: One of `kinds`.
        data: The payload. If it is cut short, the values before the end are counted.

    Raises:
        ValueError: Unknown kind.
    """
    return _found(kind, data)[1:]


def values_at_most(str kind, const unsigned char[:] data not None, size_t most, /):
    """Return a number that is at least that of the values of a payload, and above `most` if it may be.

    Args:
        kind: "json".
        data: The payload.
        most: The number of interest; a higher bound is not made exact.

    Raises:
        ValueError: No function bounds this kind.
    """
    cdef at_most_t bound = bounder(kind)
    if bound is NULL:
        raise ValueError(f"nothing bounds the values of {kind!r}")
    return bound(&data[0], data.shape[0], most) if data.shape[0] else 1


cdef tuple _found(str kind, const unsigned char[:] data):
    cdef held_t held = held_t(0, 0, False, False, False)
    cdef end_t find = finder(kind)
    if find is NULL:
        raise ValueError(f"nothing finds the ends of {kind!r}")
    end = find(&data[0] if data.shape[0] else NULL, data.shape[0], &held)
    return end, held.values, held.shared


def nests_deeper(str kind, const unsigned char[:] data not None, Py_ssize_t most, /):
    """Return whether the containers of a payload nest deeper than `most` levels.

    Args:
        kind: One of `kinds` that has ``"deeper"``.
        data: The payload.
        most: Number of levels, from 1 to 2,047.

    Raises:
        ValueError: Unknown kind, or number of levels out of range.
    """
    cdef deeper_t check = deeper(kind)
    if check is NULL or not 0 < most < DEEPEST:
        raise ValueError(f"nothing checks whether {kind!r} nests deeper than {most} levels")
    return data.shape[0] > 0 and check(&data[0], data.shape[0], most)


def odd_keys(str kind, bytes data not None, /):
    """Return the encoded keys of dicts, and items of sets, that are arrays, maps or tagged values.

    Args:
        kind: One of `kinds` that has ``"odd_keys"``.
        data: The payload. If it is cut short, the keys before the end are returned.

    Raises:
        TooMuchError: One is so long that its own keys would have to be checked.
        ValueError: Unknown kind.
    """
    cdef list found = []
    cdef kind_t *known = _kind(kind)
    if known is NULL or known.odd_keys is NULL:
        raise ValueError(f"nothing collects the keys of {kind!r}")
    known.odd_keys(data, found)
    if any(len(key) > LONGEST_KEY for key in found):
        raise TooMuchError(f"a key of more than {LONGEST_KEY:,} bytes that is no text")
    return found
