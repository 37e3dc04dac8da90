"""The commands of whoever runs a witness.

`run`      the arguments of a witness
`serving`  runs it
`key`      makes its key
`signs`    who signs: a file, or an ssh-agent
"""
