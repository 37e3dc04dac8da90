"""From a seed to an outcome: chains, commitments, and the stream that games draw from (SPEC 3)."""
