"""``foredraw key``.

`group`   the command, with those below it
`show`    prints the log's public key
`rotate`  changes the key of the seeds
"""
