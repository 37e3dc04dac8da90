"""Where the service keeps its things, and the figures an operator may set."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import unquote, urlsplit

from api.refusal import RefusalError
from fairness.beacon.chain import QUICKNET, Beacon, Beacons, known_beacons
from fairness.errors import Malformed, quote
from fairness.limits import LARGEST_BATCH, LONGEST_WAIT
from fairness.log.notes import VerifierKey

DEFAULT_FOLDER = "data"
DEFAULT_BATCH_SIZE = 1000
DEFAULT_TIMEOUT = 300
DEFAULT_FIRST_PULSE = 120
DEFAULT_LATER_PULSE = 600
LONGEST_TIMEOUT = 86_400
LAST_PORT = 65_535
PUBLIC_RELAYS = (
    "https://api.drand.sh",
    "https://api2.drand.sh",
    "https://api3.drand.sh",
    "https://drand.cloudflare.com",
)
"""The League of Entropy's own, and Cloudflare's."""
_THIS_MACHINE = "127.0.0.0/8,::1"
ADDRESS = re.compile(r"https?://[A-Za-z0-9.\[\]:_-]+(/[A-Za-z0-9._~/-]*)?")
"""The address of a relay or a witness: without password and query."""
_RATE = re.compile(r"([^=,\s]+)=([0-9]{1,4}(?:\.[0-9]{1,3})?)", re.ASCII)


_TEXT = r"(?:[A-Za-z0-9._~!$&*+;=-]|%(?!00)[0-9A-Fa-f]{2})"
_HOST = rf"(?:\[[0-9A-Fa-f:.]+\]|{_TEXT}*)(?::[0-9]{{1,5}})?"
_SERVER = re.compile(
    rf"postgres(?:ql)?://(?:(?P<user>{_TEXT}+)(?::(?P<password>{_TEXT}*))?@)?"
    rf"(?P<place>{_HOST}(?:,{_HOST})*/{_TEXT}+)(?:\?(?P<query>(?:[A-Za-z0-9._~/:+=&-]|%(?!00)[0-9A-Fa-f]{{2}})*))?",
    re.ASCII,
)
_BUCKET = re.compile(
    r"s3://(?P<name>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*))?/?"
)
_PROXY = re.compile(
    rf"(?P<scheme>https?)://(?:(?P<user>{_TEXT}+)(?::(?P<password>{_TEXT}*))?@)?"
    r"(?P<place>(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+):[0-9]{1,5})/?",
    re.ASCII,
)
_HOST_NAME = re.compile(r"\.?(?:[a-z0-9_-]+\.)*(?![0-9]+$)[a-z0-9_-]+", re.ASCII)
_NEVER_BY_A_PROXY = ("localhost", "127.0.0.0/8", "::1", "0.0.0.0", "::", "169.254.0.0/16", "fe80::/10")  # noqa: S104 -- not bound
"""This machine, which a proxy would look for on its own, and what only this machine's network cable leads to: where
clouds keep a machine's credentials.
"""
_SECRET_OPTIONS = {
    "password": "write it before the host, as in postgresql://USER:PASSWORD@HOST:5432/NAME, or use libpq's password file",
    "passfile": "set libpq's own variable PGPASSFILE",
    "sslpassword": "use a key without a password, which only the service's account can read",
}
"""What is not taken in the query of an address, and what to do instead."""


class SettingsError(RefusalError):
    """The service cannot start like this; the message says what to do."""


PREFIX = "FOREDRAW_"
KNOWN = frozenset(
    PREFIX + name
    for name in (
        *(
            "BATCH_SIZE",
            "BEACON",
            "CUSTODIAN",
            "DATA",
            "DATABASE",
            "FIRST_PULSE",
            "LATER_PULSE",
            "LOG",
            "LOG_FORMAT",
            "LOG_KEY",
        ),
        *("MANIFEST", "MANIFEST_KEY", "NO_PROXY", "POLICY", "PROXY", "PUBLISH", "RELAYS", "TOKEN", "TRACES"),
        *("TRUSTED_PROXIES", "VOID_CONFIRMED_WITHIN", "WITNESS_RATES"),
        # What the programs of one service pass to each other.
        *("COUNT", "ENGINES", "FILES", "NICENESS", "PUBLIC_SHARE", "SUPERVISOR"),
    )
)
"""The variables that programs of the service read."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a database in PostgreSQL. Only its place is ever shown: the rest may hold a password."""

    secret_address: str = field(repr=False)
    """As libpq takes it."""
    place: str
    """The hosts, ports and name of the database."""
    passwords: tuple[str, ...] = field(repr=False)
    """The password as it is spelled in the address, and as it is meant; the longest first."""

    @property
    def name(self) -> str:
        """The name of the database."""
        return self.place.rpartition("/")[2]

    @classmethod
    def parse(cls, text: str, variable: str = "FOREDRAW_DATABASE") -> Server:
        """Read an address. Raises `SettingsError`, which shows nothing of it.

        What libpq would refuse is refused here, because its words quote it.
        """
        matched = _SERVER.fullmatch(text)
        if matched is None:
            raise SettingsError(
                f"{variable}: expected an address like postgresql://USER:PASSWORD@HOST:5432/NAME, in which the"
                " special characters of a password are written as %40 and the like; what was found is not shown"
            )
        for option in (matched["query"] or "").split("&"):
            name = unquote(option.partition("=")[0])
            if name in _SECRET_OPTIONS:
                raise SettingsError(f"{variable}: {name} is not taken in the address: {_SECRET_OPTIONS[name]}")
        spelled = matched["password"] or ""
        passwords = sorted({spelled, unquote(spelled)} - {""}, key=len, reverse=True)
        return cls(text, matched["place"], tuple(passwords))


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where the log is published beside its folder: the objects of an S3-compatible store below a prefix."""

    name: str
    prefix: str

    @classmethod
    def parse(cls, text: str) -> Bucket:
        """Read an address. Raises `SettingsError`."""
        matched = _BUCKET.fullmatch(text)
        if matched is None:
            raise SettingsError(
                f"FOREDRAW_PUBLISH: expected an address like s3://BUCKET/PREFIX, found {quote(text)}."
                " Endpoint, region and credentials are in the variables AWS_… of S3's own tools"
            )
        return cls(matched["name"], matched["prefix"] or "")

    def __str__(self) -> str:
        return f"s3://{self.name}" + (f"/{self.prefix}" if self.prefix else "")


@dataclass(frozen=True, slots=True)
class Proxy:
    """What web servers on other machines are asked through. It is shown without its user and password."""

    address: str
    """Without user and password."""
    exempt: tuple[str, ...]
    """Hosts, with all below them, and networks that are asked without it."""
    user: str = field(default="", repr=False)
    """The user and the password, as they are meant."""
    secret_address: str = field(default="", repr=False)
    """With user and password, as they are spelled."""

    def __str__(self) -> str:
        return self.address

    @classmethod
    def from_environment(cls) -> Proxy | None:
        """Return the one of ``FOREDRAW_PROXY``. Raises `SettingsError`, which shows nothing of it."""
        if not (text := os.environ.get("FOREDRAW_PROXY")):
            return None
        matched = _PROXY.fullmatch(text)
        if matched is None or not _is_place(matched["place"]):
            raise SettingsError(
                "FOREDRAW_PROXY: expected an address like http://proxy.example:3128 or http://USER:PASSWORD@proxy.example:3128,"
                " in which the special characters of a password are written as %40 and the like; what was found is not shown"
            )
        address = f"{matched['scheme']}://{matched['place']}"
        user = "" if matched["user"] is None else unquote(f"{matched['user']}:{matched['password'] or ''}")
        return cls(address, (*_NEVER_BY_A_PROXY, *_hosts("FOREDRAW_NO_PROXY")), user, text.rstrip("/"))

    def leads_to(self, url: str) -> bool:
        """Return whether it is what an address is asked through."""
        try:
            host = (urlsplit(url).hostname or "").removesuffix(".")
        except ValueError:
            # Whoever asks there finds out that it is no address.
            return True
        try:
            address = ip_address(host)
        except ValueError:
            return not any(f".{host}".endswith(f".{each.lstrip('.')}") for each in self.exempt)
        address = getattr(address, "ipv4_mapped", None) or address
        return not any(address in network for network in map(_network, self.exempt) if network is not None)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The address of the published log, and the key that it is verified with."""

    address: str
    key: VerifierKey


