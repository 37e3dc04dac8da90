"""The whole log, replayed from its first record.

`audit`         the steps: `audit.audit` returns a report or raises
`partition`     the part of one worker
`processes`     workers side by side
`report`        what was found out
`history`       the part of it that replay forgets
`round_rows`    the numbers of every round, for statistics
`state_file`    what an auditor remembers from one run to the next
"""
