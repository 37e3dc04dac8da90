"""Makes ``sbom.json``: what an installed service consists of, in CycloneDX's words.

Of each package that `service.txt` locks, it has the version, the licence, what it needs, and the hashes of all files
that an installation accepts; of our own, the hash of the wheel. Every build of a commit has the same bytes, so its
number comes from the wheels, and its time from the version.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageMetadata, distribution
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.markers import Environment, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from fairness.version import DATE, VERSION
from standalone.archive import HOUSE
from standalone.wheels import THE_SERVICE, THE_VERIFIER, Share

_PIN = re.compile(r"^([a-z0-9-]+)==(\S+)(?: ; ([^\\\n]+))? \\\n((?:    --hash=.+\n)+)", re.MULTILINE)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")
_PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_INSTALLED = ("service", "postgres", "s3", "par")
"""The extras of pyproject.toml that `service.txt` locks."""

Needs = dict[str, set[str]]
"""The packages that each needs, by their names."""


def sbom(locked: str, built: Mapping[str, bytes]) -> bytes:
    """Return the file, for the packages of `service.txt` and our own wheels, by the names of their files."""
    pins = {pin[1]: pin for pin in _PIN.finditer(locked)}
    needs = _needs(pins)
    ours = {share.name: _our_own(share, built[share.file]) for share in (THE_VERIFIER, THE_SERVICE)}
    others = {name: _locked(name, pin[2], _HASH.findall(pin[4])) for name, pin in pins.items() if name in needs}
    components = ours | others
    # Of the service, the file; the rest is what it consists of.
    main = components.pop(THE_SERVICE.name)
    number = uuid5(NAMESPACE_URL, " ".join(sha256(built[file]).hexdigest() for file in sorted(built)))
    made = datetime.fromisoformat(DATE).replace(tzinfo=UTC)
    bom = Bom(
        components=components.values(),
        serial_number=number,
        metadata=BomMetaData(component=main, timestamp=made),
    )
    for name, component in (ours | others).items():
        bom.register_dependency(component, [(ours | others)[each] for each in sorted(needs.get(name, ()))])
    return (JsonV1Dot6(bom).output_as_string(indent=2) + "\n").encode()


def _our_own(share: Share, wheel: bytes) -> Component:
    return Component(
        name=share.name,
        version=VERSION,
        type=ComponentType.APPLICATION,
        description=share.summary,
        bom_ref=f"{share.name}=={VERSION}",
        purl=PackageURL("pypi", None, share.name, VERSION),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=sha256(wheel).hexdigest())],
        licenses=[LicenseFactory().make_from_string(share.license)],
    )


def _locked(name: str, version: str, hashes: list[str]) -> Component:
    purl = PackageURL("pypi", None, name, version)
    # A version has a file for each processor and Python: the hashes are not those of one thing.
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(str(purl)),
        comment="each hash is that of a file of this version which an installation accepts",
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=each) for each in hashes],
    )
    license_ = LicenseFactory().make_from_string(_license(distribution(name).metadata))
    return Component(
        name=name,
        version=version,
        bom_ref=f"{name}=={version}",
        purl=purl,
        licenses=[license_],
        external_references=[files],
    )


def _license(metadata: PackageMetadata) -> str:
    """Return what a package says of its licence: an expression of SPDX, or a name in its own words."""
    classifiers = (each.rpartition(" :: ") for each in metadata.get_all("Classifier") or ())
    named = [name for kind, _, name in classifiers if kind.startswith("License")]
    said = (each for field in ("License-Expression", "License") for each in metadata.get_all(field) or ())
    return next(str(each) for each in (*said, *named) if each and "\n" not in str(each))


def _needs(pins: Mapping[str, re.Match[str]]) -> Needs:
    """Return what each package needs on any Python of ours on Linux, beginning with our own."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    needs: Needs = {}
    waiting = [(THE_VERIFIER.name, Requirement(each)) for each in project["dependencies"]]
    waiting += [(THE_SERVICE.name, Requirement(each)) for extra in _INSTALLED for each in extras[extra]]
    needs[THE_SERVICE.name] = {THE_VERIFIER.name}
    seen = set[tuple[str, str]]()
    while waiting:
        who, requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in pins:
            raise ValueError(f"{who} needs {name}, which requirements/service.txt does not lock: run make lock")
        needs.setdefault(who, set()).add(name)
        needs.setdefault(name, set())
        for extra in requirement.extras or {""}:
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += [(name, each) for each in _required(name, extra)]
    return needs


def _required(name: str, extra: str) -> Iterator[Requirement]:
    for requirement in map(Requirement, distribution(name).requires or ()):
        marker = requirement.marker
        if marker is None or any(marker.evaluate({**where, "extra": extra}) for where in _environments()):
            yield requirement


def _environments() -> Iterator[dict[str, str]]:
    for python in _PYTHONS:
        for machine in ("x86_64", "aarch64"):
            here: Environment = default_environment()
            yield {
                **{key: str(value) for key, value in here.items()},
                "python_version": python,
                "python_full_version": f"{python}.1",
                "platform_machine": machine,
            }
