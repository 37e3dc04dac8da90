"""The whole log, replayed from its first record.

`audit`         the steps: `audit.audit` returns a report or raises
`partition`     one worker's part of the records
`processes`     workers in parallel
`report`        what was found
`history`       what a report needs and replay forgets
`round_rows`    the numbers of every round, for statistics
`state_file`    what an auditor keeps from one run to the next
"""
