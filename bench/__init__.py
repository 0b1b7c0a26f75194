"""Measuring: cells, slices, rounds, processes and runs; writes pyperf files.

The parent carries a run through, the workers do one job each in a fresh process and answer by file:

========  ==============================================  ===========================
phase     `run`, the parent                               `worker`, the child
========  ==============================================  ===========================
prepare   `session`                                       `prepare`, `records`
check     `check`                                         `check`, `costs`, `limits`
time      `time`, `stopping`                              `time`, `strata`, `estimate`
memory    `memory`                                        `memory`
========  ==============================================  ===========================

`jobs` is what one asks and the other answers, typed; `blobs` what jobs name by digest, `context` what a
worker has at hand, `heartbeat` how it shows that it lives. `run.processes` starts workers and says how they
ended, `run.state` sums up what was found, `run.journal` keeps it on disk; `worker.parts` builds codecs, and
`worker.work` clocks what an operation calls (`_slice`). `operations` is what can be measured, `fidelity` what
comes back, `results` the file, `stats` the verdicts on pairs (`noise`, `student`), `verdict` ranks and
winner. `worker` imports nothing of `run`, and `run` names workers only in jobs.

`hostile` attacks codecs with payloads and objects, `conformance` tries suites of others on them, `selftest`
measuring on codecs with planted faults.
"""
