"""The JSON Schema (2020-12) of a game's outcomes, made of its declaration: one for all rules that the game may have.

`whole`     all places of an outcome, and which of them agree
`steps`     what the place of a step holds, kind by kind
`deals`     what the deals draw
`forms`     numbers, texts and arrays as schemas
`patterns`  words and decimals
"""

from games.outcome_schema.forms import Schema
from games.outcome_schema.whole import ANY_OUTCOME, outcome_schema

__all__ = ["ANY_OUTCOME", "Schema", "outcome_schema"]
