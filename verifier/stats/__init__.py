"""What a log's numbers say: every round's outcome and times, tested against the exact laws of the games.

`statistics`  all tests of one log, as one family
`numbers`     columns of rounds, exact laws and probabilities
`randomness`  tests of outcomes
`conduct`     tests of what an operator can choose
`output`      the verdict and the report

Only this package needs numpy, scipy and matplotlib (the extra ``stats``); an audit does not. It reads no log itself:
`numbers.columns` takes what an audit gathered (`verifier.audit.round_rows`), everything else takes columns.
"""
