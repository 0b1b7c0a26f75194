# The records of `universe`: galaxies and their planets, which refer to one another by number.

cdef enum:
    GROUP = 16  # a galaxy and its planets

cdef uint64_t FIRST = 1_000_000

TYPES = ["E0", "E3", "S0", "Sa", "Sb", "Sc", "SBb", "Irr"]


cdef dict galaxy(Random random, uint64_t index):
    cdef uint64_t step
    cdef uint64_t number = FIRST + index
    return {
        "id": number,
        "kind": fresh("galaxy"),
        "name": f"{random.title(1)} {random.small(9_000) + 1_000}",
        "type": random.pick(TYPES),
        "distance": random.ratio(1_000, 9_999_999, 100),
        "stars": 1_000_000_000 + random.below(999_000_000_000),
        "near": [number + GROUP * (step + 1 + random.small(5)) for step in range(2)],
        "planets": [number + step for step in range(<uint64_t>1, <uint64_t>GROUP)],
    }


cpdef dict body(Random random, uint64_t index):
    """Return a galaxy, or one of the 15 planets that follow it; 160 bytes of compact JSON on average."""
    cdef uint64_t place = index % GROUP
    cdef uint64_t home = FIRST + index - place
    cdef uint64_t step
    if place == 0:
        return galaxy(random, index)
    return {
        "id": home + place,
        "kind": fresh("planet"),
        "name": random.title(1),
        "galaxy": home,
        "orbit": place,
        "mass": random.ratio(1, 99_999, 1_000),
        "radius": random.ratio(100, 14_999, 1_000),
        "moons": random.small(24),
        "ringed": random.chance(20),
        "visited": [home + 1 + random.small(GROUP - 1) for step in range(random.small(3))],
    }
