"""What `deploy/` has beside web servers: units, alerts, a board and containers, each read by its own tool or its own
rules.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
from prometheus_client.parser import text_string_to_metric_families

from api.access.tokens import Role, create_token
from api.programs.cli import main as foredraw
from api.server.app import create_app
from fairness.version import VERSION
from tests.house import HOUSE
from tests.support.compose import MACHINES, PASSWORDS, hosts_of, read_compose
from tests.support.documents import OPERATOR, PAGES
from tests.support.witnessed_service import witnessed_service
from verifier import cli as verify

DEPLOY = HOUSE / "deploy"
LOCAL = DEPLOY / "machine/usr/local"
"""What a release puts onto a machine."""
SYSTEM = LOCAL / "lib/systemd/system"
UNITS = ("foredraw.service", "foredraw-backup.service", "foredraw-witness.service")
SCRIPTS = sorted((LOCAL / "sbin").iterdir())
EXPOSURE = 25
"""Of `systemd-analyze security`, in tenths: 100 is a program without any limit."""
ALERTS: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus-alerts.yml").read_text("utf-8"))
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
BOARD: dict[str, Any] = json.loads((DEPLOY / "grafana.json").read_text("utf-8"))
KEY = "fore.example/log+3391d0f1+AZuKtTtiquV2gpdd5ZCyfcWsBuafGyFX/vPhMeFCDSpj"
METRIC = re.compile(r"\bforedraw_[a-z_]+\b")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


def compose() -> dict[str, Any]:
    """The file as docker-compose understands it; at import, each process of tests would start that program for half a
    second.
    """
    return read_compose(**dict.fromkeys(PASSWORDS, "a-password"), LOG_KEY=KEY)


def parsed(arguments: list[str]) -> None:
    """The operator's program accepts these arguments."""
    command: click.Command = foredraw
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), arguments[0])
        assert found is not None, arguments
        command, arguments = found, arguments[1:]
    command.make_context("foredraw", list(arguments), parent=click.Context(foredraw, **foredraw.context_settings))


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Every figure that `/metrics` has, with the labels of each, as Prometheus names them."""
    with witnessed_service(tmp_path_factory.mktemp("figures") / "data") as running:
        running.play("keno-1", 3)
        running.settle()
        running.service.monitor().turn()
        token = create_token(running.service.database, running.clock, "prometheus", Role.OPERATOR, ["*"])
        browser = create_app(running.service).test_client()
        answer = browser.get("/metrics", headers={"Authorization": f"Bearer {token}"})
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(answer.text):
        # A figure without samples is one that has a name.
        found.setdefault(family.name, set())
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


# systemd


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_is_hardened(unit: str) -> None:
    """By systemd's own measure, on the file alone: no systemd has to run."""
    done = run(
        "systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE}", SYSTEM / unit
    )
    assert done.returncode == 0, done.stdout
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", done.stdout)
    assert found is not None
    assert float(found[1]) * 10 < EXPOSURE


def test_the_measure_notices_a_unit_without_limits(tmp_path: Path) -> None:
    """So the test above means something."""
    bare = tmp_path / "bare.service"
    bare.write_text("[Service]\nExecStart=/bin/true\n")
    done = run("systemd-analyze", "security", "--offline=true", "--no-pager", f"--threshold={EXPOSURE}", bare)
    assert done.returncode != 0


def test_the_units_are_units(tmp_path: Path) -> None:
    """Systemd knows every setting, and finds the programs; only the folder of the installation is replaced."""
    files = [file for file in SYSTEM.iterdir() if file.is_file()]
    for file in files:
        text = file.read_text("utf-8")
        (tmp_path / file.name).write_text(text.replace("/opt/foredraw/bin", str(Path(sys.executable).parent)))
    files = [tmp_path / file.name for file in files]
    done = run("systemd-analyze", "verify", "--man=no", *files)
    said = [line for line in done.stderr.splitlines() if str(tmp_path) in line or "foredraw" in line]
    assert (done.returncode, said) == (0, [])


