"""From result files to typed rows and columns."""
