"""The records of the log and the rules about them (SPEC 4).

`record`       every type of record and its one spelling
`table_state`  what replay remembers of one table
`rules`        what must hold of records, for replay and for the check of one round
`reveals`      what must hold of seeds that have become public
`replay`       the state machine that accepts or refuses each record
`runs`         the same, for many records at once
`succession`   what the log's own asides say of the log before it and of the one after
"""
