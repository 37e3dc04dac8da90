"""What a verdict says of custodians: what was shown, and no more (SPEC 5.9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fairness.policy.custody import Released
from fairness.policy.policy import Policy
from fairness.policy.quorum import Member, Witness
from verifier.sentences import Checked, Custody, Unknown


def custody_sentences(
    released: Sequence[Released], custodians: Sequence[str], policy: Policy, *, one_round: bool
) -> list[str]:
    """Return who holds a batch of these ``custodians``, and by what each of those that ``released`` a policy releases
    its seeds.

    Of one round it is said that an earlier lock could have shown it: only an audit excludes that.
    """
    if not released:
        return []
    held = Custody.CUSTODY_NOTES.fill(names=" and ".join(each.custodian.name for each in released))
    known = [each for each in released if each.policies is not None]
    return [held, *(_release(each, custodians, policy, one_round=one_round) for each in known)]


def unknown_custody(released: Iterable[Released]) -> tuple[str, ...]:
    """Return the custodians whose notes or policies are newer than this verifier."""
    newer = [each.custodian.name for each in released if each.policies is None]
    return tuple(Unknown.NEWER_CUSTODY.fill(name=name) for name in newer)


def _release(released: Released, custodians: Sequence[str], policy: Policy, *, one_round: bool) -> str:
    name, quorum = released.custodian.name, released.policies.quorum if released.policies else None
    if quorum is None:
        return Custody.DEMANDS_NO_WITNESSES.fill(name=name)
    own = {each.key.public_key: each.name for each in policy.witnesses}
    others = " and ".join(each for each in custodians if each != name)
    strangers = {each for each in witnesses_of(quorum) if each.key.public_key not in own}
    values = {"name": name, "quorum": quorum_in_words(quorum, own)}
    if quorum.is_met_by(strangers) or not others:
        return Custody.RELEASES.fill(**values)
    sentence = Custody.RELEASES_UNKNOWN_TO_OTHERS_IN_ROUND if one_round else Checked.RELEASES_UNKNOWN_TO_OTHERS
    return sentence.fill(**values, others=others)


def witnesses_of(member: Member) -> list[Witness]:
    """Return all witnesses of a quorum."""
    if isinstance(member, Witness):
        return [member]
    return [witness for each in member.members for witness in witnesses_of(each)]


def quorum_in_words(member: Member, own: dict[bytes, str]) -> str:
    """Name a quorum by the names that the reader's own policy has for these public keys; nothing of the file is shown
    as it stands.
    """
    if isinstance(member, Witness):
        return own.get(member.key.public_key) or _unnamed(1)
    named = [
        quorum_in_words(each, own) if isinstance(each, Witness) else f"({quorum_in_words(each, own)})"
        for each in member.members
        if not isinstance(each, Witness) or each.key.public_key in own
    ]
    unnamed = len(member.members) - len(named)
    members = ", ".join([*named, *([_unnamed(unnamed)] if unnamed else [])])
    return Custody.QUORUM_OF.fill(threshold=member.threshold, members=members)


def _unnamed(count: int) -> str:
    return Custody.UNNAMED_WITNESS if count == 1 else Custody.UNNAMED_WITNESSES.fill(unnamed=count)
