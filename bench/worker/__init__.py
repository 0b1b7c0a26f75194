"""The worker: runs one job in a fresh process and writes the answer to a file; imports nothing of `run`."""
