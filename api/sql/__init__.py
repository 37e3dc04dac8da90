"""How SQL is run, whatever it is about; the only package that knows the drivers and the engines.

`connection`   what statements run on
`database`     what the rest of the service sees of a database
`sqlite`       one SQLite file with full durability; one commit serves many callers (group commit)
`same_file`    whether that file is still the one that was opened
`postgres`     a PostgreSQL server: a transaction for each caller
`pipeline`     a connection to it: many statements are sent before an answer is waited for
`pool`         the connections that the calls of a process share
`server_lock`  the lock of the one service on such a database
`refusals`     what PostgreSQL says when it fails, in a sentence with the remedy
`statement`    a query, an insertion, a change or a lock: compiled once for each engine, run by the driver, with typed
               rows
`dialects`     what the engines spell differently
`columns`      what a column is beside its type
`schema`       tables that are named tuples, and what a database has of a schema
`copying`      all rows of one database into another one, of the same engine or not
`files`        a database as a file: whether it is whole, and copying it while it is used
"""
