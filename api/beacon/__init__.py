"""Public beacons, as the service meets them: where pulses come from. What a pulse is, and whether it is good,
`fairness.beacon` says.

`relays`  pulses from several relays, verified, and what they say about the service's clock
`relay`   the bounded answer of one of them
`waits`   which pulse a batch names
`node`    a chain of a single node, for tests and demos: its secret, and the pulses that it makes
"""
