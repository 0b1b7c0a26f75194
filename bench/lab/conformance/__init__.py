"""Public conformance suites, from copies of the user's own, run against every codec of their format.

None is part of bakeoff. `suites` finds them in a folder, a module for each format reads its cases,
`judge` runs one codec over them in a worker process, `run` starts those processes and counts.
"""
