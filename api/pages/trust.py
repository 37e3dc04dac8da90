"""The operator's policy, which pages bring with them so that players can check with it."""

from __future__ import annotations

from flask import request

from api.log.policy_file import PolicyFile
from api.parts import part


def operators_policy() -> str:
    """Return the policy's text, if it demands witnesses. While its file cannot be used there is none: what may not
    stay is not given out.
    """
    policy = part(PolicyFile)
    return policy.text(request.host_url + "log") if policy.policy() is not None and policy.trouble is None else ""
