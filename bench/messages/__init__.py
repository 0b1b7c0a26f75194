"""Jobs and their answers: what the parent and its workers tell each other, a module for each feature."""
