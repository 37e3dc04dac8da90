"""What the service, its pages and the statistics ask about games beside their declarations.

Nobody else compares a game's name: what a game has more than others is data here. No verdict depends on it.

`facts`    what is known of a game; ``labels.json`` has it
`hi_lo`    the deck of HI LO, for its pictures
`penalty`  the ends of a shot, and the colours of the goal, for their pictures
"""

from games.facts.facts import FACTS, facts_of

__all__ = ["FACTS", "facts_of"]
