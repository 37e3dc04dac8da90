"""What can be bet, what it is worth, and what becomes of it."""
