"""What a log's numbers say: every round's outcome and times, tested against the exact laws of the games.

Only this package needs numpy, scipy and matplotlib (the extra ``stats``); an audit does without. It reads
nothing: `columns` takes what an audit gathered (`verifier.audit.round_rows`), and everything else takes columns.
"""
