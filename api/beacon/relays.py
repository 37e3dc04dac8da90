"""Pulses from several relays, one asked after the other until a pulse verifies (SPEC 4.8).

What a relay says is only a claim: the signature of exactly the round that was asked for decides, under the beacon's
key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from threading import Event

import msgspec
from msgspec import Struct

from api.beacon.relay import NoAnswer, Relay
from api.settings import Proxy
from fairness.beacon.bls import SIGNATURE_SIZE, InvalidSignature
from fairness.beacon.chain import Beacon
from fairness.beacon.pulse import verify_pulse
from fairness.errors import Malformed
from fairness.hashing import parse_hex
from fairness.limits import LARGEST_INTEGER
from fairness.times import format_time

TOLERANCE = timedelta(seconds=30)
"""How far the service's clock may be from what the newest pulse says: far less than a batch waits for its pulse."""


class NoPulse(Exception):
    """No relay gave a pulse that verifies. The message has a reason for each relay."""


class ClockDiffers(Exception):
    """The newest pulse says that the service's clock is wrong, or that the relays are not up to date."""


class _Claim(Struct):
    """A relay's answer; drand sends more than this."""

    round: int
    signature: str


_DECODER = msgspec.json.Decoder(_Claim)


class Relays:
    """The relays of some settings. The one that helped last is asked first."""

    def __init__(self, urls: Iterable[str], stop: Event | None = None, proxy: Proxy | None = None) -> None:
        """After ``stop`` no further relay is asked. ``proxy``: that of the settings."""
        self._relays = [Relay(url, proxy) for url in urls]
        self._stop = Event() if stop is None else stop

    def pulse(self, beacon: Beacon, number: int) -> bytes:
        """Return the pulse of exactly this round: 48 bytes, verified. Raises `NoPulse`."""
        reasons = []
        for relay in list(self._relays):
            try:
                _, signature = self._ask(relay, beacon, number)
            except (NoAnswer, NoPulse) as error:
                reasons.append(f"{relay}: {error}")
                continue
            self._relays.sort(key=lambda each: each is not relay)
            return signature
        raise NoPulse("; ".join(reasons))

    def check_clock(self, beacon: Beacon, clock: Callable[[], datetime]) -> int:
        """Return the newest round that has a pulse, which is the one that there should be by the service's clock.

        Raises `ClockDiffers`, or `NoPulse` if that cannot be known.
        """
        earliest = beacon.newest_at(int((clock() - TOLERANCE).timestamp()))
        newest = self._newest(beacon, earliest)
        # Relays may take long to answer, and a pulse may come meanwhile.
        moment = clock()
        if earliest <= newest <= beacon.newest_at(int((moment + TOLERANCE).timestamp())):
            return newest
        later = int(moment.timestamp()) - beacon.time_of(newest)
        raise ClockDiffers(
            f"the clock shows {format_time(moment)}, which is {abs(later)} seconds {'after' if later > 0 else 'before'} the"
            f" newest pulse of the beacon {beacon.id} that the relays have: set the clock right, or wait for the relays"
        )

    def _newest(self, beacon: Beacon, wanted: int) -> int:
        """Return the newest round of which a relay has the pulse. An old one is no lie, so others are asked until
        ``wanted``.
        """
        newest, reasons = 0, []
        for relay in self._relays:
            try:
                number, _ = self._ask(relay, beacon, None)
            except (NoAnswer, NoPulse) as error:
                reasons.append(f"{relay}: {error}")
                continue
            newest = max(newest, number)
            if newest >= wanted:
                break
        if newest == 0:
            raise NoPulse("; ".join(reasons))
        return newest

    def _ask(self, relay: Relay, beacon: Beacon, number: int | None) -> tuple[int, bytes]:
        """Return a relay's pulse of a round, or its newest one: round and signature, verified."""
        if self._stop.is_set():
            raise NoPulse("not asked, because the service stops")
        asked = "latest" if number is None else str(number)
        answer = relay.get(f"{beacon.chain_hash.hex()}/public/{asked}")
        try:
            claim = _DECODER.decode(answer)
            signature = parse_hex(claim.signature, SIGNATURE_SIZE)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, Malformed) as error:
            raise NoPulse("its answer is no pulse") from error
        if not 1 <= claim.round <= LARGEST_INTEGER or (number is not None and claim.round != number):
            raise NoPulse(f"asked for round {asked}, it answered for round {claim.round}")
        try:
            verify_pulse(beacon, claim.round, signature)
        except InvalidSignature as error:
            raise NoPulse(f"its signature of round {claim.round} {error}") from error
        return claim.round, signature
