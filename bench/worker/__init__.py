"""The child: does one job in a fresh process and answers by file; knows nothing of `run`."""
