"""One round, found in a log and checked without replaying it (SPEC 5.4, 5.6 and 8)."""
