"""The one-file verifier's replacements for packages with compiled parts.

Each has the name of the package that it replaces, and only what the verifier uses of it, in plain
Python; so the verifier's own files are the same bytes in both. Nothing else in the project imports
them: an installed verifier has the packages themselves.
"""
