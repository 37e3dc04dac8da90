"""``make soak``: engines, watchers and an auditor use one service, while faults come at random.

`run`            an hour, or what is asked for: who takes part, and what must hold in the end
`machines`       the service on its machines, and all that it stands on
`watchers`       readers of the checkpoint, as pages and monitors are
`faults`         which fault comes next, and those of the service's processes and engines
`surroundings`   what happens to databases, cables, disks, the store and clocks
`memory`         how much memory each process has, and whether that grows
`clean_logs`     honest logs of a mixed catalogue: how many raise an alarm
"""
