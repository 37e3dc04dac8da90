"""Samples for a test laboratory: the bytes and outcomes of production, in any amount.

`rounds`    makes the rounds of a table that nobody plays
`raw`       reads their streams
`outcomes`  derives outcomes from them
`kernel`    computes the same bytes as the stream of ``fairness``, two hundred times as fast

docs/lab.md says how a collection differs from production.
"""
