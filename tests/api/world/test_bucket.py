"""Objects of an S3-compatible store: written once, or exchanged by compare-and-swap."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from api.settings import Bucket, SettingsError
from api.world.published.bucket import Objects
from api.world.storage_failures import ChangedElsewhereError, ServerFailure
from fairness.errors import Missing
from fairness.log.checkpoints import CHECKPOINT
from tests.support.log_server import answering
from tests.support.running_service import PATIENCE_SECONDS, free_port, wait_until
from tests.support.s3_server import ACCESS, SECRET, UNSIGNED, S3Server, refusing, s3_server
from tests.support.web_servers import listens

BUCKET = Bucket("logs", "casino/log")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as made:
        made.make("logs")
        made.make(UNSIGNED)
        yield made


@pytest.fixture
def objects(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[Objects]:
    """The objects of an empty bucket."""
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    made = Objects(BUCKET)
    # With this environment, whatever a test makes of it.
    assert list(made.names("")) == []
    yield made
    made.remove(made.names(""))


@pytest.mark.parametrize(
    ("text", "name", "prefix"),
    [("s3://logs", "logs", ""), ("s3://logs/", "logs", ""), ("s3://a.b-c/x/y_z/", "a.b-c", "x/y_z")],
)
def test_an_address_is_a_bucket_and_a_prefix(text: str, name: str, prefix: str) -> None:
    """And is shown as it is, because it holds no secret."""
    assert Bucket.parse(text) == Bucket(name, prefix)
    assert str(Bucket.parse(text)) == text.rstrip("/")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "logs",
        "s3://",
        "s3://LOGS",
        "s3://a",
        "s3://user:secret@logs",
        "s3://logs//x",
        "s3://logs/x?y",
        "http://logs/x",
    ],
)
def test_another_address_is_refused(text: str) -> None:
    """With what was expected."""
    with pytest.raises(SettingsError, match="s3://BUCKET/PREFIX"):
        Bucket.parse(text)


def test_an_object_is_written_once(objects: Objects) -> None:
    """The same bytes again are no error, because an answer can be lost; other bytes are refused, and nothing
    changes.
    """
    assert objects.probe()
    objects.create("tile/0/000", b"one")
    objects.create("tile/0/000", b"one")
    with pytest.raises(ChangedElsewhereError, match=r"s3://logs/casino/log: tile/0/000 exists with other bytes"):
        objects.create("tile/0/000", b"two")
    assert objects.read("tile/0/000")[0] == b"one"


def test_an_object_is_exchanged_only_for_the_one_that_was_seen(objects: Objects) -> None:
    """Whoever has seen an older one is refused; one who has lost the answer to the own write is not."""
    first = objects.exchange("checkpoint", b"1", None)
    second = objects.exchange("checkpoint", b"2", first)
    assert objects.read("checkpoint") == (b"2", second)
    for seen in (first, None):
        with pytest.raises(ChangedElsewhereError, match="checkpoint is not what this service left there"):
            objects.exchange("checkpoint", b"3", seen)
        assert objects.exchange("checkpoint", b"2", seen) == second
    assert objects.read("checkpoint")[0] == b"2"


def test_an_object_that_somebody_has_deleted_is_made_again(objects: Objects) -> None:
    """Nobody has published another one."""
    seen = objects.exchange("checkpoint", b"1", None)
    objects.remove(["checkpoint"])
    objects.exchange("checkpoint", b"2", seen)
    assert objects.read("checkpoint")[0] == b"2"


def test_a_late_request_changes_nothing(objects: Objects) -> None:
    """It was made before a newer one, and its condition does not hold any more; other programs may write in
    between.
    """
    other = Objects(BUCKET)
    objects.replace("find/a", b"1")
    late = objects._etags.get("find/a")
    assert late is not None
    objects.replace("find/a", b"2")
    assert objects._is_refused(lambda: objects._put("find/a", b"1", {"e_tag": late}))
    other.replace("find/a", b"3")
    objects.replace("find/a", b"4")
    other.remove(["find/a"])
    objects.replace("find/a", b"5")
    assert objects.read("find/a")[0] == b"5"


def test_objects_are_listed_and_removed(objects: Objects, server: S3Server) -> None:
    """Of the prefix only."""
    server.put("logs/casino/other", b"of somebody else")
    for number in range(3):
        objects.replace(f"find/{number}", b"x")
    objects.replace("findings", b"x")
    assert sorted(objects.names("find/")) == ["find/0", "find/1", "find/2"]
    objects.remove(["find/0", "find/7"])
    assert sorted(objects.names("find/")) == ["find/1", "find/2"]
    assert server.get("logs/casino/other") == b"of somebody else"


def test_what_is_missing_is_no_failure_of_the_store(objects: Objects) -> None:
    """A missing object and a missing bucket are two things."""
    with pytest.raises(Missing):
        objects.read("checkpoint")
    with pytest.raises(ServerFailure, match=r"s3://nowhere/x does not exist \(NoSuchBucket\): make the bucket"):
        Objects(Bucket("nowhere", "x")).create("checkpoint", b"")


@contextmanager
def unconditional(server: S3Server, folder: Path) -> Iterator[str]:
    """Nginx in front of the server, which drops the conditions, like a store that ignores them; and the signatures of
    them.
    """
    port = free_port()
    folder.mkdir(exist_ok=True)
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; events {{}} http {{ access_log off;"
        + "".join(
            f" {kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        + f" server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {server.url};"
        ' proxy_set_header If-None-Match ""; proxy_set_header If-Match ""; proxy_set_header Authorization ""; } } }'
    )
    process = subprocess.Popen(["nginx", "-e", "stderr", "-c", folder / "nginx.conf"], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: listens(port), "nginx to listen")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


def test_a_store_without_conditions_is_noticed_and_read_before_each_write(
    server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a mistake is refused all the same; only two writers at one moment are not."""
    bucket = Bucket(UNSIGNED, "casino/log")
    for name, value in server.variables.items():
        monkeypatch.setenv(name, value)
    assert Objects(bucket).probe()
    with unconditional(server, tmp_path / "nginx") as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        lax = Objects(bucket)
        assert not lax.probe()
        lax.create("tile/0/000", b"one")
        lax.create("tile/0/000", b"one")
        with pytest.raises(ChangedElsewhereError):
            lax.create("tile/0/000", b"two")
        seen = lax.exchange("checkpoint", b"1", None)
        lax.exchange("checkpoint", b"2", seen)
        with pytest.raises(ChangedElsewhereError):
            lax.exchange("checkpoint", b"3", seen)
        assert lax.read("checkpoint")[0] == b"2"
        assert list(lax.names("conditional")) == []


