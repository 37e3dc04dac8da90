"""The protocol of Foredraw: pure functions and values, without clock, entropy, file or network.

Read the files in this order; each is one section of ``SPEC.md``.

==================  ====================================================================
`limits`            how large, long or many anything may be
`hashing`           SHA-256, tags and fixed-width numbers: what every other file hashes with
`seed_chain`        how the seeds of a batch unroll from the last one down to the anchor
`commitments`       the published promise of one round's seed, and the root over a batch
`merkle`            RFC 6962 trees: roots, and the compact form that grows by appending
`merkle_proofs`     inclusion and consistency proofs (RFC 6962)
`stream`            the bytes of one round, and the draws that games make from them
`game`              what a game must be, so that replay can ask it for an outcome
`times`             the one spelling of a time
`records`           the entries of the log and their one spelling
`bets`              the digest of the accepted bets, and a receipt for each
`checks`            the name of every check
`table_state`       what replay remembers of one table
`openings`          what must hold of seeds that have become public
`replay`            the state machine that holds every other rule about records
`notes`             signed notes (C2SP), keys for signing and for verifying
`checkpoints`       the signed head of the log
`tiles`             the log's files: tiles of hashes, bundles of records
`tlog_proof`        the proof that one record stands in the log (C2SP)
`fork`              two signed checkpoints that cannot both hold, as evidence for anybody
`finding_aids`      where in the log a round's records lie; hints that prove nothing
`authentic_log`     single records of a log, found by hints and vouched for by the checkpoint
`round_rules`       what must hold of the records of one round; `round_finder` finds them
`round_proof`       the proof file of a round; `round_prover` makes it
`bech32m`           BIP 350
`round_code`        what a player receives
==================  ====================================================================
"""
