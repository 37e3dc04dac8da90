"""The commands of whoever runs a witness.

`run`      what runs one is told
`serving`  runs it
`key`      makes its key
`signs`    who signs: a file, or an ssh-agent
"""
