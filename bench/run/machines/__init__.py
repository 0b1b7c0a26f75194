"""Other machines: their addresses, the agent that works on each, and the executor that gives it jobs."""
