"""From a seed to an outcome (SPEC 3).

`seed_chain`   how the seeds of a batch unroll from the last one down to the anchor
`commitments`  the published promise of one round's seed, and the root over a batch
`stream`       the bytes of one round, and the draws that games make from them
`game`         what a game must be, so that replay can ask it for an outcome
"""
