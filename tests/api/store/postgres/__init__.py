"""A database in PostgreSQL: what it promises as the SQLite file does, and what a server adds.

What the service does on both databases is in all other folders (`tests.support.databases`).
"""
