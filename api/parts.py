"""The parts of the service that an application was made with: each view takes the few that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from flask import Flask, current_app

_EXTENSION = "foredraw"

Part = TypeVar("Part")


def install_parts(app: Flask, parts: Mapping[type, object]) -> None:
    """Give an application its parts, each by its type."""
    app.extensions[_EXTENSION] = parts


def part(kind: type[Part]) -> Part:
    """Return the part of this type that the present application has."""
    found: Part = current_app.extensions[_EXTENSION][kind]
    return found
