"""What serialization costs a program that runs, and what another codec would save: ``bakeoff watch``."""
