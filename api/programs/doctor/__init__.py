"""``foredraw doctor``: which state a data folder is in, what that means, and what to do next.

It asks the checks of the service itself. It tries the seeds' key as a start does, and reads no secret of the signing
key.

`examine`    what is looked at, in which order
`guarded`    looks that may fail, or that the service itself takes
`folder`     accounts, permissions, disks, locks
`keys`       the files of keys, and whose they are
`closed`     what cannot be opened, and why
`opened`     a service of everything else
`stored`     database, log and custodian's store: each by itself, and against each other
`tables`     halted tables, and rounds that cannot be played
`aids`       the finding aids
`published`  the bucket that the log is published to
`running`    what the running service says of itself
"""
