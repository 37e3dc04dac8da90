"""Tokens that are spelled as they should be, and that no service has made."""

from __future__ import annotations

UNKNOWN = "fde_000000000000000000000000000000000000000000010y6vk"
OF_A_SANDBOX = "fdse_00000000000000000000000000000000000000000004deaAB"