def test_a_store_that_refuses_what_is_missing_is_complained_of(
    objects: Objects, server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it refuses this service or everybody; one that only its CDN may read is not judged by that."""
    words = "s3://logs/casino/log does not answer {} with 404 for what does not exist"
    objects.create(CHECKPOINT, b"anything")
    assert objects.refusal_of_what_is_missing() is None
    for unsigned_alone, asker in ((False, "this service"), (True, "everybody")):
        with refusing(server, unsigned_alone=unsigned_alone) as address:
            monkeypatch.setenv("AWS_ENDPOINT_URL", address)
            found = Objects(BUCKET).refusal_of_what_is_missing()
        assert found is not None
        assert found.startswith(words.format(asker))
        assert found.endswith(f"Let {asker} list the bucket (s3:ListBucket)")
    objects.remove([CHECKPOINT])
    with refusing(server, unsigned_alone=True) as address:
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        assert Objects(BUCKET).refusal_of_what_is_missing() is None


@pytest.mark.parametrize("status", [400, 500])
def test_a_store_that_takes_no_call_without_a_signature_is_not_judged(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some answer that with an error: it says nothing of what is missing, and the calls of this service go on."""

    def answer(request: BaseHTTPRequestHandler) -> None:
        request.send_response(404 if "Authorization" in request.headers else status)
        request.send_header("Content-Length", "0")
        request.end_headers()

    with answering(answer) as address:
        given = {"ENDPOINT_URL": address, "REGION": "x", "ACCESS_KEY_ID": ACCESS, "SECRET_ACCESS_KEY": SECRET}
        for name, value in given.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        objects = Objects(BUCKET)
        assert objects.refusal_of_what_is_missing() is None
        with pytest.raises(Missing):
            objects.read(CHECKPOINT)


@pytest.mark.parametrize(
    "name", ["AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"]
)
def test_a_profile_is_refused_by_name(name: str, objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    """A role of the machine would be used in its place; with credentials beside it, nothing is wrong."""
    monkeypatch.setenv(name, SECRET)
    assert list(Objects(BUCKET).names("")) == list(objects.names(""))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(
        SettingsError, match=f"^{name} is set, and .* set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS"
    ) as refused:
        Objects(BUCKET).read(CHECKPOINT)
    assert SECRET not in str(refused.value)


def test_without_credentials_the_message_is_about_them(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the environment has any, nor does this machine's cloud give any."""
    assert list(objects.names("")) == []
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(
        ServerFailure, match=r"^s3://logs/casino/log: no credentials were found, .* set AWS_ACCESS_KEY_ID"
    ):
        Objects(BUCKET).read(CHECKPOINT)


def test_the_endpoint_of_s3_alone_counts(objects: Objects, server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes before that of all services."""
    objects.create("find/a", b"x")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", server.url)
    for other in (f"http://127.0.0.1:{free_port()}", ""):
        monkeypatch.setenv("AWS_ENDPOINT_URL", other)
        assert Objects(BUCKET).read("find/a")[0] == b"x"


def test_a_store_that_is_away_is_named_without_a_secret(objects: Objects, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has what to do; nothing of the environment is in it, and nothing in what is printed of the
    objects.
    """
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{ACCESS}:{SECRET}@127.0.0.1:{free_port()}")
    away = Objects(BUCKET)
    with pytest.raises(ServerFailure) as failure:
        away.read("checkpoint")
    assert str(failure.value).startswith("s3://logs/casino/log cannot be used: look at the store")
    shown = f"{failure.value!r} {failure.value.__context__} {away!r} {vars(away)}"
    assert failure.value.__suppress_context__
    assert SECRET not in f"{failure.value!r} {away!r} {vars(away)} {objects!r}"
    assert "Traceback" not in shown


def test_a_store_that_has_failed_is_asked_something_small_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, and with a short time-out: so it is noticed soon that it is back, and everything goes on with the next
    call.
    """
    asked, status = list[str](), [503]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.command)
        handler.send_response(status[0])
        handler.send_header("Content-Length", "0")
        handler.send_header("ETag", '"1"')
        handler.send_header("Last-Modified", "Fri, 20 Nov 2026 12:00:00 GMT")
        handler.end_headers()

    with answering(answer) as address:
        for name, value in {"AWS_ENDPOINT_URL": address, "AWS_REGION": "x", "AWS_SKIP_SIGNATURE": "1"}.items():
            monkeypatch.setenv(name, value)
        failing = Objects(BUCKET)
        with pytest.raises(ServerFailure):
            failing.read("checkpoint")
        assert set(asked) == {"GET"}
        asked.clear()
        with pytest.raises(ServerFailure):
            failing.read("checkpoint")
        assert asked == ["HEAD"]
        asked.clear()
        status[0] = 200
        assert failing.read("checkpoint")[0] == failing.read("checkpoint")[0] == b""
        assert asked == ["HEAD", "GET", "GET"]


def test_settings_that_make_no_store_are_refused_without_a_word_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is misspelled may be a secret in the wrong place."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", SECRET)
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", SECRET)
    with pytest.raises((SettingsError, ServerFailure)) as refusal:
        Objects(BUCKET).read("checkpoint")
    assert SECRET not in str(refusal.value)
