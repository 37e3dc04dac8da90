"""The journal: who did what that only some may do, and when, in a chain of hashes.

`entry`     an entry, its spelling and its hash
`chain`     appending entries, reading them, and finding what was changed
`clock`     confirming the machine's clock
`policies`  notes when another policy comes into force
"""
