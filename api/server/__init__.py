"""The web server: two applications, and the gunicorn workers that serve them to strangers.

`app`                 the applications, for engines and for the public
`errors`              every error becomes a problem
`worker`              many connections on one thread
`offload`             calls that block, beside that thread
`refusals`            how fast callers without a token are refused
`hooks`               gunicorn's settings
`messages`            messages as lines for people, or as JSON
`request_ids`         every request has an id
`request_messages`    messages about requests, with their ids
`traces`              a request as a part of a trace
`connection`          deadlines, and who is closed when all places are taken
`malformed_requests`  bytes that are no request
`proxies`             what a web server in front says of a request
`priority`            engines go before the public
"""
