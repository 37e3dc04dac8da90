"""A transparency log: trees, signed heads, files and proofs (SPEC 5). It knows nothing of rounds."""
