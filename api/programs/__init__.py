"""The programs.

`cli`         ``foredraw``
`setup`       ``foredraw init``
`serve`       the supervisor: starts the others, and stops with them
`background`  sequencer, keeper and monitor in one process
`demo`        the tables of ``--demo``
`dealer`      an engine that keeps playing them
"""
