"""The errors of decoding."""


class MsgspecError(Exception):
    """The base of both."""


class DecodeError(MsgspecError):
    """The bytes are no JSON."""


class ValidationError(DecodeError):
    """The bytes are JSON, but not of the requested type."""