def test_the_units_run_commands_that_exist() -> None:
    """The program itself parses what they start."""
    serve = re.search(r"^ExecStart=\S+/foredraw (.*)$", (SYSTEM / UNITS[0]).read_text("utf-8"), re.MULTILINE)
    backup = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", (SYSTEM / UNITS[1]).read_text("utf-8"), re.MULTILINE)
    assert serve is not None
    assert backup is not None
    assert serve[1].endswith(" $SERVE")
    parsed(shlex.split(serve[1].removesuffix("$SERVE")))
    script = backup[1].replace("%%", "%").replace("exec /opt/foredraw/bin/foredraw", "echo")
    made = run("sh", "-c", script).stdout.split()
    assert re.fullmatch(r"/var/backups/foredraw/20\d\d-\d\d-\d\dT\d\d-\d\d-\d\dZ", made[1])
    parsed(made)


def test_the_service_is_started_again_for_as_long_as_it_takes() -> None:
    """A database that is away for an hour leaves no failed unit."""
    unit = (SYSTEM / UNITS[0]).read_text("utf-8")
    assert {"Restart=always", "StartLimitIntervalSec=0"} <= set(unit.splitlines())
    assert "StartLimitBurst" not in unit


def test_the_group_reaches_the_engines_socket_and_lists_nothing() -> None:
    """It is in the unit's folder of runtime files, as the page says; others stay out."""
    unit = (SYSTEM / UNITS[0]).read_text("utf-8").splitlines()
    assert {"RuntimeDirectory=foredraw", "RuntimeDirectoryMode=0710", "Group=foredraw"} <= set(unit)
    assert "--engine-socket /run/foredraw/engines.sock" in OPERATOR


def test_nginx_has_a_cache_of_its_own() -> None:
    """Each start of the unit gives its folders to the service's account, and closes them to nginx's."""
    unit = (SYSTEM / UNITS[0]).read_text("utf-8")
    folders = {f"/var/cache/{name}" for name in re.findall(r"^CacheDirectory=(\S+)$", unit, re.MULTILINE)}
    (cache,) = re.findall(
        r"^proxy_cache_path (\S+) ", (LOCAL / "share/foredraw/nginx/http.conf").read_text("utf-8"), re.MULTILINE
    )
    assert folders
    assert cache not in folders
    assert f"cache:{cache}" in compose()["services"]["nginx"]["volumes"]


def test_an_operators_command_has_the_services_account_folder_and_settings(tmp_path: Path) -> None:
    """Systemd knows the options of the script, and each word arrives as it was written."""
    for name, does in (("systemd-run", "printf '%s\\0' \"$@\""), ("systemctl", "test foredraw-account.service = $2")):
        stand_in = tmp_path / name
        stand_in.write_text(f"#!/bin/sh\n{does}\n")
        stand_in.chmod(0o755)
    words = ["table", "pause", "crash-1", "--reason", 'it cost $5, "a lot"', ""]
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SUDO_USER": "ada"}
    done = subprocess.run(
        [LOCAL / "sbin/foredraw", *words], capture_output=True, text=True, check=True, env=environment
    )
    given = done.stdout.split("\0")[:-1]
    program = given.index("/opt/foredraw/bin/foredraw")
    options, passed = given[:program], given[program + 1 :]
    # Of two dollar signs systemd makes one.
    assert [word.replace("$$", "$") for word in passed] == words
    assert "$$5" in passed[4]
    assert run("systemd-run", *options, "--help").returncode == 0
    assert run("systemd-run", *options, "--no-such-option", "--help").returncode != 0
    unit = (SYSTEM / UNITS[0]).read_text("utf-8").splitlines()
    names = [option.removeprefix("--property=") for option in options if option.startswith("--property=")]
    assert len(names) == 4
    assert set(names) <= set(unit)
    assert {"--uid=foredraw", "--gid=foredraw", "--setenv=FOREDRAW_DATA=/var/lib/foredraw"} <= set(options)
    assert "--setenv=SUDO_USER=ada" in options


def test_the_caddyfile_says_at_once_what_it_is_for() -> None:
    """One machine, and public calls: it would wait for a machine that hangs, and limits no engine. It names nginx for
    the rest.
    """
    text = (DEPLOY / "Caddyfile").read_text("utf-8")
    assert "one machine, for public calls alone" in text.splitlines()[0]
    assert ":8001" not in text
    assert "nginx/machines.conf" in text


