"""Every limit of the protocol, each with its reason.

Each is tested at the limit and one beyond it. What a reader grants a server in time and connections
stands in `verifier.sources.limits`.
"""

LARGEST_RECORD = 65_535
"""Bytes of a record: its length takes two bytes in a bundle."""
LARGEST_INTEGER = (1 << 53) - 1
"""In a record: every program's JSON represents it exactly, even with floating-point numbers only."""
DEEPEST_RECORD = 16
"""Arrays and objects within one another in a record, itself included: a declaration has eight, and a reader may
recurse.
"""
LARGEST_LEAD = 1000
"""Rounds. A table's last ``lead`` rounds are never played, so more would only waste them."""
LARGEST_BATCH = 65_536
"""Rounds of a batch. Its file of commitments stays small, and it unrolls in a tenth of a second."""
MOST_PENDING_BATCHES = 64
"""Batches of a table with rounds to play: what replay remembers of a table is bounded."""
ROUNDS_AFTER_END = 100
"""Unused rounds of a closed table whose outcomes an audit reports: how it would have gone on, in a few lines."""
MOST_CUSTODIANS = 8
"""Custodians of a table: a round code with this many seeds can still be copied by a person."""
LONGEST_REASON = 200
"""Characters: one or two sentences."""

LONGEST_WAIT = 3600
"""Seconds from a batch to its pulse: an operator that could wait for long could wait for a pulse that it likes."""
WITNESSED_BEFORE = 10
"""Seconds from the last cosignature that a batch's quorum needs to the pulse: more than the clocks of witnesses are
wrong.
"""
LARGEST_SIGNATURE = 8192
"""Bytes of a beacon's signature in a salt: post-quantum ones have room."""
LONGEST_BEACON_ID = 64
"""Characters: drand's own are shorter than ten."""

LARGEST_NOTE = 1_000_000
"""Bytes of a signed note: a hundred signatures have room in it, post-quantum ones too."""
MOST_SIGNATURES = 100
"""Signatures of a note, as in Go's ``sumdb/note``; C2SP asks for 16 at least."""
LARGEST_POLICY = 65_536
"""Bytes: sixty-four witnesses with long names and addresses have room."""
MOST_IN_POLICY = 64
"""Logs, witnesses, groups, custodians, beacons, each: C2SP recommends 32, and a note has at most a hundred lines."""
LARGEST_CUSTODY_NOTE = 16_384
"""Bytes of a custodian's note: post-quantum signatures have room."""
LARGEST_DECIMAL = (1 << 63) - 1
"""The number of records that a checkpoint names fits a signed integer of 64 bits; a tree has 63 levels then."""
MOST_HASHES = 63
"""The length of an audit path in the largest log that a checkpoint can name."""

LONGEST_CODE = 1024
"""Characters of a round code: that of eight custodians has fewer than half."""
LONGEST_LINE = 1024
"""Bytes of one bet's line, as DESIGN gives it to engines."""
LARGEST_RECEIPT = 4096
"""Bytes: more than any bet's receipt has, for the longest line and 53 hashes take less."""
LARGEST_EXTRA = 65_536
"""Unauthenticated bytes in a proof that another program made."""
LARGEST_TLOG_PROOF = LARGEST_NOTE + 100_000
"""Bytes: more than all parts of a proof can have together."""
LARGEST_FORK = 2 * LARGEST_NOTE + 4096
"""Bytes of evidence: two notes, and more than the hashes between them can have."""
LARGEST_ROUND_PROOF = 4_000_000
"""Bytes of a round's proof file: more than a note, a witnessed file, six records, the commitments, notes and policies
of eight custodians, and the hashes of all of them can have.
"""
MOST_LINES_OF_ASIDE = 1024
"""Lines of a section that no rule looks at."""
LONGEST_LINE_OF_ASIDE = 65_535
"""Characters of such a line: a record fits."""

LARGEST_DECLARATION = 16_384
"""Bytes of a game's declaration: a wheel of hundreds of labelled segments has room in it."""
DEEPEST_DECLARATION = 8
"""Arrays and objects within one another, the declaration itself included: known kinds need five."""
MOST_STEPS = 64
"""Steps of a declaration."""
MOST_PARAMETERS = 1024
"""Names that a declaration's rules can have: with the largest numbers, they fit a batch record."""
LONGEST_LABEL = 32
"""Characters of a label: it is a word on a wheel, not a text."""
LARGEST_PILE = 4096
"""Things of a drum, of a shoe, or of one `pick`: 78 packs of 52."""
MOST_DRAWS = 1024
"""Draws of a round, beside what is repeated by chance: some milliseconds."""
LARGEST_OUTCOME = 8192
"""Bytes of an outcome: a reveal with it stays far below the limit of a record."""

LARGEST_PAYTABLE = 65_536
"""Bytes of a file of bets: five times as many as any game of the catalogue needs."""
LARGEST_NEWER_PAYTABLE = 1_048_576
"""Bytes of one that names a later vocabulary, which nothing but its spelling is asked of."""
DEEPEST_PAYTABLE = 16
"""Arrays and objects within one another, the file itself included: the catalogue's need nine."""
MOST_OPTIONS = 512
"""Options of a paytable: the largest game of the catalogue has 94."""
MOST_TABLES = 64
"""Tables of a paytable that say what counts of a thing."""
MOST_LETTERS = 4
"""Letters of a form: each is a place where a bet's text may be divided, and the ways multiply."""
MOST_COST = 100_000
"""Steps to settle one bet on one outcome, by docs/paytable-format.md: some tens of milliseconds."""
