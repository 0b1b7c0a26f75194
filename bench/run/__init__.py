"""The parent: carries a run through, and names the worker's modules only in jobs."""