# Prometheus and Grafana


def test_prometheus_accepts_alerts_and_configuration() -> None:
    """`promtool` reads the expressions and the templates of the annotations."""
    done = run("promtool", "check", "rules", "--lint=all", "--lint-fatal", DEPLOY / "prometheus-alerts.yml")
    assert done.returncode == 0, done.stderr
    assert f"{len(RULES)} rules found" in done.stdout
    assert run("promtool", "check", "config", "--syntax-only", DEPLOY / "prometheus.yml").returncode == 0


FIRING = {
    "ForedrawTableHalted": ('foredraw_table_halted{table="keno-1"}', "1x10", {"table": "keno-1"}),
    "ForedrawClockJumped": ("foredraw_clock_jump_seconds", "400x10", {}),
    "ForedrawPartFails": ('foredraw_failing{part="custodian"}', "1x10", {"part": "custodian"}),
    "ForedrawLeadRunsOut": ('foredraw_table_playable_seconds{table="keno-1"}', "30x10", {"table": "keno-1"}),
    "ForedrawWitnessAway": ('foredraw_witness_away_seconds{witness="lab"}', "900x10", {"witness": "lab"}),
}


@pytest.mark.parametrize("alert", FIRING)
def test_an_alert_fires(alert: str, tmp_path: Path) -> None:
    """In Prometheus's own test of rules: five minutes of such a figure, and of a sound one."""
    series, values, labels = FIRING[alert]
    (rule,) = [rule for rule in RULES if rule["alert"] == alert]
    for value, fires in ((values, True), ("0x10" if "playable" not in series else "9000x10", False)):
        query = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}})'
        expected = [{"value": 1, "labels": "{}"}] if fires else []
        test = {
            "rule_files": [str(DEPLOY / "prometheus-alerts.yml")],
            "evaluation_interval": "30s",
            "tests": [
                {
                    "interval": "1m",
                    "input_series": [{"series": series, "values": value}],
                    "promql_expr_test": [{"expr": query, "eval_time": "6m", "exp_samples": expected}],
                }
            ],
        }
        file = tmp_path / "test.yml"
        file.write_text(json.dumps(test))
        done = run("promtool", "test", "rules", file)
        assert done.returncode == 0, done.stderr + done.stdout
    assert all(f"$labels.{label}" in rule["annotations"]["summary"] for label in labels)


def test_every_figure_of_an_alert_and_of_the_board_exists(figures: dict[str, set[str]]) -> None:
    """By the names, and the labels that are shown, in the answer of a real service."""
    shown = [(target["expr"], target["legendFormat"]) for panel in BOARD["panels"] for target in panel["targets"]]
    shown += [(rule["expr"], " ".join(rule["annotations"].values())) for rule in RULES]
    assert len(shown) > 30
    for expression, words in shown:
        names = METRIC.findall(expression)
        assert names or 'up{job="foredraw"}' in expression
        assert set(names) <= figures.keys(), expression
        labels = set(re.findall(r"\{\{ *(?:\$labels\.)?([a-z]+) *\}\}", words)) - {"value"}
        assert labels <= set().union(*(figures[name] for name in names)), expression


def test_every_alert_has_its_runbook() -> None:
    """A row of docs/incidents.md; and what it wants of whom."""
    rows = [row for row in PAGES[Path("docs/incidents.md")].splitlines() if row.startswith("| **")]
    for rule in RULES:
        assert rule["annotations"]["runbook"] == "docs/incidents.md", rule["alert"]
        assert len([row for row in rows if f"`{rule['alert']}`" in row.split(" | ")[0]]) == 1, rule["alert"]
        assert rule["labels"]["severity"] in {"page", "ticket"}


