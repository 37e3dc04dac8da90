"""The proof that the promises hold."""
