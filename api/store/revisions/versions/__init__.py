"""The revisions. What one of them does never changes after its release, because databases out there have it behind
them.

`r1_tables`  the tables of 1.0.0rc1
"""
