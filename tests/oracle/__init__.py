"""An oracle for the conventions: objects, what each stands for, and whether a codec's answer is right."""
