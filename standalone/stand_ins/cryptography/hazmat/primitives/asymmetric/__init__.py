"""A folder of the stand-in for the package cryptography."""