def test_prometheus_reads_every_query_of_the_board(tmp_path: Path) -> None:
    """By `promtool`, as expressions of rules."""
    queries = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    rules = [{"record": f"board:query_{number}", "expr": query} for number, query in enumerate(queries)]
    file = tmp_path / "board.yml"
    file.write_text(json.dumps({"groups": [{"name": "board", "rules": rules}]}))
    done = run("promtool", "check", "rules", file)
    assert done.returncode == 0, done.stderr
    assert f"{len(queries)} rules found" in done.stdout


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_script_is_one_for_every_shell(script: Path) -> None:
    """Debian's smallest shell reads it."""
    assert run("dash", "-n", script).returncode == 0


def test_the_board_can_be_imported() -> None:
    """Panels with ids and places of their own, and no data source of ours."""
    ids = [panel["id"] for panel in BOARD["panels"]]
    places = [tuple(panel["gridPos"].values()) for panel in BOARD["panels"]]
    assert len(set(ids)) == len(set(places)) == len(ids)
    assert {panel["datasource"]["uid"] for panel in BOARD["panels"]} == {"${prometheus}"}
    assert [variable["type"] for variable in BOARD["templating"]["list"]] == ["datasource"]


def unread(board: Any, read: Any, place: str = "") -> list[str]:  # noqa: ANN401 -- any value of JSON
    """What of a document is missing, or different, in what was read of it."""
    if isinstance(board, dict) and isinstance(read, dict):
        return [each for key in board for each in unread(board[key], read.get(key), f"{place}/{key}")]
    if isinstance(board, list) and isinstance(read, list) and len(board) == len(read):
        pairs = enumerate(zip(board, read, strict=True))
        return [each for at, (ours, theirs) in pairs for each in unread(ours, theirs, f"{place}/{at}")]
    return [] if board == read else [place]


def as_grafana_reads(board: dict[str, Any]) -> dict[str, Any]:
    """A board after Grafana's own types have read and written it."""
    register_default_plugins()
    read: dict[str, Any] = json.loads(json.dumps(Dashboard.from_json(board), cls=JSONEncoder))
    return read


def test_grafana_knows_everything_on_the_board() -> None:
    """Its own types read each panel and each query of Prometheus, and lose nothing; what is misspelt, they would."""
    assert unread(BOARD, as_grafana_reads(BOARD)) == []
    wrong = json.loads(json.dumps(BOARD))
    wrong["panels"][0]["targets"][0]["legendFromat"] = "{{table}}"
    wrong["panels"][1]["titel"] = "Rounds"
    assert unread(wrong, as_grafana_reads(wrong)) == ["/panels/0/targets/0/legendFromat", "/panels/1/titel"]


# Containers (`test_compose` starts what the file says)


def test_compose_accepts_the_file() -> None:
    """docker-compose checks it against its schema. Without the passwords it names the first one, and where it
    belongs.
    """
    assert compose()["services"].keys() == {"database", *MACHINES, *MACHINES.values(), "nginx", "auditor"}
    file = str(DEPLOY / "compose.yaml")
    done = run("env", "-i", f"PATH={os.environ['PATH']}", "docker-compose", "--file", file, "config", "--quiet")
    assert done.returncode != 0
    assert "write it into deploy/.env" in done.stderr


def test_the_containers_run_what_exists() -> None:
    """Commands that the programs parse, files that are here, and volumes that are declared."""
    services = compose()["services"]
    for machine in (*MACHINES, *MACHINES.values()):
        parsed(services[machine]["command"])
        assert services[machine]["image"] == services["auditor"]["image"] == f"foredraw:{VERSION}"
    verify.parser().parse_args(services["auditor"]["command"])
    assert services["auditor"]["entrypoint"] == ["foredraw-verify"]
    sources = {mount.split(":")[0] for service in services.values() for mount in service["volumes"]}
    of_the_operator = {str(DEPLOY / "tls"), str(DEPLOY / "nginx.conf")}
    assert of_the_operator < sources
    assert {source for source in sources - of_the_operator if not Path(source).exists()} == set(compose()["volumes"])


