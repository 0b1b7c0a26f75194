"""Whether measuring works here: codecs with planted faults, and what must be found of them."""
