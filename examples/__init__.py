"""Engines as short as they can be: they play a round over HTTP, with Python's standard library alone
(``docs/http.md``).

`engine`          the calls of an engine, and the order of a round that is kept back
`blackjack`       Blackjack: what players decide moves along the order
`exchange_poker`  poker with one exchange against the dealer: each seat's card to exchange has its own place
"""
