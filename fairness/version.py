"""The version of Foredraw: of the service and of both verifiers, which are published together."""

VERSION = "0.1.0"
