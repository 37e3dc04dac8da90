"""Public beacons: chains of drand whose pulses salt batches (SPEC 4.8). They know nothing of rounds and records.

`chain`  what a beacon is: its key, its clock and the hash that names it
"""
