"""Public conformance suites, from one's own copies, run on every codec of their format.

No suite is part of the repository. `suites` finds them in a folder, a module per format reads their cases,
`verdicts` judges a codec on one case, and `processes` does so in processes that may crash.
"""
