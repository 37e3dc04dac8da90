"""The programs.

`cli`         ``foredraw``
`commands`    its commands, each in a file
`lazy_group`  imports a command when it is asked for
`doctor`      what ``foredraw doctor`` looks at
`setup`       ``foredraw init``
`serve`       what a service consists of: the background program, two listeners
`supervisor`  starts the programs of a service, and stops them together
`listeners`   the applications, imported once for both gunicorns
`background`  sequencer, keeper and monitor in one process
`demo`        the tables of ``--demo``
`outsiders`   its beacon and its witnesses
`companion`   becomes another program, which ends with its supervisor
`beacon`      ``foredraw beacon``: the relay of a chain with one node
`dealer`      an engine that keeps playing them
`blackjack`   a hand of Blackjack, as it deals it
"""
