"""The verifier as one file: `build` makes it, `start` is where it begins, `stand_ins` what it brings of its own."""
