"""Attacks on codecs: hostile payloads and hostile objects, each with what a codec promises of it.

Built by code, no larger than the codec's own limits allow. `payloads` and `formats` attack `Codec.decode`,
`objects` attacks `Codec.encode`; `attack` is the worker's side, `campaign` the parent's, `judge` holds what
was seen against the promise, and `known` lists what no codec of ours can help.
"""
