# Fill a codec from its spec, once: calls ask nothing that can be answered before.


cdef int _build(Core core, spec) except -1:
    core.spec = spec
    core.name = spec.name
    core.schema, core.compression = spec.settings.schema, spec.settings.compression
    if core.schema is not None and spec.calls.bind is None:
        core.name += "+schema"
    if core.compression is not None:
        core.name += f"|{core.compression.name}"
    _build_searches(core, spec)
    _build_limits(core, spec, spec.settings.limits)
    encode, decode = _bind(core, spec)
    _build_calls(core, spec, encode, decode)
    _build_guards(core, spec)
    _build_policies(core, spec)
    _build_ways(core, spec)
    return 0


cdef int _build_searches(Core core, spec) except -1:
    """Choose what looks through a payload."""
    guards, format = spec.guards, spec.format.name
    core._count, core._count_at_most = finder(format), bounder(format)
    if (spec.limits_depth or spec.settings.limits.depth is not None or spec.rejects_nesting) and (
        spec.settings.limits.deepest < DEEPEST
    ):
        core._is_deeper = deeper(format)
    core._levels = NULL if core._is_deeper is NULL else leveler(format)
    core._find_end = NULL if guards.whole is None else finder(guards.whole)
    if guards.whole is not None and core._find_end is NULL:
        raise ValueError(f"codec {spec.name}: no finder of ends for {guards.whole!r}")
    core._check_keys, core._check_payload, core._shared = guards.check_keys, guards.check_payload, guards.shared
    return 0


