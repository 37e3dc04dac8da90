"""What the callers of one process share, whether they are threads or greenlets.

`bounded`   a cache of bounded size
`named_locks`  locks by name
`together`  calls that one reading answers together
"""
