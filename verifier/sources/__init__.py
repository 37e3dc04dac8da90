"""Where a log is read from. Nothing that comes from there is trusted.

`source`      a folder or a server, and the contract of both
`web`         a server that is trusted with neither time nor memory
`limits`      what a reader grants a server, each with its reason
`read_ahead`  fetches files before they are asked for
"""
