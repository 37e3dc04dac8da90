"""A transparency log: trees, signed heads, files and proofs (SPEC 2 and 5). It knows nothing of rounds.

`merkle`         trees of RFC 6962: roots, and the compact form that grows by appending
`merkle_proofs`  inclusion and consistency proofs
`ed25519`        signatures that every verifier accepts or refuses alike
`notes`          signed notes (C2SP), with the keys that sign and verify them
`checkpoints`    the signed head of the log
`folders`        where files that are named after a hash stand
`tiles`          the files: tiles of hashes, bundles of records
`edge`           which files appear when records are appended
`proof`          the proof that one record stands in the log (C2SP tlog-proof)
`fork`           two signed checkpoints that cannot both hold: evidence of equivocation
"""
