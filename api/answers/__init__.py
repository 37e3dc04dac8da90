"""What calls are sent and answer, as types: each is described by its fields in ``/openapi.json``.

A key that is absent from some answers is `UNSET` there, which templates read as false.
Fields stand in the order in which they are spelled.

`rounds`    what an engine is answered, and rounds as everybody sees them
`tables`    tables, and the live feed
`bets`      what can be bet, and what became of bets
`service`   which service this is, health, and the log's key
`problems`  why a call is refused
`bodies`    what calls are sent
`schemas`   the JSON Schemas of all of them
`fields`    what fields of several answers have: names, numbers, hashes, times
"""
