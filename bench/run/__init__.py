"""The parent process: it conducts a run, and names the worker's modules only in jobs.

It pins processes to cores, limits their memory and reads the kernel's counters where `bench.capabilities`
finds that this is possible.
"""
