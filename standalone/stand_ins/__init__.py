"""What the one-file verifier carries in the place of packages that have compiled parts.

Each has the name of the package that it stands in for, and of that package just what the verifier
uses, in plain Python; so the verifier's own files are the same bytes in both. Nothing else of the
project imports them: an installed verifier has the packages themselves.
"""
