"""The rules of each game: what it makes of a round's stream. Pure; needs nothing but the stream.

To add a game, see ``docs/adding-a-game.md``.
"""

from games.registry import GAMES

__all__ = ["GAMES"]
