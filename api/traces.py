"""Traces, by OpenTelemetry's library, if ``FOREDRAW_TRACES=otlp``. Otherwise nothing of the library is imported.

The library's own variables, ``OTEL_…``, say where spans are sent, and how many. A span has the name and the
attributes that it is given here and nothing else: no address of a request, no statement, no message of an error,
since each may have a secret.
"""

# ruff: noqa: PLC0415 -- as said below
# Only who traces needs the library, so it is imported where it is used.
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from api.settings import Proxy, SettingsError
from fairness.errors import quote
from fairness.version import VERSION

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer
    from requests import Session

TRACES = "FOREDRAW_TRACES"
Attributes = Mapping[str, str | int]


def is_traced() -> bool:
    """Return whether this program traces. Raises `SettingsError`."""
    chosen = os.environ.get(TRACES) or "off"
    if chosen not in {"off", "otlp"}:
        raise SettingsError(f"{TRACES}: expected off or otlp, found {quote(chosen)}")
    return chosen == "otlp"


def check() -> None:
    """Raise `SettingsError` if traces are wanted, and the library cannot be imported."""
    if not is_traced():
        return
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace.export  # noqa: F401 -- whether it can be imported
    except ImportError as error:
        raise SettingsError(
            f"{TRACES}=otlp needs OpenTelemetry's library: install requirements/traces.txt, or foredraw[traces]"
        ) from error


def request_span(parent: str | None) -> AbstractContextManager[object]:
    """Return the span of a request that is answered here; `describe` names it.

    ``parent`` is the caller's header ``traceparent`` (W3C Trace Context) if this caller may say which trace it
    belongs to.
    """
    return _request_span(parent) if is_traced() else nullcontext()


def span(name: str, **attributes: str | int) -> AbstractContextManager[object]:
    """Trace work of this program by itself."""
    return _span(name, attributes) if is_traced() else nullcontext()


def question(kind: str, url: str, **attributes: str) -> AbstractContextManager[object]:
    """Return a question to a program of this kind; of the address only the host is shown, since the rest may have a
    password.
    """
    return span(f"ask a {kind}", **{"server.address": urlsplit(url).hostname or "unknown"}, **attributes)


def describe(name: str, attributes: Attributes) -> None:
    """Name the present span."""
    from opentelemetry import trace

    present = trace.get_current_span()
    present.update_name(name)
    present.set_attributes(attributes)


@contextmanager
def child_span(name: str, **attributes: str | int) -> Iterator[None]:
    """Make a span inside another one; without one, nothing. What happens many times a second by itself has none."""
    from opentelemetry import trace

    if trace.get_current_span().is_recording():
        with _span(name, attributes):
            yield
    else:
        yield


@contextmanager
def _span(name: str, attributes: Attributes) -> Iterator[None]:
    from opentelemetry.trace import SpanKind

    with _tracer(os.getpid()).start_as_current_span(
        name,
        kind=SpanKind.CLIENT if "server.address" in attributes else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as made:
        try:
            yield
        except BaseException as error:
            # Its message may quote an address.
            made.set_attribute("error.type", type(error).__name__)
            raise


@contextmanager
def _request_span(parent: str | None) -> Iterator[None]:
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carried = {} if parent is None else {"traceparent": parent}
    with _tracer(os.getpid()).start_as_current_span(
        "request",
        context=TraceContextTextMapPropagator().extract(carried),
        kind=SpanKind.SERVER,
        record_exception=False,
        set_status_on_exception=False,
    ):
        yield


@cache
def _tracer(_process: int) -> Tracer:
    """Return the tracer of this process: what sends spans is a thread, and no thread survives a fork."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {"service.name": os.environ.get("OTEL_SERVICE_NAME") or "foredraw"}
    provider = TracerProvider(resource=Resource.create(named))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(session=_session())))
    return provider.get_tracer("foredraw", VERSION)


def _session() -> Session | None:
    """Return the connections to the collector if the proxy of the settings is the way to it. Raises
    `SettingsError`.
    """
    proxy = Proxy.from_environment()
    endpoint = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") or os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
    # The library's default is this machine.
    if proxy is None or not endpoint or not proxy.leads_to(endpoint):
        return None
    from requests import Session

    made = Session()
    made.proxies = dict.fromkeys(("http", "https"), proxy.secret_address)
    return made
