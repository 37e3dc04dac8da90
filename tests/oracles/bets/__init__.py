"""What bets pay, by a second reading of the regulation, a module for each family: nothing here is shared with
``games.bets``.

Every ``paid`` takes a game, a bet's words and an outcome, and returns the whole payment for a stake of 1.
"""
