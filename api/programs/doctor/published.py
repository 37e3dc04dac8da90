"""The bucket that the log is published to, against the log's folder."""

from __future__ import annotations

from collections.abc import Iterator

from api.findings.finding import Finding, note, problem
from api.log.mirroring import NOT_OURS_THERE
from api.log.recovery import own_checkpoint
from api.service import Service
from api.world.published.mirrored_log import open_objects
from fairness.errors import Missing
from fairness.log.checkpoints import CHECKPOINT


def look_at_bucket(service: Service, *, compare: bool) -> Iterator[Finding]:
    """Yield whether it answers, and whether its checkpoint is this log's; ``compare`` it with the folder's. Nothing
    is written there.
    """
    bucket = service.settings.publish
    if bucket is None:
        return
    # While a service runs, either may have grown since the other was read.
    ours = service.publication.size if compare else None
    objects = open_objects(bucket, service.settings.proxy)
    if (trouble := objects.refusal_of_what_is_missing()) is not None:
        yield problem("bucket", trouble)
    try:
        data, _ = objects.read(CHECKPOINT)
        theirs = own_checkpoint(data, service.verifier_key, str(bucket), NOT_OURS_THERE).size
    except Missing:
        yield note("bucket", f"{bucket} has no checkpoint yet: the next start of the service uploads the whole log")
        return
    if ours is not None and theirs != ours:
        does = "brings the folder forward from it" if theirs > ours else "uploads the rest"
        yield note("bucket", f"{bucket} has {theirs:,} records, and log/ has {ours:,}: the next start {does}")
