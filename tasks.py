#!/usr/bin/env python3
"""Runs the tasks of .ci/verbs.py. Any Python can read this file, so that an old one gets an answer."""

import os
import runpy
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "tasks.py needs Python 3.11 or later; this is %d.%d; try python3.12 tasks.py" % sys.version_info[:2]
    )

runpy.run_path(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), ".ci", "verbs.py"), run_name="__main__"
)
