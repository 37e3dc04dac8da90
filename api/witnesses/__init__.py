"""Witnesses, as the service meets them: with a policy, nothing is published before its quorum has cosigned it.

`publisher`        takes the newest head, has it cosigned, and replaces `/checkpoint` when the quorum is met
`askers`           one thread for each witness, so that a slow one holds up nobody
`client`           the bounded answer of one witness over HTTP
`protocol`         what a witness is asked, and what counts as its answer
`standing`         how each witness stands: what it remembers, when it may be asked again, since when it is away
`presence`         whether the quorum is there now, for those who commit batches with a salt
`reports`          the alarms and the files for those who ask how the witnesses stand
`witnessed_files`  the proofs that batches were seen before their pulses
`gate`             whether a round may be opened
"""
