"""``foredraw rebuild``: the database again, from the published log.

`rebuild`     the steps, and when they refuse
`known_log`   the log as far as it can be proven, compared with what is replaced
`salvage`     what can still be read of a damaged database
`projection`  the rows that a log amounts to
"""
