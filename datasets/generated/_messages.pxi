# The records of `messages`: an event in its envelope, as services send them to each other.

EVENTS = [
    "order.created", "order.paid", "order.packed", "order.shipped", "order.delivered",
    "order.cancelled", "order.returned", "order.refunded",
]
SERVICES = ["checkout", "billing", "warehouse", "delivery", "storefront", "support"]
REGIONS = ["eu-west-1", "eu-north-1", "us-east-2", "us-west-1", "ap-south-1", "sa-east-1"]
CURRENCIES = ["EUR", "USD", "GBP", "SEK", "INR", "BRL"]
ROLES = ["customer", "employee", "partner", "reseller", "auditor"]
STATES = ["received", "validated", "reserved", "charged", "packed", "handed over"]
COUNTRIES = ["Austria", "Brazil", "Canada", "Denmark", "Finland", "Germany", "India", "Spain", "Sweden"]
COLOURS = ["black", "white", "crimson", "emerald", "orange", "purple"]

# 2023-11-14T22:13:20Z, in milliseconds: the latest round number of seconds before the corpus was designed.
cdef uint64_t EPOCH = 1_700_000_000_000


cdef dict order_line(Random random):
    return {
        "sku": random.digits(10),
        "title": random.title(3),
        "quantity": 1 + random.small(9),
        "price": random.ratio(99, 49_999, 100),
        "discount": random.ratio(1, 40, 100) if random.chance(25) else None,
        "options": [random.pick(COLOURS), random.word()],
    }


cpdef dict message(Random random, uint64_t index):
    """Return one message: an order event with its envelope, 1,675 bytes of compact JSON on average."""
    cdef uint64_t time = EPOCH + index * 333 + random.small(333)
    cdef uint32_t step
    cdef str first = random.word(), last = random.word()
    lines = [order_line(random) for step in range(2 + random.small(3))]
    history = [
        [time - 60_000 * (step + 1) + random.small(60_000), random.pick(STATES), random.pick(SERVICES)]
        for step in range(2 + random.small(3))
    ]
    return {
        "id": random.digits(32),
        "type": random.pick(EVENTS),
        "version": 3,
        "time": time,
        "source": {
            "service": random.pick(SERVICES),
            "region": random.pick(REGIONS),
            "host": f"{random.word()}-{random.small(9000) + 1000}.example.net",
            "process": 300 + random.small(65_000),
        },
        "trace": {
            "trace": random.digits(32),
            "span": random.digits(16),
            "parent": random.digits(16) if random.chance(70) else None,
            "sampled": random.chance(10),
        },
        "actor": {
            "id": 1_000_000 + random.small(99_000_000),
            "name": f"{first.capitalize()} {last.capitalize()}",
            "email": f"{first}.{last}@example.org",
            "verified": random.chance(90),
            "roles": [random.pick(ROLES) for step in range(1 + random.small(2))],
        },
        "order": {
            "number": 100_000_000 + index,
            "currency": random.pick(CURRENCIES),
            "total": random.ratio(1_000, 499_999, 100),
            "gift": random.chance(15),
            "coupon": random.word() if random.chance(30) else None,
            "lines": lines,
            "address": {
                "street": f"{random.title(1)} Street {random.small(200) + 1}",
                "city": random.title(1),
                "postcode": f"{random.small(90_000) + 10_000}",
                "country": random.pick(COUNTRIES),
                "position": [
                    random.ratio(-56_000_000, 70_000_000, 1_000_000),
                    random.ratio(-180_000_000, 180_000_000, 1_000_000),
                ],
            },
            "note": random.prose(322 + random.small(151)),
        },
        "history": history,
        "labels": [random.word() for step in range(3 + random.small(4))],
        "attempt": random.small(3),
        "expires": None,
    }
