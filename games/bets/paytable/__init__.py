"""What a bet pays, as the file in the log that a table's record names (docs/paytable-format.md, part of SPEC).

`source`    ``games/bets.json`` as such files
`read`      a file read: what its bets are
`form`      whether it has the form, within the limits
`words`     the words of figures
`context`   what the parts of a file may name
`spelling`  its one spelling
"""
