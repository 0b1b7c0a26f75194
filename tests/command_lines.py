"""Command lines that tests try, for each command, each parameter for a file, and each output.

A new command is entered here: the tests that use these tables name the ones that it is missing from.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

RESULT: Final = Path(__file__).parent / "data" / "results" / "version-1.json"

LINES: Final = {
    "run": "run rows.csv",
    "stores": "stores rows.csv",
    "pipeline": "pipeline rows.csv",
    "releases": "releases orjson orders.jsonl --offline",
    "upgrade": "upgrade old.txt orders.jsonl --to new.txt --offline",
    "watch": "watch",
    "report": "report result.json",
    "compare": "compare result.json result.json",
    "history": "history result.json",
    "pick": "pick result.json",
    "verify": "verify result.json",
    "corpora": "corpora",
    "survey": "survey orders.jsonl",
    "generate": "generate movies",
    "convert": "convert orders.jsonl out.msgpack",
    "evolve": "evolve schema.avsc schema.avsc -c json --budget 0",
    "codecs": "codecs json",
    "fidelity": "fidelity -c json",
    "attack": "attack json --only nothing",
    "readers": "readers",
    "selftest": "selftest",
    "once": "once dump json orders.jsonl",
    "schema infer": "schema infer orders.jsonl",
    "schema export": "schema export schema.avsc -f avro",
    "schema show": "schema show schema.avsc",
    "schema validate": "schema validate orders.jsonl schema.avsc",
}
"""A line of each command to which an option can be added."""

RESULTS: Final = {
    "report files": "report {}",
    "compare before": "compare {} result.json",
    "compare after": "compare result.json {}",
    "history folders": "history {}",
    "pick files": "pick {}",
    "verify file": "verify {}",
    "run baseline": "run movies --baseline {}",
    "run resume": "run --resume {}",
}
"""A command line for each parameter that takes a result file."""

RECORDS: Final = {
    "run corpora": "run {}",
    "stores corpora": "stores {}",
    "pipeline corpora": "pipeline {}",
    "releases corpora": "releases orjson {} --offline",
    "upgrade corpora": "upgrade old.txt {} --to new.txt --offline",
    "compare corpora": "compare result.json result.json --fail-above 5% --confirm --corpus {}",
    "verify source": "verify result.json --corpus {}",
    "corpora source": "corpora {}",
    "survey sources": "survey {}",
    "generate like": "generate --like {}",
    "convert source": "convert {} out.msgpack",
    "schema infer source": "schema infer {}",
    "schema validate source": "schema validate {} schema.avsc",
    "evolve data": "evolve schema.avsc schema.avsc --data {}",
    "once source": "once dump json {}",
}
"""The same for records."""

SCHEMAS: Final = {
    "run schema": "run orders.jsonl --schema {}",
    "compare schema": "",
    "verify schema": "",
    "pick schema": "pick --choose avro --write --schema {}",
    "survey schema": "survey orders.jsonl --schema {}",
    "schema export schema": "schema export {} -f avro",
    "schema show schema": "schema show {}",
    "schema validate schema": "schema validate orders.jsonl {}",
    "evolve old": "evolve {} schema.avsc",
    "evolve new": "evolve schema.avsc {}",
}
"""The same for schemas; those of `compare` and `verify` are only read where something is measured again."""

OUTPUTS: Final = {
    "run output": "run orders.jsonl -o {}",
    "stores output": "stores orders.jsonl -o {}",
    "pipeline output": "pipeline orders.jsonl -o {}",
    "releases output": "releases orjson orders.jsonl --offline -o {}",
    "upgrade output": "upgrade old.txt orders.jsonl --to new.txt --offline -o {}",
    "watch path": "watch -o {} -- python",
    "report output": "report result.json -o {}",
    "compare output": "compare result.json result.json -o {}",
    "history output": "history result.json -o {}",
    "survey output": "survey orders.jsonl -o {}",
    "survey sample": "survey orders.jsonl --sample-to {}",
    "survey inferred": "survey orders.jsonl --schema-to {}",
    "generate path": "generate movies -o {}",
    "generate save_profile": "generate --like orders.jsonl --save-profile {}",
    "convert target": "convert orders.jsonl {}",
    "schema infer target": "schema infer orders.jsonl -o {}",
    "schema export target": "schema export schema.avsc -o {}",
    "evolve output": "evolve schema.avsc schema.avsc -o {}",
    "fidelity output": "fidelity -c json -o {}",
    "pick lock": "pick result.json --write --lock {}",
}
"""The same for files to write."""

WRITTEN: Final = {
    **dict.fromkeys(("report", "compare", "evolve", "fidelity", "history"), ".md"),
    **dict.fromkeys(("generate path", "convert", "survey sample"), ".jsonl"),
    **dict.fromkeys(("schema infer", "survey inferred"), ".py"),
    "schema export": ".avsc",
    "pick": ".lock",
}
"""The ending of what these parameters write, by the beginning of their names; others write JSON."""

OTHER_FILES: Final = {
    "run wheel",  # a package
    "survey wheel",
    "upgrade before",  # requirements
    "upgrade after",
    "generate name",  # a built-in corpus
    "generate profile",
    "pick corpora",  # the name of a corpus in a result
    "watch folder",
    "watch prepared",
    *(f"{command} include" for command in ("run", "survey", "pick", "evolve")),  # folders of schemas
    *(f"schema {command} include" for command in ("export", "show", "validate")),
}
"""Parameters that take a path or the name of a corpus of another kind."""

RUN_OUTPUTS: Final = (
    "run movies",
    "stores",
    "pipeline",
    "releases msgpack movies",
    "upgrade old.txt --to new.txt movies",
)
"""Commands whose ``-o`` is the file of the result; ``-f``, if any, is for the printed table."""

REPORT_OUTPUTS: Final = {
    "report a.json": "txt md csv json tex rst html htm svg png",
    "compare a.json b.json --force": "txt md json",
    "history runs": "txt md csv json html",
    "evolve old.avsc new.avsc -c avro --budget 0": "txt md json",
    "fidelity -c json": "txt md csv html",
}
"""Commands with both options, and the endings of what they write."""

OTHER_OUTPUTS: Final = {
    "survey rows.jsonl": "json",
    "watch -- true": "json",
    "generate movies -n 2": "jsonl json csv msgpack",
    "schema infer rows.jsonl": "py",
    "schema export old.avsc": "avsc proto schema.json",
}
"""Further commands with ``-o``."""

MEASURING: Final = {
    "run": "run movies -c json,msgpack --budget 600 -o r.json",
    "stores": "stores movies -c json,msgpack --budget 600 -o s.json",
    "pipeline": "pipeline movies -c json,msgpack --budget 600 -o p.json",
    "evolve": "evolve old.avsc new.avsc --budget 600",
    "fidelity": "fidelity -c json,msgpack,bson,cbor2,yaml,pickle",
    "selftest": "selftest",
    "attack": "attack json msgpack bson cbor2 yaml",
    "verify": f"verify {RESULT}",
    "watch": f"watch -- {sys.executable} program.py",
}
"""Commands that make temporary files, with a line that goes on for long enough."""
WITHOUT_FILES: Final = {
    "codecs", "compare", "convert", "corpora", "generate", "history", "once", "pick", "readers", "releases",
    "report", "schema", "survey", "upgrade",
}  # fmt: skip
"""Those that make none, or only as `run` does."""
