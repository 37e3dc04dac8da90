"""The whole log, replayed."""
