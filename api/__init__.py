"""The service: it plays rounds, keeps seeds, and publishes the log.

An engine's call goes from `http.engine` to `rounds.calls`, and through `rounds.change` (one transaction, with
replay in between) into the queue. `log.sequencer` appends what is queued and publishes it; `log.publication`
wakes everybody who waits. Then `custody.custodian` releases the seed.

The folders, from the top down; each imports only what stands below it:

`programs`    the command line, the supervisor, the background program, the demo dealer
`server`      the web server: two applications, and the workers that serve them to strangers
`service`     one service, put together from its folder
`pages`       the pages for people
`http`        the calls of engines and of the public
`restore`     ``foredraw rebuild``
`callers`     the bearer token of a request
`parts`       how a view gets the parts of the service that it needs
`bets`        what can be bet, and what becomes of it
`operations`  what an operator watches
`access`      tokens and sessions
`rounds`      tables and rounds
`answers`     what calls are sent and answer, as types
`paytables`   what the bets of tables pay
`integrity`   whether the installed software is what somebody has signed
`journal`     who did what that only some may do
`custody`     the seeds
`witnesses`   who must have seen the log before it is published
`beacon`      where pulses come from
`log`         writing and reading the published log
`store`       the database
`sql`         how SQL is run
`world`       clocks, files, locks, and what this machine can do
`sharing`     what the callers of one process share
`traces`      which program did what when, for a collector of OpenTelemetry
`comma_separated`  CSV that no spreadsheet runs
`problems`    errors of the HTTP interface
`present_request`  the ids of the request that is being answered
`findings`    what can be wrong with a service, each state in one sentence
`refusal`     what a program says in one sentence before it ends
`settings`    where the service keeps its things, and the figures an operator may set
"""
