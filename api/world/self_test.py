"""Known answers: whether this machine still computes outcomes, commitments and signatures correctly.

A wrong library or a failing machine would make records that no verifier accepts, or worse, seeds that are not
random. So each program of the service checks this before anything else, and does not start if one answer differs.
The first round of ``tests/vectors/protocol.json``, RFC 8032 (7.1, test 1), and AES-256-GCM of nothing
under the zero key (the GCM specification's test case 13).
"""

from __future__ import annotations

from collections.abc import Iterator

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.settings import SettingsError
from fairness.draws.commitments import commitment
from fairness.draws.seed_chain import previous_seed
from fairness.draws.stream import Stream
from fairness.player.round_code import RoundCode
from games import GAMES

_TABLE = bytes.fromhex("6ce12499dca485c48ed3afc3772d685723cc166b80ee4aa41a5538ca344ef3f5")
_SEED = bytes.fromhex("3a40cd6a9977fef775928b72420ef249f2627f54ea8465bd651b04a8dc9c68dc")
_CONTEXT = bytes.fromhex("5051f5b9034d850c25f354890ed4406fe97f978bbceb60c8859befcb56fb43a3")
_RULES = {"cap": 1_000_000, "rtp": 9700, "version": 1}
_SIGNS = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")


def check_known_answers() -> None:
    """Raise `SettingsError` if this machine computes anything else."""
    for what, found, expected in _answers():
        if found != expected:
            raise SettingsError(
                f"this machine computes {what} wrongly: expected {expected}, found {found}. "
                "Repair its libraries or the machine; nothing may be played on it"
            )


def _answers() -> Iterator[tuple[str, str, str]]:
    anchor = previous_seed(_SEED, table_id=_TABLE, round_number=1)
    yield "a link of a seed chain", anchor.hex(), "5df18e101e0df0b60672821e8c12f69ed94cb5f44c41f16dcf519f742e26fb76"
    committed = commitment(_SEED, table_id=_TABLE, round_number=1)
    yield "a commitment", committed.hex(), "8b26daeee6178d2f9f2927845265a738b0b0b64c62ae80b50c6f56458bb53eec"
    drawn = Stream([_SEED], _CONTEXT, 1).take(32)
    yield "a stream", drawn.hex(), "36840db7fdb2b7605e4898b9092db315c162c0a42d2fcb473002ddb263db7a30"
    outcome = GAMES["crash"].outcome(Stream([_SEED], _CONTEXT, 1), _RULES)
    yield "an outcome", str(dict(outcome)), "{'multiplier': '4.55'}"
    code = RoundCode.of(GAMES["crash"].name, _TABLE, 1, [_SEED])
    yield (
        "a round code",
        str(code),
        "crash1q9kwzfyeqqqqqqqqqyaypnt2n9mlaam4j29hyssw7fylycnl2n4ggedav5dsf2xun35dcawz7r3",
    )
    signature = Ed25519PrivateKey.from_private_bytes(_SIGNS).sign(b"")
    yield (
        "a signature",
        signature.hex(),
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    )
    yield "an encryption", AESGCM(bytes(32)).encrypt(bytes(12), b"", b"").hex(), "530f8afbc74536b9a963b4f1c4cb738b"
