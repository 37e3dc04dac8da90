"""What every test is computed from.

`columns`     the rounds of a table as columns
`laws`        the exact law of each game
`cells`       the cells that outcomes are counted in
`chance`      tail probabilities
`whole_sums`  exact distributions of sums
`finding`     what one test found
`family`      one level of confidence for all tests together
`words`       numbers in words
"""
