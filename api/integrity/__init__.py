"""Whether the installed software is what somebody has signed.

`manifest`   the signed list of files, as a note of C2SP that ``sha256sum --check`` reads, too
`installed`  the files of an installation, and how they differ from a manifest
`integrity`  compares them, keeps rounds from being opened if they differ, and notes it
"""
