"""The verifier: a program and a library that trust nobody, least of all the service."""
