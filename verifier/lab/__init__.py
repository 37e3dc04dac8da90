"""Samples for a test lab: what production draws from, and what it draws, in any amount.

`rounds` deals the rounds of a table that nobody plays, `raw` reads their streams, `outcomes` what a game makes of them.
`kernel` makes the same bytes as the stream of ``fairness``, two hundred times as fast. docs/verify.md tells how a
collection differs from production.
"""
