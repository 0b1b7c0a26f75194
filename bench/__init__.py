"""Measuring: cells, slices, rounds, processes and runs; writes pyperf files.

The parent carries a run through, the workers do one job each in a fresh process and answer by file:

========  ==============================================  ===========================
phase     parent                                          worker
========  ==============================================  ===========================
prepare   `session`                                       `prepare`, `sample`
check     `gate`                                          `check`, `judge`, `equality`, `costs`
time      `race`, `stopping`                              `timing`, `strata`, `estimate`
weigh     `weigh`                                         `memory`, `peak`, `growth`, `retained`
========  ==============================================  ===========================

`processes` starts workers and says how they ended, `worker` is their main, `contestant` builds codecs
in them, `work` is what an operation calls and how that is clocked (`_slice`). `ledger` sums up what was
found, `journal` keeps it on disk, `results` is the file, `stats` the verdicts.

`hostile` attacks codecs with payloads and objects, and measures nothing but that promises are kept.
"""
