# Check the nesting depth of a payload before a library reads it.
#
# A count is enough for most payloads: with no more bytes that could open a container than levels are allowed,
# a payload cannot nest deeper. The others are scanned exactly. Budget: 25 ns a KB for the count; for the
# scan, 150 ns a KB of JSON and 3 ns a value of MessagePack.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #ifdef __SSE2__
    #include <emmintrin.h>
    #endif

    #if defined(__GNUC__) && (!defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    #define BAKEOFF_VECTORS
    typedef unsigned char bakeoff_v __attribute__((vector_size(16)));
    typedef signed char bakeoff_s __attribute__((vector_size(16)));

    static inline bakeoff_v bakeoff_load(const unsigned char *at) {
        bakeoff_v bytes;
        memcpy(&bytes, at, 16);
        return bytes;
    }
    /* Return the sum of sixteen counters of one byte each. */
    static inline size_t bakeoff_sum(bakeoff_v counters) {
        uint64_t halves[2], even = 0x00ff00ff00ff00ffULL, sum;
        memcpy(halves, &counters, 16);
        sum = (halves[0] & even) + (halves[0] >> 8 & even) + (halves[1] & even) + (halves[1] >> 8 & even);
        return sum * 0x0001000100010001ULL >> 48;
    }
    /* Return one bit for each byte of a mask: all bits of a byte are set, or none. */
    static inline uint64_t bakeoff_bits(bakeoff_v mask) {
    #ifdef __SSE2__
        return (uint64_t)_mm_movemask_epi8((__m128i)mask);
    #else
        uint64_t halves[2];
        memcpy(halves, &mask, 16);
        return ((halves[0] & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56)
            | ((halves[1] & 0x0101010101010101ULL) * 0x0102040810204080ULL >> 56) << 8;
    #endif
    }
    static inline int bakeoff_ones(uint64_t bits) {
        bits -= bits >> 1 & 0x5555555555555555ULL;
        bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
        return (int)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
    }
    #endif

    #define BAKEOFF_JSON_OPENS(b) (((b) | 0x20) == 0x7b)
    /* 0x80 to 0x9f, which are the smallest signed numbers, and 0xdc to 0xdf. */
    #ifdef BAKEOFF_VECTORS
    #define BAKEOFF_MSGPACK_OPENS(b) (((bakeoff_s)(b) < -96) | (((b) & 0xfc) == 0xdc))
    #else
    #define BAKEOFF_MSGPACK_OPENS(b) ((((b) & 0xe0) == 0x80) | (((b) & 0xfc) == 0xdc))
    #endif

    /* Return whether more than `most` bytes could open a container. Up to 15 bytes are counted twice. */
    #ifdef BAKEOFF_VECTORS
    #define BAKEOFF_MAY_NEST(NAME, OPENS)                                                             \\
    static int NAME(const unsigned char *at, Py_ssize_t size, Py_ssize_t most) {                      \\
        const unsigned char *end = at + size;                                                         \\
        size_t found = 0;                                                                             \\
        int i;                                                                                        \\
        if (size < 16) return size > most;                                                            \\
        while (end - at >= 16) {                                                                      \\
            bakeoff_v first = {0}, second = {0};                                                      \\
            for (i = 0; i < 60 && end - at >= 64; i++, at += 64) {                                    \\
                first -= (bakeoff_v)(OPENS(bakeoff_load(at)));                                        \\
                second -= (bakeoff_v)(OPENS(bakeoff_load(at + 16)));                                  \\
                first -= (bakeoff_v)(OPENS(bakeoff_load(at + 32)));                                   \\
                second -= (bakeoff_v)(OPENS(bakeoff_load(at + 48)));                                  \\
            }                                                                                         \\
            for (; end - at >= 16 && end - at < 64; at += 16) {                                       \\
                first -= (bakeoff_v)(OPENS(bakeoff_load(at)));                                        \\
            }                                                                                         \\
            found += bakeoff_sum(first + second);                                                     \\
            if (found > (size_t)most) return 1;                                                       \\
        }                                                                                             \\
        if (at < end) {                                                                               \\
            bakeoff_v none = {0};                                                                     \\
            found += bakeoff_sum(none - (bakeoff_v)(OPENS(bakeoff_load(end - 16))));                  \\
        }                                                                                             \\
        return found > (size_t)most;                                                                  \\
    }
    #else
    #define BAKEOFF_MAY_NEST(NAME, OPENS)                                                             \\
    static int NAME(const unsigned char *at, Py_ssize_t size, Py_ssize_t most) {                      \\
        const unsigned char *end = at + size;                                                         \\
        for (; at < end; at++) most -= OPENS(*at);                                                    \\
        return most < 0;                                                                              \\
    }
    #endif
    BAKEOFF_MAY_NEST(bakeoff_json_may_nest, BAKEOFF_JSON_OPENS)
    BAKEOFF_MAY_NEST(bakeoff_msgpack_may_nest, BAKEOFF_MSGPACK_OPENS)

    /* State of a scan of JSON. */
    typedef struct { Py_ssize_t depth; int in_text, escaped; } bakeoff_json_t;

    /* Scan the bytes one by one. Return whether more than `most` brackets are open at once. */
    static int bakeoff_json_bytes(const unsigned char *at, const unsigned char *end, Py_ssize_t most, bakeoff_json_t *is) {
        for (; at < end; at++) {
            if (is->escaped) is->escaped = 0;
            else if (is->in_text) {
                if (*at == '\\\\') is->escaped = 1;
                else if (*at == '"') is->in_text = 0;
            }
            else if (*at == '"') is->in_text = 1;
            else if ((*at | 0x20) == 0x7b) { if (++is->depth > most) return 1; }
            else if ((*at | 0x20) == 0x7d) is->depth--;
        }
        return 0;
    }

    static int bakeoff_json_nests(const unsigned char *at, Py_ssize_t size, Py_ssize_t most) {
        const unsigned char *end = at + size;
        bakeoff_json_t is = {0, 0, 0};
    #ifdef BAKEOFF_VECTORS
        const uint64_t evens = 0x5555555555555555ULL;
        for (; end - at >= 64; at += 64) {
            uint64_t quotes = 0, slashes = 0, opens = 0, closes = 0, texts;
            bakeoff_json_t before = is;
            int i;
            for (i = 0; i < 64; i += 16) {
                bakeoff_v bytes = bakeoff_load(at + i), folded = bytes | 0x20;
                quotes |= bakeoff_bits((bakeoff_v)(bytes == '"')) << i;
                slashes |= bakeoff_bits((bakeoff_v)(bytes == '\\\\')) << i;
                opens |= bakeoff_bits((bakeoff_v)(folded == 0x7b)) << i;
                closes |= bakeoff_bits((bakeoff_v)(folded == 0x7d)) << i;
            }
            if (slashes || is.escaped) {
                /* In a run of backslashes, every other one escapes the next byte (as in simdjson: Langdale
                   and Lemire, Parsing Gigabytes of JSON per Second, 3.1.1). */
                uint64_t starts, runs, follows;
                slashes &= ~(uint64_t)is.escaped;
                follows = slashes << 1 | is.escaped;
                starts = slashes & ~evens & ~follows;
                runs = starts + slashes;
                is.escaped = runs < starts;
                quotes &= ~((evens ^ runs << 1) & follows);
            }
            texts = quotes;
            texts ^= texts << 1; texts ^= texts << 2; texts ^= texts << 4;
            texts ^= texts << 8; texts ^= texts << 16; texts ^= texts << 32;
            if (is.in_text) texts = ~texts;
            is.in_text = texts >> 63;
            opens &= ~texts;
            closes &= ~texts;
            if (!(opens | closes)) continue;
            i = bakeoff_ones(opens);
            /* Not all brackets that open here have to be open at once. */
            if (is.depth + i > most && bakeoff_json_bytes(at, at + 64, most, &before)) return 1;
            is.depth += i - bakeoff_ones(closes);
        }
    #endif
        return bakeoff_json_bytes(at, end, most, &is);
    }
    """
    bint _json_may_nest "bakeoff_json_may_nest"(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil
    bint _json_nests "bakeoff_json_nests"(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil
    bint _msgpack_may_nest "bakeoff_msgpack_may_nest"(
        const unsigned char *data, Py_ssize_t size, Py_ssize_t most
    ) noexcept nogil


cdef bint _json_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    return _json_may_nest(data, size, most) and _json_nests(data, size, most)


cdef bint _msgpack_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    return _msgpack_may_nest(data, size, most) and _msgpack_nests(data, size, most)


cdef bint _msgpack_nests(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef uint64_t end = size, at = 0, count, left = 1
    # Values that each enclosing container has left.
    cdef uint64_t[DEEPEST] outer
    cdef int depth = 0, what
    while at < end:
        while left == 0:
            if depth == 0:
                return False
            depth -= 1
            left = outer[depth]
        left -= 1
        what = _msgpack_head(data, end, &at, &count)
        if what == LEAF or what == EXTENSION:
            continue
        count <<= what == MAP
        # Each value takes at least one byte.
        if what == NOTHING or count > end - at:
            return False
        if depth == most:
            return True
        outer[depth] = left
        depth += 1
        if what == LIST and count >= MANY:
            count -= _alike(data, end, &at, count, _MSGPACK_LENGTHS)
        left = count
    return False


cdef bint _cbor_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef uint64_t end = size, at = 0, count, left = 1
    # Items that each enclosing container has left.
    cdef uint64_t[DEEPEST] outer
    cdef int depth = 0, major
    while at < end:
        while left == 0:
            if depth == 0:
                return False
            depth -= 1
            left = outer[depth]
        if data[at] == 0xFF:
            # This byte ends a container of indefinite length.
            at += 1
            left = 0
            continue
        left -= 1
        major = _cbor_head(data, end, &at, &count)
        if major < 0:
            return False
        if major == 6:
            left += 1
        elif (major == 2 or major == 3) and count != UNKNOWN:
            if count > end - at:
                return False
            at += count
        elif 2 <= major <= 5:
            if count != UNKNOWN:
                # Each item takes at least one byte.
                if count > end - at:
                    return False
                count <<= major == 5
            # A string of indefinite length contains chunks, but is not a level.
            if depth == most + (major < 4):
                return True
            outer[depth] = left
            depth += 1
            if major == 4 and MANY <= count < UNKNOWN:
                count -= _alike(data, end, &at, count, _CBOR_LENGTHS)
            left = count
    return False


cdef bint _bson_deeper(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil:
    cdef held_t held
    return _bson_levels(data, size, most, &held) == DEEPER
