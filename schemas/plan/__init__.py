"""Compiled plans: what a schema corrects after a codec has decoded."""
