"""What is wrong with some JSON."""


class MsgspecError(Exception):
    """The base of both."""


class DecodeError(MsgspecError):
    """It is no JSON."""


class ValidationError(DecodeError):
    """It is, and not of the type that was asked for."""
