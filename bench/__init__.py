"""Measuring: cells, slices, rounds, processes and runs; writes pyperf files."""
