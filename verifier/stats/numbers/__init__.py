"""What every test is computed from.

`columns`     the rounds of a table as columns
`devices`     the devices of a game, each with its exact law
`laws`        the exact law of what comes at a place
`flights`     multipliers, made uniform
`samples`     what the devices of a table gave, apart by rules, and place by place
`cells`       the cells that outcomes are counted in
`chance`      tail probabilities
`whole_sums`  exact distributions of sums
`finding`     what one test found
`family`      one level of confidence for all tests together
`words`       numbers in words
"""
