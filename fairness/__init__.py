"""The protocol of Foredraw: pure functions and values, without clock, entropy, file or network.

Read it in this order; each folder is a section or two of ``SPEC.md``, and imports only what stands above it.

`limits`    how large, long or many anything may be
`checks`    the name of every check
`errors`    what goes wrong: four kinds, which never mix
`hashing`   SHA-256, tags and fixed-width numbers: what every other file hashes with
`spelling`  strict readers of text: parse, print, compare
`times`     the one spelling of a time
`newer_file`  files of ours that a later version wrote (SPEC 4.9)
`log`       a transparency log that knows nothing of rounds (SPEC 2 and 5)
`beacon`    public beacons, whose pulses salt batches (SPEC 4.8)
`policy`    whom a verifier believes: keys, witnesses, a quorum (SPEC 5.7)
`draws`     from a seed to an outcome (SPEC 3)
`records`   the records of the log, and replay, which holds the rules about them (SPEC 4)
`player`    what a player holds: a code, receipts (SPEC 6 and 7)
`round`     one round, found and checked without the rest of the log (SPEC 5.4, 5.6 and 8)
`version`   the version of the service and of both verifiers
`manifest`  which files run, by their hashes
"""
