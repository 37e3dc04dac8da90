"""What a service keeps to itself, and whether it is anywhere: seeds that are not released, in every form of
writing.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import replace

from api.rounds.seeds import chain_of
from api.settings import Server
from tests.support.running_service import RunningService, opened


def unreleased(service: RunningService, tables: Iterable[str]) -> list[bytes]:
    """The seeds of all rounds that have not ended, as the custodian would give them without its rule."""
    found, settings = [], service.settings
    if (seeds := service.variables.get("FOREDRAW_CUSTODIAN")) is not None:
        settings = replace(settings, seeds_server=Server.parse(seeds))
    with opened(settings) as inside:
        for table in tables:
            state = service.queued_state(table)
            first = state.locked.number if state.locked else state.next_round
            for batch in state.batches:
                chain = inside.custodian._chain(chain_of(state, batch))
                found += [chain.seed(number) for number in range(max(first, batch.first), batch.last + 1)]
    return found


def spellings(secret: bytes) -> list[bytes]:
    """The forms in which a secret might be written."""
    return [
        secret,
        secret.hex().encode(),
        secret.hex().upper().encode(),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
        repr(secret).encode()[2:-1],
    ]


def found_in(secrets: list[bytes], where: bytes) -> bool:
    """Whether the text contains any of the secrets in any form."""
    return any(spelling in where for secret in secrets for spelling in spellings(secret))
