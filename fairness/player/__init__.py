"""What a player holds: the code of a round, and the receipts of bets (SPEC 6 and 7)."""
