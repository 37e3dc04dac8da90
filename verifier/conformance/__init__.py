"""Other people's verifiers against the vectors of every format."""