cdef int _build_limits(Core core, spec, limits) except -1:
    """Compute the sizes up to which a payload needs no check, and the rules for what is larger."""
    format = spec.format.name
    core.limits, core._most_bytes, core._most_items = limits, limits.size, min(limits.items, PY_SSIZE_T_MAX)
    core._deepest = limits.deepest
    core._most_decompressed, core._ratio = limits.decompressed or limits.size, limits.ratio
    if core._is_deeper is NULL and (limits.depth is not None or spec.rejects_nesting or spec.guards.walked):
        core._walked_depth = core._deepest
    # A level takes at least its head; in JSON its two brackets, in BSON its length, type, name and end.
    core._nesting_free_size = PY_SSIZE_T_MAX if core._is_deeper is NULL else core._deepest * LEAST.get(format, 1)
    # A value takes at least one byte, except empty ones in YAML, which its loader counts. In JSON, a delimiter
    # comes before each but the first.
    core._contents_free_size = (
        core._most_items if core._count_at_most is NULL else min(core._most_items, PY_SSIZE_T_MAX // 2) * 2
    )
    core._write_free_size = min(
        limits.size if core.compression is None else core._most_decompressed, core._contents_free_size
    )
    if core._check_keys is not None:
        core._contents_free_size = min(core._contents_free_size, FEW_KEYS)
    if core.compression is None:
        core._nesting_only_size = min(limits.size, core._contents_free_size)
        core._check_free_size = min(core._nesting_only_size, core._nesting_free_size)
    else:
        core._nesting_only_size = core._check_free_size = limits.size
    # The search for the end of a value of the codec's own format replaces all checks of what it holds.
    if spec.guards.whole == format and (core._levels is not NULL or core._is_deeper is NULL):
        core._nesting_free_size, core._check_free_size = PY_SSIZE_T_MAX, core._nesting_only_size
    # A decimal digit of an integer takes at least 3.32 bits, and 3.2 are assumed.
    digits = PY_SSIZE_T_MAX if limits.digits is None else limits.digits * 2 // 5
    core._texts_free_size = min(PY_SSIZE_T_MAX if limits.string is None else limits.string, digits)
    core._record_rules = Rules(max_items=limits.items, max_text=limits.string, max_digits=limits.digits)
    core._write_rules = Rules(max_items=limits.items, inside=content_of)
    return 0


cdef tuple _bind(Core core, spec):
    """Return the calls that encode and decode, bound to the schema if the library needs one."""
    calls, ids = spec.calls, spec.settings.ids
    if calls.bind is None or core.schema is None:
        return calls.encode, calls.decode
    try:
        bound = calls.bind(core.schema) if ids is None else calls.bind(core.schema, ids)
    except (BakeoffError, CodecError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise SchemaError("$", f"{spec.name} cannot use it: {_sentence(error)}"[:300]) from error
    if not isinstance(bound, Bound):
        raise ValueError(f"codec {spec.name}: expected a Bound from bind, got {type(bound).__name__}")
    core.bound = bound
    core._no_dicts, core._only, core._suspect = not bound.dicts, bound.only, bound.suspect or None
    return bound.encode, bound.decode


cdef int _build_calls(Core core, spec, encode, decode) except -1:
    """Prepare the library's calls with their options."""
    calls, guards = spec.calls, spec.guards
    core._encode = _Call(encode, tuple(calls.encode_arguments), dict(calls.encode_options), calls.encode_again)
    bounded = guards.bounded(core.limits) if guards.bounded else {}
    # A library that is only given the limit of items does not check depth.
    core._bounds_depth = guards.bounded is not None and set(bounded) != {"items"}
    options = {**calls.decode_options, **bounded}
    core._decode = core._decode_untagged = _Call(
        decode, tuple(calls.decode_arguments), options, within=calls.decode_within
    )
    if guards.of_tags:
        untagged = {name: value for name, value in options.items() if name not in guards.of_tags}
        core._decode_untagged = _Call(decode, tuple(calls.decode_arguments), untagged)
    again = None if core.bound is None else core.bound.again
    core._decode_again = calls.decode_again if again is None else again
    core._pool_factory = encode if calls.pooled else None
    core._text, core._wrap, core._subclass = calls.text, calls.wrap, calls.subclass
    core._wrapper = None if calls.wrap is None else calls.wrap.encode()
    if core.compression is not None:
        core._compress, core._decompress = core.compression.compress, core.compression.decompress_within
    core._is_text = spec.encoding is not None
    core._empty = spec.format.empty
    core._untrusted = spec.format.trusted_only and not spec.settings.trusted
    return 0


cdef int _build_guards(Core core, spec) except -1:
    """Take over what the library itself does not do, or does wrongly."""
    guards = spec.guards
    core._lower, core._scan, core._exact = spec.rewrite, guards.scan, guards.exact
    core._level, core._too_deep = guards.level, tuple(guards.too_deep)
    core._stops_itself, core._stops_as_interpreter = guards.stops == "itself", guards.stops == "interpreter"
    core._plain_keys, core._unhashed, core._short_times = guards.plain_keys, guards.unhashed, guards.short_times
    core._may_share = guards.whole == "cbor"
    core._split, core._inside = guards.split, guards.inside
    core._encode_depth = spec.checked_depth
    if core.bound is not None and core.bound.deepest:
        core._deepest = min(core._deepest, core.bound.deepest)
        core._encode_depth = core._walked_depth = core._deepest
    core._shallow = min(core._encode_depth, guards.shallow) if guards.shallow else core._encode_depth or GREATEST
    core._inspects = core._encode_depth != 0 or core._exact is not None
    return 0


cdef int _build_policies(Core core, spec) except -1:
    """Prepare what was asked for: policies, a sampler, a schema of the user's."""
    settings = spec.settings
    if settings.asked:
        from .policy_resolution import rules

        core._dump_rules, core._load_rules = rules(spec, "dump", core.from_spec), rules(spec, "load", core.from_spec)
    core._sampler = settings.sampler
    if core._sampler is not None:
        core._gap = core._sampler.gap()
        core._unsampled = core.from_spec(spec.changed(sampler=None))
    if core.schema is not None and spec.calls.bind is None:
        core._fix, core._refusal = core.schema.fixer(core), core.schema.refusal(core)
    core._refuses = core._no_dicts or core._only is not None or core._refusal is not None
    return 0


cdef int _build_ways(Core core, spec) except -1:
    """Decide which calls take a short way, and whether a field can be found in a payload."""
    plain = (
        core._pool_factory is None and core._compress is None
        and core._dump_rules is None and core._sampler is None
    )
    core._plain_encode = plain and core._scan is None and not core._encode_depth
    core._quick_encode = (
        plain and (core._scan is None or JSON_TYPES <= core._scan) and not core._refuses and core._wrap is None
    )
    core._plain_decode = (
        not core._text and core._wrap is None and core._check_payload is None and core._decompress is None
        and core._shared is None and core._walked_depth == 0 and core._texts_free_size == PY_SSIZE_T_MAX
        and core._subclass is None and not core._untrusted and core._load_rules is None and core._sampler is None
    )
    core._quick_decode = core._plain_decode and core._count is not NULL and core._fix is None
    # Policies, a schema and limits of the record apply to the whole record, so they rule out walks.
    whole = (
        core.schema is not None or spec.settings.limits.depth is not None
        or core._texts_free_size != PY_SSIZE_T_MAX or spec.settings.asked
    )
    core._walks, core._paths = None if whole else spec.calls.walk, {}
    return 0
