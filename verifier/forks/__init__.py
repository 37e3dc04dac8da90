"""Equivocation: whether two places show one log.

`extension`  whether a log extends the one that was seen earlier
`compare`    two checkpoints from two places
`evidence`   proof of a fork: how it is checked, and where it is kept
"""
