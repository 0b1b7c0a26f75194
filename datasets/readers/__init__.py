"""Read records from files, with one module per family of file formats."""
