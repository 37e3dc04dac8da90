"""The deals: what no kind can say, each a function of its own (SPEC 3.8)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from games.declared.scope import Drawing, Scope, Weight
from games.declared.values import Members, refuse
from games.declared.wheels import sums_of, weighted

Draw = Callable[[Drawing], Members]

_BACCARAT = {**{str(points): points for points in range(2, 10)}, "A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
# By its own points, the third cards of the player on which the banker draws a card.
_BANKER_DRAWS = {3: set(range(10)) - {8}, 4: set(range(2, 8)), 5: set(range(4, 8)), 6: {6, 7}}
_NATURAL, _STANDS = 8, 6
_TWENTY_ONE = {"6": 6, "7": 7, "8": 8, "9": 9, "T": 10, "J": 2, "Q": 3, "K": 4, "A": 11}
_GOLDEN, _ENOUGH, _MORE_CARDS = 21, 17, 3
_THIRTY_TWO = {"6": 6, "7": 7, "8": 8, "9": 9, "T": 10, "J": 11, "Q": 12, "K": 13}
_PLAYERS = (8, 9, 10, 11)
SEGMENTS = {"1": 22, "2": 15, "5": 7, "10": 4, "chance": 2, "2-rolls": 3, "4-rolls": 1}
ROLLS = {"2-rolls": 2, "4-rolls": 4}
_RALLY, _RALLY_END, _AHEAD, _CHANCES = 7, 9, 2, 10_000


def punto_banco(drawing: Drawing) -> Members:
    """Deal two hands, and the cards that the bank's table gives them."""
    player: list[str] = []
    banker: list[str] = []
    for hand in (player, banker, player, banker):
        hand.append(drawing.take())
    if max(_baccarat(player), _baccarat(banker)) < _NATURAL:
        draws = _baccarat(banker) < _STANDS
        if _baccarat(player) < _STANDS:
            player.append(third := drawing.take())
            draws = _baccarat(banker) < min(_BANKER_DRAWS) or _BACCARAT[third[0]] in _BANKER_DRAWS.get(
                _baccarat(banker), ()
            )
        if draws:
            banker.append(drawing.take())
    return {"banker": " ".join(banker), "player": " ".join(player)}


def _baccarat(hand: Sequence[str]) -> int:
    return sum(_BACCARAT[card[0]] for card in hand) % 10


def twenty_one(drawing: Drawing) -> Members:
    """Deal two hands: first, then second, each a card as long as it has fewer than 17 points and nobody is over
    21.
    """
    first = [drawing.take(), drawing.take()]
    second = [drawing.take(), drawing.take()]
    if not _is_golden(first) and not _is_golden(second):
        for hand in (first, second) * _MORE_CARDS:
            if _points(hand) < _ENOUGH and max(_points(first), _points(second)) <= _GOLDEN:
                hand.append(drawing.take())
    return {"first": " ".join(first), "second": " ".join(second)}


def _is_golden(hand: Sequence[str]) -> bool:
    return [card[0] for card in hand] == ["A", "A"]


def _points(hand: Sequence[str]) -> int:
    """Count points: an ace has 11, or 1 where 11 would be over 21."""
    points, aces = sum(_TWENTY_ONE[card[0]] for card in hand), sum(card[0] == "A" for card in hand)
    while points > _GOLDEN and aces:
        points, aces = points - 10, aces - 1
    return points


def andar_bahar(drawing: Drawing) -> Members:
    """Deal a joker, and cards to two sides in turn, until one has its rank."""
    joker = drawing.take()
    first = drawing.stream.below(2)
    sides: tuple[list[str], list[str]] = ([], [])
    at, card = first, ""
    while card[:1] != joker[0]:
        card = drawing.take()
        sides[at].append(card)
        at = 1 - at
    andar, bahar = map(" ".join, sides)
    return {"andar": andar, "bahar": bahar, "first": ("andar", "bahar")[first], "joker": joker}


def thirty_two(drawing: Drawing) -> Members:
    """Deal a card to each of four players, and one more to each of those who share the highest total, as long as
    several do.
    """
    hands: dict[int, list[str]] = {player: [] for player in _PLAYERS}
    tied = list(_PLAYERS)
    while len(tied) > 1:
        if drawing.pile is not None and drawing.pile.left < len(tied):
            drawing.pile.shuffle()
        for player in tied:
            hands[player].append(drawing.take())
        totals = {player: player + sum(_THIRTY_TWO[card[0]] for card in hand) for player, hand in hands.items()}
        tied = [player for player in _PLAYERS if totals[player] == max(totals.values())]
    return {f"player-{player}": " ".join(hand) for player, hand in hands.items()}


def monopoly(drawing: Drawing) -> Members:
    """Return the wheel, spun again after a chance card; and dice, of which doubles do not count as one of the
    rolls.
    """
    labels, sums = tuple(SEGMENTS), sums_of(SEGMENTS.values())
    spins = [labels[weighted(drawing.stream, sums)]]
    while spins[-1] == "chance":
        spins.append(labels[weighted(drawing.stream, sums)])
    dice: list[int] = []
    rolls = ROLLS.get(spins[-1], 0)
    while rolls:
        roll = [drawing.stream.below(6) + 1, drawing.stream.below(6) + 1]
        rolls -= roll[0] != roll[1]
        dice += roll
    return {"dice": dice, "spins": " ".join(spins)}


def rally(drawing: Drawing) -> Members:
    """Play points of A and B up to seven, or further until somebody is two ahead or has nine."""
    points = ""
    ahead, behind = 0, 0
    while ahead < _RALLY or (ahead - behind < _AHEAD and ahead < _RALLY_END):
        points += "A" if drawing.stream.below(_CHANCES) < drawing.rules["a"] else "B"
        behind, ahead = sorted((points.count("A"), points.count("B")))
    return {"points": points}


@dataclass(frozen=True, slots=True)
class Deal:
    """``deal name``: what it needs at the most, beside what is repeated by chance (SPEC 3.8)."""

    draw: Draw
    places: tuple[str, ...]
    draws: int
    size: int
    pack: str | None = None
    is_whole: bool = False
    """Whether it may deal the whole shoe: then a draw and three bytes more for each thing."""
    parameter: str | None = None

    def weigh(self, scope: Scope) -> Weight:
        """Return what a deal can need. Raises `Malformed` unless the shoe has the deal's pack, and the rules its
        parameter.
        """
        if self.parameter is not None:
            scope.value(self.parameter)
        if self.pack is not None and (scope.room is None or scope.pack != self.pack):
            refuse(f"a shoe of the pack {self.pack}", scope.pack)
        more = (scope.room.things or 0) if self.is_whole and scope.room else 0
        return Weight(self.draws + more, self.size + 3 * more)


DEALS: Mapping[str, Deal] = {
    "punto-banco": Deal(punto_banco, ("banker", "player"), 6, 40, "french"),
    "twenty-one": Deal(twenty_one, ("first", "second"), 10, 60, "short"),
    "andar-bahar": Deal(andar_bahar, ("andar", "bahar", "first", "joker"), 0, 60, "french", is_whole=True),
    "thirty-two": Deal(
        thirty_two, tuple(f"player-{player}" for player in _PLAYERS), 0, 60, "thirty-two", is_whole=True
    ),
    "monopoly": Deal(monopoly, ("dice", "spins"), 9, 50),
    "rally": Deal(rally, ("points",), 17, 30, parameter="a"),
}
