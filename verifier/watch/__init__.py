"""Following a log."""
