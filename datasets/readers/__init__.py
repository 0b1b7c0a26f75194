"""Records from files, one module per family of file formats."""
