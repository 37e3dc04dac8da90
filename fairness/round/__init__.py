"""One round, found in a log and checked without replaying it (SPEC 5.4, 5.6 and 8).

`finding_aids`   an index: where in the log a round's records lie; hints that prove nothing
`aids_check`     compares that index with the records
`positions`      where records stand, by that index
`whole_log`      the same, by reading every record
`log_files`      which files a log has, and how large each may be
`authentic_log`  single records, found by hints and vouched for by the checkpoint
`rules`          what must hold of the records of one round
`finder`         finds a round's records
`proof`          the proof file of a round
`proof_sections`  its sections
`prover`         makes it
"""
