"""The programs.

`cli`         ``foredraw``
`commands`    its commands, each in a file
`doctor`      what ``foredraw doctor`` looks at
`setup`       ``foredraw init``
`serve`       the supervisor: starts the others, and stops with them
`background`  sequencer, keeper and monitor in one process
`demo`        the tables of ``--demo``
`outsiders`   its beacon and its witnesses
`companion`   becomes another program, which ends with its supervisor
`beacon`      ``foredraw beacon``: the relay of a chain with one node
`dealer`      an engine that keeps playing them
"""
