"""What comes back: strict equality, what was lost, and the matrix of codecs and types."""
