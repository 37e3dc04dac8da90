"""A stand-in for the package cryptography: of it, the verification of Ed25519 signatures."""
