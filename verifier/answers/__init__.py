"""What programs read with ``--json``, as types, of which ``docs/verdict.schema.json`` is made.

A value that is `None` here has no key in what is printed. These are plain dictionaries, so that the one-file verifier
has them without msgspec; mypy compares what is built with them.

`parts`     what several of them have
`rounds`    verdicts on one round: ``code``, ``bet``, ``proof``, ``prove``, ``receipt``
`logs`      verdicts on a log: ``audit``, ``compare``, ``evidence``, and the events of ``watch`` and ``witness``
`failures`  why there is no good verdict
`tools`     what is no verdict on anybody: ``policy``, ``game``, ``bets``, ``conform``, ``collect``, ``witness-key``
"""
