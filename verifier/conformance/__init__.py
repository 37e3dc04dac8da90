"""Tests other people's verifiers with the vectors of every format.

`driver`   sends every vector to a program
`judge`    our own verdicts, for the format ``verdict``
`subject`  our own implementation as such a program: ``python -m verifier.conformance.subject``
"""
