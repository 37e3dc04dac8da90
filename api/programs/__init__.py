"""The programs.

`cli`         ``foredraw``
`setup`       ``foredraw init``
`serve`       the supervisor: starts the others, and stops with them
`background`  sequencer, keeper and monitor in one process
`demo`        the tables of ``--demo``
`beacon`      ``foredraw beacon``: the relay of a chain with one node
`dealer`      an engine that keeps playing them
"""
