"""What happens to tables and rounds.

`calls`              what an engine does to a round: open, lock, next, reveal, void
`admission`          whether a round may be opened or locked now
`tables`             adding a table, and closing it
`control`            what an operator changes at a table: rules, time-out, pauses
`batches`            when a table's next batch is due, and committing it
`salter`             commits batches of tables with a salt, and salts them
`keeper`             commits batches ahead of need, and ends what engines left behind
`second_person`      voiding by two people
`readings`           who reads the outcome of a round that is not revealed yet
`reading`            the read model: tables and rounds as typed rows, for calls and pages that only show them
`change`             one transaction: a change of state and its record, with replay in between
`status`             a table as far as it can be read, even if its row is damaged
`seeds`              requests to the custodian, with their proofs
`commitments_files`  the file of commitments of each batch
`outcome_text`       an outcome in a few words
"""
