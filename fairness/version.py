"""The version of Foredraw: of the service and of both verifiers, which are published together."""

VERSION = "1.0.0rc1"
DATE = "2026-11-28"
"""The day on which it got this name."""
