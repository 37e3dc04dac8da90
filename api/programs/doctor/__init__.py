"""``foredraw doctor``: which state a data folder is in, what that means, and what to do next.

It asks the checks of the service itself, and opens no key.

`examine`    what is looked at, in which order
`finding`    one thing that was found
`folder`     accounts, permissions, disks, locks
`keys`       the files of keys, which stay closed, and the log's public key
`stored`     database, log and custodian's store: each by itself, and against each other
`tables`     halted tables, and rounds that cannot be played
`aids`       the finding aids
`published`  the bucket that the log is published to
`running`    what the running service says of itself
"""
