"""``foredraw-verify`` against arbitrary servers: one verdict, and no other effect.

What a server can do to a single request is in ``test_sources``; here it faces the whole program.
"""
