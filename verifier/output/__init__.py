"""Verdicts.

`show`           for people
`verdicts`       the last line of one that held
`forks`          for people, about two checkpoints
`proof`          for people, about a proof file
`printing`       how they look on a terminal
`outcome_words`  an outcome as people write it
`as_json`        for programs
"""
