"""Verdicts (SPEC 8): what a verifier must say about whole logs, rounds, bets and receipts, honest and dishonest.

`inputs`     what a verifier is given, and what is known of a round
`cases`      the dishonest operator's cases
`audits`     whole logs that no case has
`rounds`     round codes
`witnesses`  round codes with a policy: what witnesses saw, and what custodians said
`bets`       receipts of bets
`receipts`   proof files, alone, with a code, and compared with a log
`whole`      every record in the place of the finding aids
`catalogue`  all of them
"""
