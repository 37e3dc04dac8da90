"""How SQL is run, whatever it is about; the only package that knows the driver.

`database`    one SQLite file with full durability; one commit serves many callers (group commit)
`statement`   a query, an insertion or a change: compiled once, run by the driver, with typed rows
`schema`      what a file lacks of a schema
`files`       a database as a file: whether it is whole, and copying it while it is used
`connection`  what statements run on
"""