@dataclass(frozen=True, slots=True)
class Settings:
    """The folder of one service, and its figures (``docs/install.md``)."""

    folder: Path
    batch_size: int = DEFAULT_BATCH_SIZE
    proxies: tuple[IPv4Network | IPv6Network, ...] = tuple(map(ip_network, _THIS_MACHINE.split(",")))
    """The networks of web servers that are trusted to report a sender's address and scheme."""
    relays: tuple[str, ...] = PUBLIC_RELAYS
    """Where pulses are asked for, one after the other."""
    beacon: Beacon | None = None
    """A beacon that tables may have beside quicknet."""
    first_pulse: int = DEFAULT_FIRST_PULSE
    """Seconds from the commitment of a table's first batch to its pulse, at least."""
    later_pulse: int = DEFAULT_LATER_PULSE
    """Seconds from the commitment of a table's later batches to their pulses, at least."""
    policy: Path | None = None
    """The operator's policy. If it has a quorum, nothing is published that its witnesses have not cosigned."""
    witness_rates: tuple[tuple[str, float], ...] = ()
    """By its name in the policy, how often a witness is asked at most: times a second."""
    server: Server | None = None
    """Where the database is, if it is not the SQLite file of the folder."""
    void_confirmed_within: timedelta | None = None
    """In which time another operator has to confirm that a round is voided; `None` if one person is enough."""
    manifest: Path | None = None
    """What the installed files are compared with."""
    manifest_key: VerifierKey | None = None
    """Who has signed it; there if the manifest is."""
    publish: Bucket | None = None
    """Where the log is published beside its folder."""
    elsewhere: Elsewhere | None = None
    """Where a machine without the service's folder reads the published log."""
    seeds_server: Server | None = None
    """Where the custodian's store is, if it is not the SQLite file of the folder."""
    proxy: Proxy | None = None
    """What relays, witnesses, the bucket and the published log are asked through."""

    @property
    def beacons(self) -> Beacons:
        """The beacons that tables may have, by their names."""
        return known_beacons(() if self.beacon is None else (self.beacon,))

    @classmethod
    def from_environment(cls, folder: str | None = None) -> Settings:
        """Read the variables ``FOREDRAW_…``; an argument overrides the environment. Raises `SettingsError`."""
        given = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
        _check_printable(given | ({} if folder is None else {"--data": folder}))
        chosen = folder or os.environ.get("FOREDRAW_DATA") or DEFAULT_FOLDER
        text = os.environ.get("FOREDRAW_BATCH_SIZE") or str(DEFAULT_BATCH_SIZE)
        if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > LARGEST_BATCH:
            raise SettingsError(f"FOREDRAW_BATCH_SIZE: expected 1 to {LARGEST_BATCH}, found {text[:40]!r}")
        server, seeds_server = _server("FOREDRAW_DATABASE"), _server("FOREDRAW_CUSTODIAN")
        if server is not None and seeds_server is not None and server.place == seeds_server.place:
            raise SettingsError(
                f"FOREDRAW_CUSTODIAN and FOREDRAW_DATABASE both name the database {server.place}: the seeds need one of"
                " their own, because the two are restored in different ways"
            )
        return cls(
            Path(chosen).resolve(),
            int(text),
            _networks("FOREDRAW_TRUSTED_PROXIES", _THIS_MACHINE),
            _relays("FOREDRAW_RELAYS"),
            beacon := _beacon("FOREDRAW_BEACON"),
            _wait("FOREDRAW_FIRST_PULSE", DEFAULT_FIRST_PULSE, beacon),
            _wait("FOREDRAW_LATER_PULSE", DEFAULT_LATER_PULSE, beacon),
            None if not (policy := os.environ.get("FOREDRAW_POLICY")) else Path(policy).resolve(),
            _rates("FOREDRAW_WITNESS_RATES"),
            server,
            _seconds_to_confirm("FOREDRAW_VOID_CONFIRMED_WITHIN"),
            *_manifest(),
            None if not (bucket := os.environ.get("FOREDRAW_PUBLISH")) else Bucket.parse(bucket),
            _elsewhere(),
            seeds_server=seeds_server,
            proxy=Proxy.from_environment(),
        )

    @property
    def database(self) -> Path:
        """Tables, rounds, queue, tokens, unless a `server` has them. It holds no secrets, and everything except
        tokens, sessions and the journal can be rebuilt from the log.
        """
        return self.folder / "foredraw.db"

    @property
    def log(self) -> Path:
        """The public log: static files, and nothing else."""
        return self.folder / "log"

    @property
    def secrets(self) -> Path:
        """The custodian's own store. Never restore it to an older state."""
        return self.folder / "custodian" / "seeds.db"

    @property
    def seeds(self) -> Path | Server:
        """Where the custodian's store is."""
        return self.secrets if self.seeds_server is None else self.seeds_server

    @property
    def has_seeds(self) -> bool:
        """Whether there is a store of the custodian; a server is asked when it is used."""
        return self.seeds_server is not None or self.secrets.exists()

    @property
    def signing_key(self) -> Path:
        """The log's secret key. Only the background program opens it."""
        return self.folder / "keys" / "log-signing.key"

    @property
    def verifier_key(self) -> Path:
        """The log's public key."""
        return self.folder / "keys" / "log.vkey"

    @property
    def seeds_key(self) -> Path:
        """The key that encrypts seeds at rest. Only the custodian opens it."""
        return self.folder / "keys" / "seed-encryption.key"

    @property
    def has_nothing(self) -> bool:
        """Whether nothing of a service is in the folder, which may be missing: probably another one is meant."""
        return not any(part.exists() for part in (self.signing_key.parent, self.database, self.log, self.secrets))

    @property
    def heartbeat(self) -> Path:
        """Touched by the background program while it works."""
        return self.folder / "background.alive"

    def heartbeat_of(self, part: str) -> Path:
        """Name the file that a part of the background program touches, the keeper or the sequencer, after its
        turns.
        """
        return self.folder / f"{part}.alive"

    @property
    def damage(self) -> Path:
        """Says that the database was found to be damaged, until the next start."""
        return self.folder / "damage.found"

    @property
    def beacon_trouble(self) -> Path:
        """Says what has kept batches from their salts for more than a minute, if anything has."""
        return self.folder / "beacon.trouble"

    @property
    def witnesses_trouble(self) -> Path:
        """Says why no round is opened: the witnesses have not cosigned the log's head, since the start or for
        seconds.
        """
        return self.folder / "witnesses.trouble"

    @property
    def entropy_trouble(self) -> Path:
        """Says that the source of seeds failed a health test, until the next start."""
        return self.folder / "entropy.trouble"

    @property
    def software_trouble(self) -> Path:
        """Says how the installed files differ from the signed manifest, if they do."""
        return self.folder / "software.trouble"

    @property
    def witnesses(self) -> Path:
        """How each witness of the policy stands; may be deleted at any time."""
        return self.folder / "witnesses.json"

    @property
    def kept_policy(self) -> Path:
        """A copy of the last policy that could be used, for processes that start while the file of the setting
        cannot.
        """
        return self.folder / "policy.last"

    @property
    def clock(self) -> Path:
        """What the clock has reached, for `Timekeeper`; if it is missing, the newest record shows it."""
        return self.folder / "clock.json"

    @property
    def drift(self) -> Path:
        """What the monitor remembers of every table; may be deleted at any time."""
        return self.folder / "drift.json"

    @property
    def demo(self) -> Path:
        """The keys of a demo's outsiders, and what its witnesses remember."""
        return self.folder / "demo"

    @property
    def demo_policy(self) -> Path:
        """The policy of a demo, which names its outsiders."""
        return self.folder / "demo-policy"

    @property
    def background_lock(self) -> Path:
        """Held by the one background program of this folder."""
        return self.folder / "background.lock"

    @property
    def write_lock(self) -> Path:
        """Queues the writers of the database; with SQLite alone they would poll."""
        return self.folder / "write.lock"


