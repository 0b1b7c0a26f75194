"""The folder that ``PYTHONPATH`` names in a watched program."""
