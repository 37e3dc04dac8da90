"""The commands that explain a file and check nothing of a log.

`policy`  whom a policy believes
`game`    what a declaration draws
"""
