"""Where a log is read from, and what a reader grants a server."""
