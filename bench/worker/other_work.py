"""What a program may do between two calls of a codec, so that the codec's code has left the caches."""

from __future__ import annotations

import argparse
import copy
import csv
import email
import fractions
import shlex
import textwrap
from urllib.parse import urlsplit

_SOURCE = "def f(a, *b, c=1):\n    return [x + c for x in b if x > a] or {a: f'{b!r}'}\n" * 4
_MESSAGE = "From: a@example.org\nSubject: hello\nContent-Type: text/plain; charset=utf-8\n\nbody\n"
_ARGUMENTS = argparse.ArgumentParser()
_ARGUMENTS.add_argument("--count", type=int)
_ARGUMENTS.add_argument("files", nargs="*")


def run_code() -> None:
    """Do what a program may do before and after a call, in many parts of the interpreter.

    One part alone, such as `compile`, fills little of the caches, so a call hardly slows it down.
    """
    compile(_SOURCE, "", "exec")
    _ARGUMENTS.parse_args(["--count", "3", "a"])
    email.message_from_string(_MESSAGE)
    urlsplit("https://user:secret@example.org:8443/path?query=1#part")
    textwrap.wrap("the quick brown fox jumps over the lazy dog", 20)
    shlex.split("a 'b c' d")
    list(csv.reader(["a,b,c"]))
    fractions.Fraction("3/4") + fractions.Fraction(1, 3)
    copy.deepcopy({"a": [1, 2, {"b": 3}]})
