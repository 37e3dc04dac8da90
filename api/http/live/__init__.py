"""Tables as they are now, for everybody who watches.

`feed`     ``GET /v1/live`` and ``GET /v1/tables/{table}/live``
`stopped`  why nothing goes on at a table now
"""
