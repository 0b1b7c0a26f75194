"""Public conformance suites, from the user's own copies, run against every codec of their format.

No suite is part of bakeoff. `suites` finds them in a folder, a module per format reads their cases,
`verdicts` judges one codec in a worker process, and `run` starts these processes and counts.
"""
