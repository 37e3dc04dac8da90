"""Other people's verifiers against the vectors of every format.

`driver`   asks a program about every vector
`subject`  our own, asked the same way: ``python -m verifier.conformance.subject``
"""
