"""A stand-in for the package msgspec: of it, what the verifier uses, on top of the standard library's JSON.

==================  ====================================================================
`structs`           the classes that JSON objects become
`readers`           from what JSON can hold to values of exactly a type
`json`              to and from bytes
==================  ====================================================================

It refuses whatever the package refuses; its error messages are its own. What it does not know, an
option or a type, it refuses when a class or a decoder is made, and so in the first test.
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
