"""One round or one bet, without the whole log.

`check`         a round by its code
`published`     the log of a source
`not_shown`     what to do when the log does not show what was asked for
`records`       the round's records, each checked to be the right one
`lead`          how many rounds ahead it was fixed
`report`        what the check found
`bets`          the results of bets on it
`bet_check`     a bet by its receipt
`consistency`   whether the two checkpoints in a proof file are of one log
`proof_check`   a round by its proof file alone
`proof_report`  what that check found
`code_proof_check`  a round by its code and its proof file
`code_checks`   what compares a code with records
`table`         the record of a table, by its name
`proving`       makes proof files, and compares receipts with a log
"""
