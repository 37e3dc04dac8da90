"""Readers of our log that nobody of this project wrote; each raises `Refused` if it does not accept something.

``tests/go/verify_log.go`` lets the code of Go's checksum database read a whole log; `openssl` is a command.
``tests/tools.sh`` installs both. `proofbundle` is a Python package.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from proofbundle.checkpoint import verify_checkpoint
from proofbundle.errors import ProofBundleError
from proofbundle.tlogproof import verify_tlog_proof

from fairness.log.notes import VerifierKey
from tests.house import HOUSE

GO_ENVIRONMENT = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": ""}
_GO_SOURCE = "tests/go/verify_log.go"

_ED25519_PUBLIC_KEY = bytes.fromhex("302a300506032b6570032100")
"""The prefix of the 32 bytes of an Ed25519 key in the form that OpenSSL reads (RFC 8410)."""


class Refused(Exception):
    """Another program does not accept something, and says why."""


def go(*arguments: str) -> None:
    """Run one of Go's own commands in the project's folder; it must succeed without output."""
    done = subprocess.run(arguments, cwd=HOUSE, env=GO_ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@dataclass(frozen=True, slots=True)
class GoReader:
    """Go's checksum database, reading the log in a folder."""

    program: Path
    key: VerifierKey
    folder: Path

    @classmethod
    def build(cls, program: Path, key: VerifierKey, folder: Path) -> GoReader:
        """Build the program from Debian's packages; no network is needed."""
        go("go", "build", "-o", str(program), _GO_SOURCE)
        return cls(program, key, folder)

    def verify(self, *, inclusion: Sequence[bytes] = (), consistency: Sequence[object] = ()) -> list[str]:
        """Verify the whole log, and these proofs, if any; return the lines that it prints."""
        arguments = [str(self.program), str(self.key), str(self.folder)]
        if inclusion or consistency:
            proofs = self.program.with_name("proofs.json")
            texts = [proof.decode(errors="replace") for proof in inclusion]
            proofs.write_text(json.dumps({"inclusion": texts, "consistency": consistency}))
            arguments.append(str(proofs))
        done = subprocess.run(arguments, capture_output=True, text=True, check=False)
        assert done.returncode in {0, 1}, done.stderr
        if done.returncode == 1:
            raise Refused(done.stderr)
        return done.stdout.splitlines()


def consistency_proof(older: bytes, path: Sequence[bytes]) -> dict[str, object]:
    """The proof for an older signed checkpoint, in the form that `GoReader` takes."""
    return {"older": older.decode(), "path": [base64.b64encode(digest).decode() for digest in path]}


def openssl(text: bytes, signature: bytes, key: VerifierKey, folder: Path) -> None:
    """Verify an Ed25519 signature; ``folder`` is for the command's files."""
    files = {"text": text, "signature": signature, "key": _ED25519_PUBLIC_KEY + key.public_key}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    command = "openssl pkeyutl -verify -pubin -keyform DER -inkey key -rawin -in text -sigfile signature"
    done = subprocess.run(command.split(), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Refused(done.stdout + done.stderr)


def proofbundle_checkpoint(note: bytes, key: VerifierKey) -> None:
    """Verify a signed checkpoint."""
    try:
        answer = verify_checkpoint(note.decode(), str(key))
    except (UnicodeDecodeError, ProofBundleError) as error:
        raise Refused from error
    if not answer["ok"]:
        raise Refused(answer)


def proofbundle(proof: bytes, record: bytes, key: VerifierKey) -> None:
    """Verify a tlog-proof of a record."""
    try:
        answer = verify_tlog_proof(proof.decode(), record, str(key), expected_origin=key.name)
    except UnicodeDecodeError as error:
        raise Refused from error
    if not answer["ok"]:
        raise Refused(answer)
