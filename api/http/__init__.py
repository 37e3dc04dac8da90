"""The calls of engines and of the public, and their answers."""
