"""Measurement: cells, slices, rounds, processes and runs; writes pyperf files.

The parent conducts a run. Each worker does one job in a process of its own and writes its answer to a file:

========  ==============================================  ===========================
phase     `run`, the parent                               `worker`, the child
========  ==============================================  ===========================
prepare   `session`, `reading`                            `prepare`, `records`
check     `check`                                         `check`, `costs`, `limits`
time      `time`, `stopping`                              `time`, `strata`, `estimate`
memory    `memory`                                        `alone`
========  ==============================================  ===========================

`jobs` encodes jobs and answers, which `messages` and the folders of `lab` declare; `figure` and `ledger` have
what a run keeps of them, `blobs` the data that jobs name by digest, `context` the inputs of a
worker, and `heartbeat` its signs of life. `run.processes` starts workers and reports how they ended,
`run.state` sums up the findings, and `run.journal` keeps them on disk. `worker.parts` builds codecs, and
`worker.work` clocks the calls of an operation (`_slice`). `operations` are the measurements, `results` the
file, `stats` the verdicts on pairs (`noise`, `student`), and `verdict` the ranks and the winner. `worker`
imports nothing of `run`, and `run` names workers only in jobs.

In `lab`, `fidelity` compares decoded records, `evolution` tries versions of a schema, `hostile` attacks
codecs with payloads and objects, and `selftest` measures codecs with planted faults.
"""
