"""Records in one version of a schema: made, translated, converted, and compared with what is expected."""
