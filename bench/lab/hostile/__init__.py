"""Attacks on codecs: hostile payloads and hostile objects, each with what a codec promises of it.

`payloads` and `formats` attack `Codec.decode`: rows of tables of which `build` makes payloads within the
codec's own limits. `objects` attacks `Codec.encode`. `attack` is the worker's side, `campaign` the parent's,
`promises` compares what happened with what is promised, and `faults` lists what no codec of ours can prevent.
"""
