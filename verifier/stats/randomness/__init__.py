"""Tests of outcomes against the exact law of their game.

`chi_square`      how often each cell came
`multipliers`     the distribution of multipliers
`runs`            runs above and below
`serial`          serial correlation
`gaps`            gaps between returns of a cell
`coupons`         how long until all cells came
`overlaps`        draws that share too much with the one before
`between_tables`  tables against each other
"""
