"""``foredraw rebuild``: the database again, from the published log; and ``foredraw backup`` and ``restore``.

`rebuild`     the steps, and when they refuse
`known_log`   the log as far as it can be proven, compared with what is replaced
`salvage`     what a rebuild takes from the database that it replaces
`projection`  the rows that a log amounts to
`backup`      a copy of the data folder that can be started, made while rounds are played
`rekey`       another key for the seeds at rest
`upgrading`   the schema of this version, in a database that is kept as it was
`succession`  one log follows another: the last record, and the first
`put_back`    what a service lacks, from such a copy
`pieces`      the pieces of a service, as files or on a server, and how each is put in place
"""
