"""From seeds to outcomes, and to codes.

`rounds`        seeds, draws, outcomes and round codes
`declarations`  games as data, and what they draw
"""
