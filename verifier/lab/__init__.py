"""Samples for a test lab: what production draws from, and what it draws, in any amount.

`rounds`    deals the rounds of a table that nobody plays
`raw`       reads their streams
`outcomes`  what a game makes of them
`kernel`    the same bytes as the stream of ``fairness``, two hundred times as fast

docs/lab.md says how a collection differs from production.
"""
