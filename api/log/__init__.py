"""Writing and reading the published log.

`leadership`    which sequencer may publish
`sequencer`     gives queued records their positions, and publishes them under a signed head
`successor`     whether the log ends: which log follows it
`publishing`    how `/checkpoint` is replaced, if nobody has to cosign it
`paytable_files`  what tables' bets pay, before their records are published
`policy_file`   the operator's policy, and its exchange while the service runs
`mirroring`     makes the log's folder and its bucket one log at a start
`recovery`      the edge of the log after a crash, from the database and the files
`whole_files`   whether the log's full files are there, before anything is appended
`finding_aids`  writes the index of the records that were just appended
`publication`   the newest published log, and waiting for a newer one
`keys`          the log's signing key, and its public half
"""
