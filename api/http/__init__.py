"""The calls of engines and of the public.

`engine`        ``POST /v1/engine/tables/{table}/rounds/{n}/…``, with a bearer token
`reads`         which service this is, tables and rounds, for everybody
`public`        proofs, pages of rounds, schemas of outcomes, health, and the description of all calls
`bets`          bets and their settlement
`live`          the live feed of the newest rounds, and why nothing goes on at a table
`log_files`     the log under ``/log/``
`metrics`       figures for the operator's monitoring
`elsewhere`     directs a caller who asks one listener for what the other one answers
`view`          what may be known about a table or a round
`proofs`        the proof file of a round
`openapi`       the description of all calls
`answers`       numbers in addresses, and answers
`request_body`  reading what a call sends
`addresses`     one spelling for each address
`crowds`        bounds what a process spends on strangers
`described`     what calls take and answer, beside the forms of their answers
"""