def test_the_containers_fit_together() -> None:
    """Nginx finds the machines at their addresses, is trusted at its own, and is the only one that is reached from
    outside.
    """
    services = compose()["services"]
    inside = {
        name: service["networks"]["inside"]["ipv4_address"]
        for name, service in services.items()
        if "ipv4_address" in (service["networks"].get("inside") or {})
    }
    machines = (LOCAL / "share/foredraw/nginx/machines.conf").read_text("utf-8")
    known = hosts_of(services["nginx"])
    assert [*known.values()] == [inside[name] for name in MACHINES.values()]
    for port in (8000, 8001):
        # Each once more, for when all are left out.
        assert re.findall(rf"server (\S+):{port} .*;", machines) == [*known] * 2
        assert re.findall(rf"server (\S+):{port} .* backup;", machines) == [*known]
    for machine in (*MACHINES, *MACHINES.values()):
        assert services[machine]["environment"]["FOREDRAW_TRUSTED_PROXIES"] == inside["nginx"]
    engines = services["nginx"]["networks"]["engines"]
    # Engines call it by the name of its certificate, from a network that may.
    (name,) = re.findall(r"server_name (engines\.\S+);", machines)
    assert engines["aliases"] == [name.replace("YOUR.NAME", "casino.example")]
    (allowed,) = re.findall(r"allow (\S+);", machines)
    assert ip_address(engines["ipv4_address"]) in ip_network(allowed)
    assert {name for name, service in services.items() if service["ports"]} == {"nginx"}
    # By IPv6 nginx would see the address of Docker's proxy in the place of each client's.
    assert services["nginx"]["ports"] == ["0.0.0.0:443", "0.0.0.0:80"]
    assert all(compose()["networks"][name]["internal"] for name in ("inside", "engines"))


def test_no_container_takes_the_address_of_another() -> None:
    """An engine chooses addresses from `ip_range`, or from the whole network, for containers that have none in the
    file.
    """
    for name in ("inside", "engines"):
        networks = [service["networks"].get(name) or {} for service in compose()["services"].values()]
        fixed = [ip_address(network["ipv4_address"]) for network in networks if "ipv4_address" in network]
        (pool,) = compose()["networks"][name]["ipam"]["config"]
        assert fixed, name
        assert all(address in ip_network(pool["subnet"]) for address in fixed), name
        assert not [address for address in fixed if address in ip_network(pool.get("ip_range", pool["subnet"]))], name


def test_the_containers_share_what_a_standby_needs_and_nothing_else() -> None:
    """The log and the keys; each has a folder of its own, the listeners too, which only read the keys."""
    services = compose()["services"]
    mounts = {
        name: dict(mount.split(":")[::-1] for mount in services[name]["volumes"])
        for pair in MACHINES.items()
        for name in pair
    }
    (shared,) = {(of["/data/keys"], of["/data/log"]) for of in mounts.values()}
    assert shared == ("keys", "log")
    assert [{mounts[name]["/data"] for name in pair} for pair in MACHINES.items()] == [
        {"data-1", "api-1"},
        {"data-2", "api-2"},
    ]
    for name in MACHINES.values():
        assert "- keys:/data/keys:ro\n" in (DEPLOY / "compose.yaml").read_text("utf-8").partition(f"\n  {name}:")[2]


def test_the_image_has_the_folders_that_are_mounted() -> None:
    """A new volume gets the owner of the image's folder; without one it would be root's, and `init` could not
    write.
    """
    dockerfile = (HOUSE / "Dockerfile").read_text("utf-8")
    made = " ".join(re.findall(r"install --directory --owner=foredraw (.*?)(?: \\\\)?$", dockerfile, re.MULTILINE))
    assert {"/data", "/data/keys", "/data/log"} <= set(made.split())


# The runbooks


def test_the_runbooks_name_what_is_here() -> None:
    """Units and files of `deploy/`; and their calls of promtool succeed as they are written."""
    page = OPERATOR
    units = set(re.findall(r"foredraw[\w-]*\.(?:service|timer)", page))
    assert units <= {file.name for file in SYSTEM.iterdir()}
    of_the_operator = {".env", "tls", "nginx.conf"}
    assert set(re.findall(r"\bdeploy/([\w.-]+)", page)) <= {file.name for file in DEPLOY.iterdir()} | of_the_operator
    calls = re.findall(r"^promtool .*$", page, re.MULTILINE)
    assert len(calls) == 2
    for call in calls:
        done = subprocess.run(shlex.split(call), cwd=HOUSE, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
