# Count bytes of a payload in vectors: of 32 bytes where the processor has AVX2, else of 16.
#
# The functions of both widths are compiled from the same text. The processor is asked once, at import. Budget for
# 32 bytes: 10 ns a KB for a count, 60 ns a KB of JSON if texts have to be told from what is outside them.

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__GNUC__) && (!defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    #define BAKEOFF_VECTORS
    #if defined(__x86_64__)
    #define BAKEOFF_WIDE
    #include <immintrin.h>
    #endif
    #endif

    /* State of a scan of JSON between blocks. */
    typedef struct { Py_ssize_t depth; uint64_t in_text, escaped; } bakeoff_json_t;

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
    /* Count the delimiters outside of texts that come before a value. */
    static size_t bakeoff_json_delimiters(const unsigned char *at, const unsigned char *end, bakeoff_json_t *is) {
        size_t found = 0;
        for (; at < end; at++) {
            if (is->escaped) is->escaped = 0;
            else if (is->in_text) {
                if (*at == '\\\\') is->escaped = 1;
                else if (*at == '"') is->in_text = 0;
            }
            else if (*at == '"') is->in_text = 1;
            else found += *at == ',' || *at == ':' || (*at | 0x20) == 0x7b;
        }
        return found;
    }
    /* Return the quotes that no backslash escapes. In a run of backslashes, every other one escapes the next byte
       (as in simdjson: Langdale and Lemire, Parsing Gigabytes of JSON per Second, 3.1.1). */
    static inline uint64_t bakeoff_unescaped(uint64_t quotes, uint64_t slashes, uint64_t *escaped) {
        const uint64_t evens = 0x5555555555555555ULL;
        uint64_t starts, runs, follows;
        if (!(slashes | *escaped)) return quotes;
        slashes &= ~*escaped;
        follows = slashes << 1 | *escaped;
        starts = slashes & ~evens & ~follows;
        runs = starts + slashes;
        *escaped = runs < starts;
        return quotes & ~((evens ^ runs << 1) & follows);
    }

    /* Bytes that can open a container, or come before a value. The first two of MessagePack are the smallest signed
       numbers, 0x80 to 0x9f; the other is 0xdc to 0xdf. */
    #define BAKEOFF_JSON_OPENS(b, s) (((b) | 0x20) == 0x7b)
    #define BAKEOFF_JSON_DELIMITS(b, s) (((b) == ',') | ((b) == ':') | (((b) | 0x20) == 0x7b))
    #define BAKEOFF_MSGPACK_OPENS(b, s) (((s) < -96) | (((b) & 0xfc) == 0xdc))

    /* Define a function that returns how many bytes of a payload are such bytes, or some number above `most`. Fewer
       bytes than a vector has may be counted twice. */
    #define BAKEOFF_COUNT(NAME, HITS, ATTRIBUTE, V, S, WIDTH)                                                 \\
        ATTRIBUTE static size_t NAME(const unsigned char *at, Py_ssize_t size, size_t most) {                 \\
            const unsigned char *end = at + size;                                                             \\
            size_t found = 0;                                                                                 \\
            V first, second, bytes;                                                                           \\
            int i;                                                                                            \\
            if (size < WIDTH) {                                                                               \\
                for (; at < end; at++) found += HITS(*at, (signed char)*at) != 0;                             \\
                return found;                                                                                 \\
            }                                                                                                 \\
            do {                                                                                              \\
                memset(&first, 0, WIDTH);                                                                     \\
                memset(&second, 0, WIDTH);                                                                    \\
                for (i = 0; i < 64 && end - at >= 2 * WIDTH; i++, at += 2 * WIDTH) {                         \\
                    memcpy(&bytes, at, WIDTH);                                                                \\
                    first -= (V)(HITS(bytes, (S)bytes));                                                      \\
                    memcpy(&bytes, at + WIDTH, WIDTH);                                                        \\
                    second -= (V)(HITS(bytes, (S)bytes));                                                     \\
                }                                                                                             \\
                if (end - at < 2 * WIDTH) {                                                                   \\
                    if (end - at >= WIDTH) {                                                                  \\
                        memcpy(&bytes, at, WIDTH);                                                            \\
                        first -= (V)(HITS(bytes, (S)bytes));                                                  \\
                    }                                                                                         \\
                    memcpy(&bytes, end - WIDTH, WIDTH);                                                       \\
                    second -= (V)(HITS(bytes, (S)bytes));                                                     \\
                    at = end;                                                                                 \\
                }                                                                                             \\
                found += bakeoff_sum((const unsigned char *)&first, WIDTH);                                   \\
                found += bakeoff_sum((const unsigned char *)&second, WIDTH);                                  \\
            } while (at < end && found <= most);                                                              \\
            return found;                                                                                     \\
        }

    #if defined(__GNUC__) && !defined(__clang__)
    #define BAKEOFF_UNROLL _Pragma("GCC unroll 4")
    #else
    #define BAKEOFF_UNROLL
    #endif

    /* Define the scans of JSON in blocks of 64 bytes, given how to make masks of one bit a byte. What a block passes
       on to the next is in variables of its own, as the address of a struct would keep it out of registers. */
    #define BAKEOFF_JSON(NAME, ATTRIBUTE, V, WIDTH, BITS, PREFIXES, ONES)                                     \\
        ATTRIBUTE static int NAME##_nests(const unsigned char *at, Py_ssize_t size, Py_ssize_t most) {        \\
            const unsigned char *end = at + size;                                                             \\
            uint64_t in_text = 0, escaped = 0;                                                                \\
            Py_ssize_t depth = 0;                                                                             \\
            for (; end - at >= 64; at += 64) {                                                                \\
                uint64_t quotes = 0, slashes = 0, opens = 0, closes = 0, texts, was_escaped = escaped;        \\
                int i;                                                                                        \\
                BAKEOFF_UNROLL                                                                                \\
                for (i = 0; i < 64; i += WIDTH) {                                                             \\
                    V bytes, folded;                                                                          \\
                    memcpy(&bytes, at + i, WIDTH);                                                            \\
                    folded = bytes | 0x20;                                                                    \\
                    quotes |= BITS((V)(bytes == '"')) << i;                                                   \\
                    slashes |= BITS((V)(bytes == '\\\\')) << i;                                               \\
                    opens |= BITS((V)(folded == 0x7b)) << i;                                                  \\
                    closes |= BITS((V)(folded == 0x7d)) << i;                                                 \\
                }                                                                                             \\
                texts = PREFIXES(bakeoff_unescaped(quotes, slashes, &escaped)) ^ in_text;                     \\
                i = ONES(opens & ~texts);                                                                     \\
                /* Not all brackets that open here have to be open at once. */                                \\
                if (depth + i > most) {                                                                       \\
                    bakeoff_json_t is = {depth, in_text & 1, was_escaped};                                    \\
                    if (bakeoff_json_bytes(at, at + 64, most, &is)) return 1;                                 \\
                }                                                                                             \\
                depth += i - ONES(closes & ~texts);                                                           \\
                in_text = 0 - (texts >> 63);                                                                  \\
            }                                                                                                 \\
            {                                                                                                 \\
                bakeoff_json_t is = {depth, in_text & 1, escaped};                                            \\
                return bakeoff_json_bytes(at, end, most, &is);                                                \\
            }                                                                                                 \\
        }                                                                                                     \\
        ATTRIBUTE static size_t NAME##_values(const unsigned char *at, Py_ssize_t size) {                     \\
            const unsigned char *end = at + size;                                                             \\
            uint64_t in_text = 0, escaped = 0;                                                                \\
            size_t found = 1;                                                                                 \\
            for (; end - at >= 64; at += 64) {                                                                \\
                uint64_t quotes = 0, slashes = 0, delimiters = 0, texts;                                      \\
                int i;                                                                                        \\
                BAKEOFF_UNROLL                                                                                \\
                for (i = 0; i < 64; i += WIDTH) {                                                             \\
                    V bytes;                                                                                  \\
                    memcpy(&bytes, at + i, WIDTH);                                                            \\
                    quotes |= BITS((V)(bytes == '"')) << i;                                                   \\
                    slashes |= BITS((V)(bytes == '\\\\')) << i;                                               \\
                    delimiters |= BITS((V)(BAKEOFF_JSON_DELIMITS(bytes, 0))) << i;                            \\
                }                                                                                             \\
                texts = PREFIXES(bakeoff_unescaped(quotes, slashes, &escaped)) ^ in_text;                     \\
                in_text = 0 - (texts >> 63);                                                                  \\
                found += ONES(delimiters & ~texts);                                                           \\
            }                                                                                                 \\
            {                                                                                                 \\
                bakeoff_json_t is = {0, in_text & 1, escaped};                                                \\
                return found + bakeoff_json_delimiters(at, end, &is);                                         \\
            }                                                                                                 \\
        }

    #ifdef BAKEOFF_VECTORS
    typedef unsigned char bakeoff_v __attribute__((vector_size(16)));
    typedef signed char bakeoff_s __attribute__((vector_size(16)));

    static inline size_t bakeoff_sum(const unsigned char *counters, int count) {
        uint64_t eight, even = 0x00ff00ff00ff00ffULL, sum = 0;
        int i;
        for (i = 0; i < count; i += 8) {
            memcpy(&eight, counters + i, 8);
            sum += (eight & even) + (eight >> 8 & even);
        }
        return (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32 & 0xffff) + (sum >> 48);
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
    /* Return for each bit the sum of the bits up to it, modulo 2. */
    static inline uint64_t bakeoff_prefixes(uint64_t bits) {
        bits ^= bits << 1; bits ^= bits << 2; bits ^= bits << 4;
        bits ^= bits << 8; bits ^= bits << 16; bits ^= bits << 32;
        return bits;
    }
    static inline int bakeoff_ones(uint64_t bits) {
        bits -= bits >> 1 & 0x5555555555555555ULL;
        bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
        return (int)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * 0x0101010101010101ULL >> 56);
    }
    #define BAKEOFF_ALL(NAME, ATTRIBUTE, V, S, WIDTH, BITS, PREFIXES, ONES)                                   \\
        BAKEOFF_COUNT(NAME##_json_opens, BAKEOFF_JSON_OPENS, ATTRIBUTE, V, S, WIDTH)                          \\
        BAKEOFF_COUNT(NAME##_json_delimits, BAKEOFF_JSON_DELIMITS, ATTRIBUTE, V, S, WIDTH)                    \\
        BAKEOFF_COUNT(NAME##_msgpack_opens, BAKEOFF_MSGPACK_OPENS, ATTRIBUTE, V, S, WIDTH)                    \\
        BAKEOFF_JSON(NAME##_json, ATTRIBUTE, V, WIDTH, BITS, PREFIXES, ONES)
    BAKEOFF_ALL(bakeoff_short, , bakeoff_v, bakeoff_s, 16, bakeoff_bits, bakeoff_prefixes, bakeoff_ones)

    #ifdef BAKEOFF_WIDE
    #define BAKEOFF_AVX2 __attribute__((target("avx2,pclmul,popcnt")))
    typedef unsigned char bakeoff_wide_v __attribute__((vector_size(32)));
    typedef signed char bakeoff_wide_s __attribute__((vector_size(32)));
    #define BAKEOFF_WIDE_BITS(mask) ((uint64_t)(uint32_t)_mm256_movemask_epi8((__m256i)(mask)))
    #define BAKEOFF_WIDE_PREFIXES(bits)                                                                       \\
        ((uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(                                                    \\
            _mm_set_epi64x(0, (long long)(bits)), _mm_set1_epi8((char)0xff), 0)))
    #define BAKEOFF_WIDE_ONES(bits) ((int)_mm_popcnt_u64(bits))
    BAKEOFF_ALL(
        bakeoff_wide, BAKEOFF_AVX2, bakeoff_wide_v, bakeoff_wide_s, 32,
        BAKEOFF_WIDE_BITS, BAKEOFF_WIDE_PREFIXES, BAKEOFF_WIDE_ONES
    )
    #endif
    #else
    #define BAKEOFF_BYTES(NAME, HITS)                                                                         \\
        static size_t NAME(const unsigned char *at, Py_ssize_t size, size_t most) {                           \\
            const unsigned char *end = at + size;                                                             \\
            size_t found = 0;                                                                                 \\
            for (; at < end; at++) found += HITS(*at, (signed char)*at) != 0;                                 \\
            return found;                                                                                     \\
        }
    BAKEOFF_BYTES(bakeoff_short_json_opens, BAKEOFF_JSON_OPENS)
    BAKEOFF_BYTES(bakeoff_short_json_delimits, BAKEOFF_JSON_DELIMITS)
    BAKEOFF_BYTES(bakeoff_short_msgpack_opens, BAKEOFF_MSGPACK_OPENS)
    static int bakeoff_short_json_nests(const unsigned char *at, Py_ssize_t size, Py_ssize_t most) {
        bakeoff_json_t is = {0, 0, 0};
        return bakeoff_json_bytes(at, at + size, most, &is);
    }
    static size_t bakeoff_short_json_values(const unsigned char *at, Py_ssize_t size) {
        bakeoff_json_t is = {0, 0, 0};
        return 1 + bakeoff_json_delimiters(at, at + size, &is);
    }
    #endif

    typedef struct {
        size_t (*json_opens)(const unsigned char *, Py_ssize_t, size_t);
        size_t (*json_delimits)(const unsigned char *, Py_ssize_t, size_t);
        size_t (*msgpack_opens)(const unsigned char *, Py_ssize_t, size_t);
        int (*json_nests)(const unsigned char *, Py_ssize_t, Py_ssize_t);
        size_t (*json_values)(const unsigned char *, Py_ssize_t);
    } bakeoff_vectors_t;
    #define BAKEOFF_TABLE(NAME) {                                                                             \\
        NAME##_json_opens, NAME##_json_delimits, NAME##_msgpack_opens,\\
        NAME##_json_nests, NAME##_json_values                                                                 \\
    }
    static bakeoff_vectors_t bakeoff_vectors = BAKEOFF_TABLE(bakeoff_short);

    static int bakeoff_choose_width(int wide) {
        static const bakeoff_vectors_t narrow = BAKEOFF_TABLE(bakeoff_short);
        bakeoff_vectors = narrow;
    #ifdef BAKEOFF_WIDE
        static const bakeoff_vectors_t wider = BAKEOFF_TABLE(bakeoff_wide);
        __builtin_cpu_init();
        if (wide && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul")
            && __builtin_cpu_supports("popcnt")) {
            bakeoff_vectors = wider;
            return 32;
        }
    #endif
        return 16;
    }
    """
    ctypedef struct vectors_t "bakeoff_vectors_t":
        size_t (*json_opens)(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil
        size_t (*json_delimits)(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil
        size_t (*msgpack_opens)(const unsigned char *data, Py_ssize_t size, size_t most) noexcept nogil
        bint (*json_nests)(const unsigned char *data, Py_ssize_t size, Py_ssize_t most) noexcept nogil
        size_t (*json_values)(const unsigned char *data, Py_ssize_t size) noexcept nogil
    vectors_t _vectors "bakeoff_vectors"
    int _choose_width "bakeoff_choose_width"(bint wide) noexcept


_choose_width(True)


def choose_width(bint wide=True, /):
    """Choose the width of the vectors in which bytes are counted, for tests. Results do not depend on it.

    Args:
        wide: Use vectors of 32 bytes if the processor has them.

    Returns:
        The width in bytes: 16 or 32.
    """
    return _choose_width(wide)
