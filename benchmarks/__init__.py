"""What `make bench` measures.

How it measures:

`measures`    every measure, in the order in which they run
`figure`      one figure: what was measured, its target, and whether that was met
`printed`     figures as lines of text
`comparison`  the figures of two commits side by side
`side`        the two commits of a comparison
`running`     programs under measurement
`bare`        what the service is compared with
`load`        the load on both
`battery`     dieharder and NIST SP 800-22, for `make battery`

The service:

`service`     its calls, each beside a bare measure of the same machine
`sequencer`   records from the queue to the checkpoint
`postgres`    rounds with the state in PostgreSQL
`witnesses`   what witnesses cost those who play
`watchers`    500 people who watch
`watching`    the program that they are
`badges`      1,000 badges on one round, behind nginx
`badge_crowd`  the program that they are
`hostile`     what engines lose to strangers
`attack`      the program that these are
`static_log`  the log as nginx serves it
`scale`       a model of what a log costs as it grows

The verifier:

`made_log`       an honest log of any length
`salted_log`     the same with salts and witnesses
`verifier_logs`  these logs, made once per run
`audit`          an audit
`code`           the check of one round
`browser_code`   the same in a browser
`proof`          proof files
`stats`          statistics
`collect`        samples for a test laboratory
`single_file`    the verifier as one file

Both:

`start`  short commands
"""
