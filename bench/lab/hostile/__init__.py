"""Attacks on codecs: hostile payloads and hostile objects, each with the codec's promise.

`payloads` and `formats` attack `Codec.decode`: tables from which `build` makes payloads within the codec's
own limits. `objects` attacks `Codec.encode`. `attack` is the worker's side, `campaign` the parent's,
`promises` compares the outcome with the promise, and `faults` lists known faults that our codecs cannot
prevent.
"""
