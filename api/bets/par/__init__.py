"""The PAR sheet of a table: what it plays, what it pays and what that is worth, for an auditor's file.

`sheet` is its content, of which HTML, PDF and CSV are three spellings.
"""
