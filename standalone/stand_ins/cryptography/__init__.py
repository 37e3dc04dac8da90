"""A stand-in for the package cryptography: only the verification of Ed25519 signatures."""
