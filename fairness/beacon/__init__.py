"""Public beacons: chains of drand whose pulses salt batches (SPEC 4.8). They know nothing of rounds and records.

`bls`    the signatures of drand's scheme, and the keys that verify them
`chain`  what a beacon is: its key, its clock and the hash that names it
`pulse`  the signature of one round, and the salt that it gives
"""
