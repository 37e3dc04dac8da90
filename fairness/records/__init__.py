"""The records of the log, and the rules about them (SPEC 4)."""
