"""An oracle for the conventions: objects, the plain value of each, and whether a codec's answer is right."""
