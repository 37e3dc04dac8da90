"""One round or one bet, without the whole log.

`check`         a round by its code
`published`     the log of a source
`records`       the round's records, each checked to be what it claims
`lead`          how many rounds ahead it was fixed
`report`        what the check found out
`bets`          what becomes of bets on it
`bet_check`     a bet by its receipt
`proof_check`   a round by its proof file alone
`proof_report`  what that found out
`proving`       makes proof files, and confronts receipts with a log
"""
