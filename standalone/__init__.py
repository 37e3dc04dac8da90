"""The verifier as one file: `build` makes it, `start` is its entry, `stand_ins` are its replacements for compiled
packages.
"""
