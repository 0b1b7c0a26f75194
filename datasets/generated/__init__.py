"""The built-in corpora, one module per family."""
