"""Where a log is read from. Nothing from there is trusted.

`source`      a folder or a server, and the contract of both
`web`         a server that is trusted with neither time nor memory
`proxy`       the proxy that the environment names for an address
`pace`        asks a server as fast as it wants to be asked
`limits`      how much time and memory a server gets, and why
`read_ahead`  fetches files before they are needed
"""
