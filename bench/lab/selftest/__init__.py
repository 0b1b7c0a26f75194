"""The self-test: codecs with planted faults, which the measurement must find on this machine."""
