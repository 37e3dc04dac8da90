"""Verdicts.

`kind`           what a verdict is called, with its status and colour
`show`           for people
`verdicts`       the last line of a verdict that held
`forks`          for people, about two checkpoints
`proof`          for people, about a proof file
`printing`       the layout on a terminal
`outcome_words`  an outcome as people write it
`witnesses`      who cosigned a checkpoint
`policy`         a policy in words
`events`         what a watch or a witness reports, and the command on an alarm
`declaration`    a declared game in words
`as_json`        for programs
"""
