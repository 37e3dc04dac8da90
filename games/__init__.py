"""The games: what each makes of a round's stream, what can be bet on it, and what else is asked about it. Pure.

To add a game, see ``docs/adding-a-game.md``. The protocol needs the rules alone: an outcome depends on nothing else.

`registry`     all games by name
`order`        what a game deals while its players decide, thing by thing
`declared`     games as data: what draws them all
`multipliers`  multipliers as text
`bets`         each game's winning options, with their odds and exact worth
`outcome_schema`  the outcomes of a game as JSON Schema
`facts`        what the service, its pages and the statistics ask about each game
"""

from games.registry import GAMES

__all__ = ["GAMES"]
