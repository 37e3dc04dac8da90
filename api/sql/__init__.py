"""How SQL is run, whatever it is about.

`database`  one SQLite file with full durability; one commit serves many callers (group commit)
`prepared`  statements that are compiled once and run by the driver
"""
