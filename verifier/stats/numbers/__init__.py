"""What every test is computed from.

`columns`     the rounds of a table as columns
`devices`     the devices of a declared game, each with its exact law
`laws`        the exact law of each game
`parts`       what the devices of a declared game gave, apart by rules
`cells`       the cells that outcomes are counted in
`chance`      tail probabilities
`whole_sums`  exact distributions of sums
`finding`     what one test found
`family`      one level of confidence for all tests together
`words`       numbers in words
"""
