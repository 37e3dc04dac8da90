"""Public beacons, as the service meets them: where pulses come from. What a pulse is, and whether it is good, `fairness.beacon` says.

`node`  a chain of a single node, for tests and demos: its secret, and the pulses that it makes
"""
