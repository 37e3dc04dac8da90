"""Answering what is no HTTP: it never reaches the application, and gunicorn would send a page of HTML."""

from __future__ import annotations

import socket
from http import HTTPStatus

import msgspec
from gunicorn import util

from api.problems import Code, Problem
from fairness.errors import quote


def answer_with_problems() -> None:
    """From now on gunicorn answers as the application does, in this process and those that it forks."""
    util.write_error = _write_problem


def _write_problem(sock: socket.socket, status_int: int, reason: str, mesg: str) -> None:
    """Answer what gunicorn could not read, or could not answer, and end the connection."""
    code = Code.INTERNAL if status_int == HTTPStatus.INTERNAL_SERVER_ERROR else Code.MALFORMED_REQUEST
    body = msgspec.json.encode(Problem(code, quote(mesg or reason)).document())
    head = (
        f"HTTP/1.1 {code.status} {HTTPStatus(code.status).phrase}\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nContent-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    util.write_nonblock(sock, head.encode() + body)
