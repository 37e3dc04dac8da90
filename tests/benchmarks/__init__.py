"""The programs that measure: what they print and write, and how two commits are compared."""
