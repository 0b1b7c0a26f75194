"""The worker: runs one job in its own process and writes the answer to a file; imports nothing of `run`."""
