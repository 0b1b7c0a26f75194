"""The garbage collector may run a program's code within a call, and that may call the same codec.

Any allocation may start it in CPython before 3.12; later releases wait for the end of the call. If a library
keeps the state of a call where its other calls find it, they can end the process, so another one tries it.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from bakeoff import codecs

COMMON = """
import gc
import sys
import threading
import warnings

import bakeoff
from bakeoff import codecs

warnings.simplefilter("ignore")
ONE = {"rows": [{f"one{n}": [n, [n, {"text": str(n)}]]} for n in range(60)]}
OTHER = {"others": [{f"other{n}": ["é" * n, [n, {"texts": [str(n)] * 3}]]} for n in range(40)]}

def calls(name):
    codec = bakeoff.codec(name, trusted=True)
    payloads = codec.encode(ONE), codec.encode(OTHER)
    records = tuple(map(codec.decode, payloads))

    def call(which):
        # Not an assertion alone: the errors of finalizers are only printed.
        if codec.encode((ONE, OTHER)[which]) != payloads[which]:
            print("another payload")
        if codec.decode(payloads[which]) != records[which]:
            print("another record")

    return call
"""

FINALIZERS = """
class Finalized:
    within = False

    def __init__(self):
        self.itself = self

    def __del__(self):
        global finalized
        finalized += 1
        if not Finalized.within:
            Finalized.within = True
            call(1)
            Finalized.within = False

gc.set_threshold(20)
for name in codecs.names():
    print(name, flush=True)
    call, finalized = calls(name), 0
    for _ in range(40):
        Finalized()
        call(0)
    if not finalized:
        print("nothing was finalized")
"""

THREADS = """
collected = 0

def collecting(phase, facts):
    global collected
    collected += 1
    for _ in range(200):
        pass

def work(first):
    for number in range(10):
        call((first + number) % 2)

gc.set_threshold(50)
gc.callbacks.append(collecting)
sys.setswitchinterval(1e-6)
for name in codecs.names():
    print(name, flush=True)
    call, collected = calls(name), 0
    threads = [threading.Thread(target=work, args=(first,)) for first in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not collected:
        print("nothing was collected")
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [FINALIZERS, THREADS], ids=["finalizers", "threads"])
def test_calls_within_a_call_of_the_same_codec(program: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMON + program],
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )

    lines = done.stdout.splitlines()

    assert 0 == done.returncode, f"{lines[-1:]}: {done.stderr}"
    assert (list(codecs.names()), "") == (lines, done.stderr)
