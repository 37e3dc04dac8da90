"""The exact law of a figure: the chance of each of its values, by the method of its family; nothing is simulated.

`devices`   what each place draws, and from what
`law`       which method
`piles`     drums and shoes: cards and balls without return
`hands`     poker hands, by their ranks
`deals`     deals that stop by a rule
`duel`      the two hands of 21 Bet
`fields`    races
`flight`    multipliers
`lasting`   bets that may outlive their round
"""