def _check_printable(given: Mapping[str, str]) -> None:
    """Raise `SettingsError` for a control character, which no message would show. The value may be secret, and is not
    shown.
    """
    for name, value in given.items():
        if (found := _CONTROL.search(value)) is not None:
            raise SettingsError(
                f"{name}: character {found.start() + 1} of {len(value)} is {found[0]!r}, and no setting has control characters:"
                " was it written in a file with Windows line ends, or copied with its line's end?"
            )


def unknown_settings() -> list[str]:
    """Return a sentence for each variable ``FOREDRAW_…`` that no program of the service reads."""
    unknown = sorted(name for name in os.environ if name.startswith(PREFIX) and name not in KNOWN)
    names = [name.removeprefix(PREFIX) for name in KNOWN]
    alike = {name: get_close_matches(name.removeprefix(PREFIX), names, n=1, cutoff=0.7) for name in unknown}
    return [f"{name} is no setting" + "".join(f": {PREFIX}{each} is one" for each in alike[name]) for name in unknown]


def _server(name: str) -> Server | None:
    address = os.environ.get(name)
    return Server.parse(address, name) if address else None


def _networks(name: str, otherwise: str) -> tuple[IPv4Network | IPv6Network, ...]:
    text = os.environ.get(name) or otherwise
    try:
        return tuple(ip_network(part.strip()) for part in text.split(","))
    except ValueError as error:
        expected = "addresses or networks with commas between them, like 10.0.0.7,192.168.0.0/24"
        raise SettingsError(f"{name}: expected {expected}, found {text[:80]!r}") from error


