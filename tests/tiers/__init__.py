"""The two tiers of the tests, `make test` and `make nightly`: which tests each runs, in which order, and what it
leaves on record.

`selection`  which tests a run takes, by their marks, and which files stay together
`seconds`    how long each file takes: the longest begin first
`names`      every test by its name, so that none is lost between the tiers
`parts`      the parts of `make nightly`
`record`     what the last `make nightly` found: `tests/nightly.json`
`environment`  whether the environment that make uses answers: for `make install`, too
`statements`  whether the packages stay within the statements that ``pyproject.toml`` allows them
`stages`     runs the commands of a tier, and is never silent for long
"""
