"""The whole log, replayed from its first record.

`audit`         the steps: `audit.audit` returns a report or raises
`bundles`       records in turn, for readers that replay nothing
`aids`          the finding aids, compared with every record
`partition`     one worker's part of the records
`processes`     workers in parallel
`witnesses`     that each batch was fixed before its pulse, by what witnesses saw
`custody`       that each custodian vouched for its chains
`bundle_times`  the times of the records, in few numbers
`clock`         how wrong the operator's clock was
`remembered`    what one audit remembers for the next
`report`        what was found
`history`       what a report needs and replay forgets
`round_rows`    the numbers of every round, for statistics
`state_file`    what an auditor keeps from one run to the next
"""
