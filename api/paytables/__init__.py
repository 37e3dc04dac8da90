"""What the bets of tables pay: the files that tables' records name by their hashes.

`chosen`   the file of a new table, and whether it may have it under its rules
`offered`  the bets of a table
"""
