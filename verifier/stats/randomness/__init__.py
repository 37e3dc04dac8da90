"""Tests of outcomes against the exact law of their game.

`chi_square`      how often each outcome occurs
`multipliers`     the distribution of multipliers
`runs`            runs above and below
`serial`          serial correlation
`gaps`            waits for something rare
`coupons`         how long until every outcome has occurred
`devices`         games by the kind of their devices
`overlaps`        repeated sequences, and tables that show the same outcomes
`between_tables`  correlations between tables
"""
