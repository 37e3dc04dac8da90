"""Verdicts, for people and for programs.

`kind`           what a verdict is called, with its status, its colour and its last line
`audit`          of a whole log
`round`          of a round, by its code
`proof`          of a proof file
`round_parts`    what these two share
`bet`            of the receipt of a bet
`forks`          of two checkpoints
`failures`       if a check failed, or nothing could be concluded
`printing`       the layout on a terminal
`outcome_words`  an outcome as people write it
`witnesses`      who cosigned a checkpoint
`policy`         a policy in words
`events`         what a watch or a witness reports, and the command on an alarm
`declaration`    a declared game in words
`as_json`        what all have for programs
"""
