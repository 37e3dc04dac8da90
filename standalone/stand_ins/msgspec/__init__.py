"""A stand-in for the package msgspec: only what the verifier uses, based on the standard library's JSON.

==================  ====================================================================
`structs`           the classes for JSON objects
`readers`           from JSON values to values of exactly one type
`json`              to and from bytes
==================  ====================================================================

It refuses whatever the package refuses; its error messages are its own. It refuses unknown options and
types when a class or a decoder is made, and so in the first test.
"""

from . import json
from .errors import DecodeError, MsgspecError, ValidationError
from .readers import Meta
from .structs import UNSET, Raw, Struct, UnsetType, field, to_builtins

__all__ = [
    "UNSET",
    "DecodeError",
    "Meta",
    "MsgspecError",
    "Raw",
    "Struct",
    "UnsetType",
    "ValidationError",
    "field",
    "json",
    "to_builtins",
]
