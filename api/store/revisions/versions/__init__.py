"""The revisions. What one of them does never changes, because databases out there have it behind them.

`r0001_tables`  the tables as they were before there were revisions, or what an older release lacks of them
`r0002_leader`  the log's head names the sequencer that may move it
`r0003_given`   rounds whose order is given thing by thing remember how far
`r0004_signs`   what the sequencer that leads says of itself, for listeners on other machines
`r0005_calls`   rounds know which calls opened and locked them
`r0006_own_asides`  the log's head knows what the log says of itself
`r0007_paytables`  what the bets of tables pay
"""
