"""What can be bet, what it is worth, and what becomes of it.

`returns`   the bets on each game, with odds and exact worth
`settling`   what becomes of bets on a round
`par`        the PAR sheet of a table, for an auditor's file
"""