def _is_place(text: str) -> bool:
    """Return whether a host and its port can be connected to, by their form."""
    host, _, port = text.rpartition(":")
    return 0 < int(port) <= LAST_PORT and (not host.startswith("[") or _network(host[1:-1]) is not None)


def _network(text: str) -> IPv4Network | IPv6Network | None:
    """Return an address or a network; `None` if it is a name."""
    try:
        return ip_network(text)
    except ValueError:
        return None


def _hosts(name: str) -> tuple[str, ...]:
    found = tuple(part.strip().lower() for part in (os.environ.get(name) or "").split(",") if part.strip())
    for part in found:
        if _HOST_NAME.fullmatch(part) is None and _network(part) is None:
            expected = "hosts, addresses and networks with commas between them, like store.example,10.0.0.0/8"
            raise SettingsError(f"{name}: expected {expected}, found {quote(part)}")
    return found


def _relays(name: str) -> tuple[str, ...]:
    text = os.environ.get(name)
    if not text:
        return PUBLIC_RELAYS
    found = tuple(part.strip() for part in text.split(","))
    for url in found:
        if not ADDRESS.fullmatch(url):
            expected = "addresses like https://api.drand.sh, with commas between them"
            raise SettingsError(f"{name}: expected {expected}, found {quote(url)}")
    return found


