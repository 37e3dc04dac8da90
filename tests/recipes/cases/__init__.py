"""The dishonest operator's cases: a folder each, with what it signed and what every verifier must say.

``python -m tests.recipes`` writes ``tests/cases``. A lie about records is among the records of its own table
and of a bystander; a lie about files is in a log of a few rounds.

`told`        what a case is, and the cheats that cases show
`shortened`   logs with a lie about a record, without the tables that are not concerned
`records`     a lie for every rule on records
`small`       the log of a few rounds that the others change
`logs`        files of a log, and its history
`witnesses`   what witnesses saw
`rounds`      codes, receipts of bets and proof files
`visible`     cheats that break no rule
`catalogue`   all of them, and the files to write
"""
