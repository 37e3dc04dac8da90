"""Coverage-guided fuzzing of every parser: ``make fuzz``, and a short run in ``make test``.

`targets` says what must hold of any bytes, `edits` tells lies that raw bytes would rarely hit on,
`one` runs a single target for ever, and ``python -m fuzz`` runs all of them and counts.
"""
