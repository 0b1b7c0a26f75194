"""Compiled plans for correcting records after a codec has decoded them."""
