"""The parent: carries a run through, and names the worker's modules only in jobs.

It pins processes to cores, bounds their memory and reads what the kernel counts of them, all in Linux's ways:
elsewhere nothing here is to be had.

Raises:
    UsageError: Imported elsewhere than on Linux.
"""

import sys

from ...errors import UsageError

if sys.platform != "linux":
    raise UsageError(
        f"measuring requires Linux, and this is {sys.platform}; codecs, schemas, corpora and reports work "
        "here, also with result files of other machines"
    )
