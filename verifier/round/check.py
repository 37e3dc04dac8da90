"""The check of one round, from its code: a handful of records instead of the whole log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import UNSET

from fairness.checks import Check
from fairness.draws.commitments import commitment
from fairness.draws.game import Games
from fairness.errors import CheckFailed
from fairness.log.tiles import ReadFile
from fairness.player.round_code import RoundCode
from fairness.policy.policy import Trust
from fairness.records.record import BatchRecord, TableRecord
from fairness.round.authentic_log import AuthenticLog, Placed
from fairness.round.prover import prove_commitments
from fairness.round.rules import check_chains, check_outcome
from games import GAMES
from games.order import order_to_show
from verifier.audit.bundles import Progress
from verifier.caveats import caveats, unknown_beacon, unknown_game, witnessed_sentence
from verifier.custodians import custody_sentences, unknown_custody
from verifier.round.bets import with_bets
from verifier.round.code_checks import check_seeds_of_code, read_code
from verifier.round.lead import Lead, rounds_ahead
from verifier.round.not_shown import naming_ways_on
from verifier.round.published import limits_of, open_log
from verifier.round.records import RoundRecords, find_round, in_its_table
from verifier.round.report import Passed, RoundReport, Salt, signed
from verifier.sentences import Checked, NotChecked
from verifier.sources.source import Source


def check_round(
    source: Source,
    trust: Trust,
    code: str,
    *,
    table: str | None = None,
    bets: Sequence[str] = (),
    paytable: bytes | None = None,
    games: Games = GAMES,
    whole: Progress | None = None,
) -> RoundReport:
    """Check the round that ``code`` names against the log of ``source``, believing whom ``trust`` names.

    Raises `CheckFailed` (`NotShown` for what finding aids do not lead to) or `Unreadable`. With ``table``, a code of
    another table is refused. If everything holds, the report has the results of ``bets``, by the log's file of what
    they pay or by ``paytable``, which is given in its place; `BetRefused` for one that the round did not offer. With
    ``whole``, every record is read in the place of the finding aids.
    """
    # A round was fixed in advance, and its outcome is what the rules make of it, if (SPEC 8.2):
    #  1. its code has no typing error;
    #  2. the log's checkpoint is signed, and has the policy's quorum;
    #  3. the log has the code's table, of the code's game;
    #  4. the log has the round's lock and reveal, and before them the batches of the next lead rounds, with their
    #     salts; and with a policy, witnesses saw the round's batch before its pulse;
    #  5. the code's seeds are those that were revealed, and hash to the anchors of the round's batch;
    #  6. the seeds open the commitments that were published for the round;
    #  7. the outcome is what the rules of the batch make of the seeds;
    #  8. the batch, with its salt, stood in the log when the round ``lead`` rounds before this one was locked.

    # Step 1: the code.
    round_code = read_code(code)

    # Step 2: the checkpoint.
    log = open_log(source, trust, whole)

    # Step 3: the table.
    def check(found: Placed[TableRecord]) -> RoundReport:
        return _RoundCheck(log, round_code, found, games).report_with(
            bets, log.read if paytable is None else lambda _: paytable
        )

    with naming_ways_on(log):
        return in_its_table(log, round_code, games, check, name=table)


@dataclass(frozen=True, slots=True)
class _RoundCheck:
    """Steps 4 to 8, for one table."""

    log: AuthenticLog
    code: RoundCode
    table: Placed[TableRecord]
    games: Games

    def report_with(self, bets: Sequence[str], read: ReadFile) -> RoundReport:
        """Return the verdict on the round, and on bets if there are any."""
        report = self.report()
        return with_bets(report, bets, self._check_other, read) if bets else report

    def _check_other(self, number: int) -> RoundReport:
        """Return the verdict on another round of the table, whose seeds are those of its reveal."""
        reveal = find_round(self.log, self.table, number).reveal.record
        seeds = [bytes.fromhex(seed) for seed in reveal.seeds]
        code = RoundCode.of(self.code.game, self.table.record_id, number, seeds)
        return replace(self, code=code).report()

    def report(self) -> RoundReport:
        """Return the verdict on the round."""
        # Step 4: the round's records, each what it claims to be, and in the order that the rules demand.
        found = find_round(self.log, self.table, self.code.round_number)
        batch = found.batches[0]

        # Step 5: the seeds.
        check_seeds_of_code(self.code, self.table, found.reveal)
        check_chains(self.table, batch, self.code.round_number, self.code.seeds)

        # Step 6: the commitments.
        self._check_commitments(batch)

        # Step 7: the outcome.
        check_outcome(batch, found.salt, found.reveal, self.code.seeds, self.games.of(self.table.record))

        # Step 8: how long before.
        lead = rounds_ahead(self.log, self.table, self.code.round_number, found)
        return self._report(found, lead)

    def _check_commitments(self, batch: Placed[BatchRecord]) -> None:
        number = self.code.round_number
        for seed, promised in zip(self.code.seeds, prove_commitments(self.log, batch, number), strict=True):
            digest = commitment(seed, table_id=self.table.record_id, round_number=number)
            if digest != promised.digest:
                expected = promised.digest.hex()
                raise CheckFailed(Check.COMMITMENT, expected=expected, found=digest.hex(), where=f"round {number}")

    def _report(self, found: RoundRecords, lead: Lead) -> RoundReport:
        table, lock, reveal, head = self.table.record, found.lock.record, found.reveal.record, self.log.head
        batch = found.batches[0]
        reason = lock.reason if lock.reason is not UNSET else reveal.reason
        unknown = unknown_beacon(table, head.policy)
        newer = unknown_game(table, self.games, batch.record.rules)
        return RoundReport(
            head=head,
            table=table.table,
            table_id=self.table.record_id,
            game=table.game,
            declaration=table.declaration_text,
            paytable="" if table.paytable is UNSET else table.paytable,
            round=self.code.round_number,
            batch=batch.record.batch,
            outcome=reveal.outcome,
            status=reveal.status,
            reason=reason if reason is not UNSET else None,
            committed_at=batch.record.committed,
            salt=Salt.of(self.table, batch, found.salt),
            witnessed=found.witnessed,
            opened_at=lock.opened if lock.opened is not UNSET else None,
            locked_at=lock.locked,
            revealed_at=reveal.revealed,
            lead=table.lead,
            ahead=lead.ahead,
            passed=tuple(self._passed(found, lead, unknown, newer)),
            not_checked=(
                *limits_of(self.log, [NotChecked.ONE_ROUND_ONLY]),
                *([] if found.witnessed or not found.salts else [NotChecked.WITNESSED_NOT_READ]),
                *caveats([table], self.games, head.policy),
            ),
            unknown=(*unknown, *newer, *unknown_custody(found.released)),
            is_outcome_known=not newer,
            rules=batch.record.rules,
            records=(found.lock.index, found.reveal.index),
            order=() if newer else tuple(order_to_show(self.games.of(table), reveal.outcome)),
        )

    def _passed(
        self, found: RoundRecords, lead: Lead, unknown: tuple[str, ...], newer: tuple[str, ...]
    ) -> Iterator[Passed]:
        """Yield what was checked, in the order of the steps, but for what depends on an ``unknown`` beacon or a
        ``newer`` game.
        """
        table, number = self.table.record, self.code.round_number
        batches = tuple(batch.index for batch in found.batches)
        salts = tuple(salt.index for salt in found.salts)
        yield Passed(Check.CODE_CHECKSUM, Checked.NO_TYPING_ERROR)
        yield signed(self.log.head)
        yield Passed(Check.CODE_TABLE, Checked.TABLE_IN_LOG.fill(game=table.game), (self.table.index,))
        yield Passed(
            Check.LEAD_COMMITTED, Checked.ROUNDS_COMMITTED.fill(round=number, last=number + table.lead), batches
        )
        if salts:
            if unknown:
                yield Passed(Check.LEAD_COMMITTED, Checked.SALTED_BY_UNKNOWN.fill(round=number), salts)
            else:
                yield Passed(Check.SALT_SIGNATURE, Checked.SALTED.fill(round=number), salts)
        if found.witnessed:
            begins = Checked.WITNESSED_BEGINS.fill(size=found.witnessed.head.checkpoint.size)
            yield Passed(Check.LOG_EXTENDS, begins, batches[:1])
            yield Passed(Check.BATCH_WITNESSED, witnessed_sentence(found.witnessed, unknown), batches[:1])
        custodians = self.table.record.custodians
        for each in custody_sentences(found.released, custodians, self.log.head.policy, one_round=True):
            yield Passed(Check.CUSTODY_NOTE, each, batches[:1])
        yield Passed(Check.ROUND_RECORDS, Checked.LOCK_AND_REVEAL, (found.lock.index, found.reveal.index))
        yield Passed(Check.CODE_SEED, Checked.SEED_REVEALED, batches[:1])
        yield Passed(Check.COMMITMENT, Checked.SEED_OPENS_COMMITMENT, batches[:1])
        if not newer:
            yield Passed(Check.OUTCOME, Checked.OUTCOME_FOLLOWS, batches[:1])
        ahead = Checked.ROUNDS_AHEAD_SALTED if salts else Checked.ROUNDS_AHEAD
        yield Passed(Check.LEAD_COMMITTED, ahead.fill(first=number - lead.ahead), lead.records)
