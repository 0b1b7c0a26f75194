"""Commands that print the figures the project promises, one module each."""