def _beacon(name: str) -> Beacon | None:
    text = os.environ.get(name)
    if not text:
        return None
    try:
        return Beacon.parse(text.split(" "))
    except Malformed as error:
        expected = "the six words that `foredraw beacon` prints after `beacon`"
        raise SettingsError(f"{name}: expected {expected}: {error}") from error


def _wait(name: str, otherwise: int, other: Beacon | None) -> int:
    text = os.environ.get(name) or str(otherwise)
    # The pulse that a batch names is the first one after the wait, and within the hour.
    most = LONGEST_WAIT - max(QUICKNET.period, 0 if other is None else other.period)
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text) or int(text) > most:
        raise SettingsError(f"{name}: expected 1 to {most} seconds, found {quote(text)}")
    return int(text)


def _seconds_to_confirm(name: str) -> timedelta | None:
    text = os.environ.get(name)
    if not text:
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > LONGEST_TIMEOUT:
        raise SettingsError(f"{name}: expected 1 to {LONGEST_TIMEOUT} seconds, found {quote(text)}")
    return timedelta(seconds=int(text))


def _manifest() -> tuple[Path | None, VerifierKey | None]:
    path, text = os.environ.get("FOREDRAW_MANIFEST"), os.environ.get("FOREDRAW_MANIFEST_KEY")
    if not path and not text:
        return None, None
    if not path or not text:
        raise SettingsError("FOREDRAW_MANIFEST and FOREDRAW_MANIFEST_KEY go together: the file, and who signed it")
    try:
        return Path(path).resolve(), VerifierKey.parse(text)
    except Malformed as error:
        raise SettingsError(f"FOREDRAW_MANIFEST_KEY: expected a key like NAME+12345678+BASE64: {error}") from error


def _rates(name: str) -> tuple[tuple[str, float], ...]:
    text = os.environ.get(name)
    if not text:
        return ()
    found = {}
    for part in text.split(","):
        matched = _RATE.fullmatch(part.strip())
        if matched is None or not float(matched[2]):
            expected = "names of witnesses with requests a second, like lab=5,public=0.1"
            raise SettingsError(f"{name}: expected {expected}, found {quote(part)}")
        found[matched[1]] = float(matched[2])
    return tuple(found.items())


def _elsewhere() -> Elsewhere | None:
    address, key = (os.environ.get(name) for name in ("FOREDRAW_LOG", "FOREDRAW_LOG_KEY"))
    if not address:
        return None
    if not ADDRESS.fullmatch(address):
        expected = "the published log's address, like https://casino.example/log"
        raise SettingsError(f"FOREDRAW_LOG: expected {expected}, found {quote(address)}")
    try:
        return Elsewhere(address, VerifierKey.parse(key or ""))
    except Malformed as error:
        raise SettingsError(
            f"FOREDRAW_LOG_KEY: expected the log's key, which `foredraw key show` prints: {error}"
        ) from error
