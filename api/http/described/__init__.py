"""What calls take and answer, beside the forms of their answers: the checks of a request and `api.http.openapi` read
it here.

`operations`  what descriptions are made of: reading, acting on a round, files, refusals
`headers`  those of every answer
`examples`  bodies and answers of `docs/http.md`
`tags`     the groups of calls
`queries`  the parameters behind the ``?`` of an address
"""
