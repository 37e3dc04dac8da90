// How large anything may be, with the section of SPEC that sets the limit.

/** Bytes of a record (4.1). */
export const LARGEST_RECORD = 65_535;
/** Rounds of a batch (3.1). */
export const LARGEST_BATCH = 65_536;
/** One more than the largest number of a round (4.2). */
export const ROUNDS_END = 2 ** 48;
/** Custodians of a table (4.2). */
export const MOST_CUSTODIANS = 8;
/** Characters of a reason (4.1). */
export const LONGEST_REASON = 200;
/** The largest lead that a table may promise, in rounds (4.3, `table-lead`). */
export const LONGEST_LEAD = 1000;
/** Batches with rounds that have not ended (4.3, `batch-pending`). */
export const MOST_PENDING = 64;
/** Unused rounds of a closed table whose outcomes are reported (8.1). */
export const ROUNDS_AFTER_END = 100;
/** Characters of a beacon's id (4.8). */
export const LONGEST_BEACON_ID = 64;
/** Bytes of a signed note, and its signatures (5.1). */
export const LARGEST_NOTE = 1_000_000;
export const MOST_SIGNATURES = 100;
/** Hashes of an audit path, and bytes of an `extra` line (5.5). */
export const LONGEST_PATH = 63;
export const LARGEST_EXTRA = 65_536;
/** Bytes of the proof that a record is in the log (8.8). */
export const LARGEST_TLOG_PROOF = 1_100_000;
/** Bytes of a round's proof file (5.6). */
export const LARGEST_PROOF = 4_000_000;
/** Lines of a section at which no rule looks, and characters of a line (4.10). */
export const MOST_LINES_OF_ASIDE = 1024;
export const LONGEST_LINE_OF_ASIDE = 65_535;
/** Characters of a round code (6). */
export const LONGEST_CODE = 1024;
/** Bytes of a bet's line, and of its receipt (7). */
export const LARGEST_BET = 1024;
export const LARGEST_BET_RECEIPT = 4096;
/**
 * Bytes of a paytable, and of one of a later version; its arrays and objects within one another
 * (docs/paytable-format.md).
 */
export const LARGEST_PAYTABLE = 65_536;
export const LARGEST_NEWER_PAYTABLE = 1_048_576;
export const DEEPEST_PAYTABLE = 16;
/** Arrays and objects within one another in a record, itself included (4.1). */
export const DEEPEST_RECORD = 16;
/** Bytes of a custodian's note (5.9). */
export const LARGEST_CUSTODY_NOTE = 16_384;
/** Bytes of a policy, and its lines of each kind (5.7). */
export const LARGEST_POLICY = 65_536;
export const MOST_IN_POLICY = 64;
/** Of things of one kind that nobody knows, so many are named, and all are counted (4.9). */
export const MOST_NAMED = 100;
