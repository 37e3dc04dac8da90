"""Whether a declared game is the catalogue's stands in the verdict on a round."""

from __future__ import annotations

from io import StringIO

import pytest

from games.declared.catalogue import listed
from verifier.output.printing import Console
from verifier.output.round_parts import show_game

ROULETTE = listed("roulette").declaration.text.decode()
OWN = '{"draw":[["pocket","number",0,99]]}'


@pytest.mark.parametrize(
    ("game", "declaration", "shown"),
    [
        ("crash", "", "crash, one of the games that every verifier knows by name"),
        ("roulette", ROULETTE, "roulette, as the catalogue of this verifier declares it"),
        ("roulette", OWN, "roulette, which the catalogue of this verifier does not declare so"),
        ("own-wheel", ROULETTE, "own-wheel, which the catalogue of this verifier does not declare so"),
    ],
)
def test_the_line_says_whose_game_it_is(game: str, declaration: str, shown: str) -> None:
    """By the name and the declaration together; a game without a declaration is known by its name."""
    text = StringIO()
    show_game(Console(file=text, width=200), game, declaration)
    assert shown in text.getvalue()
