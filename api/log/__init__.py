"""Writing and reading the published log."""
