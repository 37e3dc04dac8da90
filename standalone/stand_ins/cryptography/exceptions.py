"""The error of a signature that does not verify."""


class InvalidSignature(Exception):
    """The key did not make this signature over these bytes."""
