"""Tests of what an operator that knows outcomes in advance could choose.

`returns`   what a standard bet returned
`voids`     void rounds: how many, why, and whether they differ
`ends`      tables that were closed before costly rounds
`schedule`  whether outcomes depend on when and how rounds were played
`splits`    the groups that `schedule` compares
`timing`    times from open to lock to reveal
"""
