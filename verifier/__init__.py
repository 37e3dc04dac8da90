"""The verifier: a program and a library that trust nobody, least of all the service.

==================  ====================================================================
`audit`             a whole log, replayed: `audit.audit` returns a report or raises
`round_check`       one round, by its code: `round_check.check_round` does the same
`sources`           where a log's files come from, and the contract of that; `web` reads them over HTTP
`read_ahead`        fetches a log's files before they are asked for
`share`             what one worker of an audit does; `workers` runs several side by side
`report`            what an audit found out; `history` is its part that replay forgets
`round_records`     a round's records, each what it claims to be; `round_lead` how far ahead it was fixed
`round_report`      what the check of a round found out
`proof_check`       one round, by its proof file and nothing else; `proof_report` what it found out
`proving`           proof files made from a log, and receipts confronted with one
`bet_check`         one bet, by its receipt: it was fixed before the outcome was public
`conformance`       other people's verifiers against the vectors; `conforming` is ours, asked the same way
`caveats`           what no verdict can check, in plain words; `remarks`: times that no clock has reached yet
`findings`          failures as values
`state_file`        what an auditor remembers from one run to the next; `durable_file` writes it
`compare`           whether two places show one log
`watch`             follows a log, turn by turn; `lasting` tells what lasts, `news` is what it tells
`alarm_command`     runs a user's command on an alarm; `back_off` says how long to wait for a log that is away
`evidence`          what proves that a log was forked: how it is checked, and where it is kept
`cli`               ``foredraw-verify``; `show` and `show_forks` print its verdicts, `as_json` spells them for programs
==================  ====================================================================

What goes wrong is `CheckFailed` (a named rule is broken), `Unreadable` (nothing is known) or, for a
misuse by the caller, `ValueError`.
"""
