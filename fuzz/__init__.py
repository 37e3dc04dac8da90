"""Coverage-guided fuzzing of every parser: ``make fuzz``, and a short run in ``make nightly``.

`targets` says what must hold for any bytes, `edits` makes false logs that raw bytes would rarely give,
`one` runs targets under the fuzzer, and ``python -m fuzz`` runs all of them and counts.
"""
