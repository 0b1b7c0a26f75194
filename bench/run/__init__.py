"""The parent process: it conducts a run, and names the worker's modules only in jobs.

It pins processes to cores, limits their memory and reads the kernel's counters through interfaces of Linux.
None of it works elsewhere.

Raises:
    UsageError: Imported on another system than Linux.
"""

import sys

from ...errors import UsageError

if sys.platform != "linux":
    raise UsageError(
        f"measuring requires Linux, and this is {sys.platform}; codecs, schemas, corpora and reports work "
        "here, also with result files of other machines"
    )
