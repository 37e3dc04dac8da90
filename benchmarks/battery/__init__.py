"""The battery: dieharder and the tests of NIST SP 800-22 on samples of `foredraw-verify collect`. Its rules are in
docs/battery.md.
"""
