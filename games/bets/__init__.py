"""What can be bet on each game: the regulation's winning options, with their odds and their exact worth.

The options are data, ``games/bets.json``: forms, figures of the outcome, and what the figures' values pay. A paytable
is made of them, and bets are settled by it alone. The protocol does not know bets: an outcome is what was drawn.
``docs/bets.md`` is for readers.

`catalogue`   all games that have bets
`game_bets`   the bets of one game
`bet`         what a bet is: when it wins, with which odds
`worth`       its exact return, hit rate and variance
`returns`     a line for each option: all odds, chances and returns of its bets
`largest_return`  that no bet of a new table returns more than is staked
`exactness`       of which bets that the catalogue does not have the law is exact
`settlement`  what becomes of it when its round has ended
`pricing`     odds that the regulation leaves to the table
`laws`        the exact law of a figure
`options`     an option as data
`paytable`    all options of a game as a file of the log
`forms`       how bets are written
`figures`     what bets look at
`hands`       poker hands
`values`      sets of a figure's values
"""

from games.bets.catalogue import BETS, CATALOGUE_BETS, bets_by, bets_on, catalogue_paytable, is_catalogues

__all__ = ["BETS", "CATALOGUE_BETS", "bets_by", "bets_on", "catalogue_paytable", "is_catalogues"]
