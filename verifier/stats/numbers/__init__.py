"""Columns of rounds, exact laws, and probabilities."""
