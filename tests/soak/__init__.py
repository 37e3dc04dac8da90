"""``make soak``: engines, watchers and an auditor use one service, while faults come at random.

`run`        an hour, or what is asked for: who takes part, and what must hold in the end
`watchers`   readers of the checkpoint, as pages and monitors are
`faults`     what happens to the service and its database
`memory`     how much memory each process has, and whether that grows
"""
