"""A shuffle that is read on, thing by thing (SPEC 3.4): eight packs cost what is dealt of them."""

from __future__ import annotations

from fairness.draws.stream import Stream


class Shuffle:
    """The numbers 0 … ``size`` - 1 in a random order: the first k of them are ``stream.sample(size, k)``."""

    __slots__ = ("_moved", "_size", "_stream", "_taken")

    def __init__(self, stream: Stream, size: int) -> None:
        self._stream, self._size, self._taken = stream, size, 0
        # Only the places that a swap has touched.
        self._moved: dict[int, int] = {}

    @property
    def left(self) -> int:
        """How many numbers have not come."""
        return self._size - self._taken

    def next(self) -> int:
        """Return the next number, which is one draw. Raises `ValueError` after the last one."""
        i, moved = self._taken, self._moved
        j = i + self._stream.below(self._size - i)
        number = moved.get(j, j)
        moved[j] = moved.pop(i, i)
        self._taken = i + 1
        return number


class Pile:
    """A drum or a shoe while a round is drawn. It is shuffled as far as it is taken from."""

    __slots__ = ("_first", "_order", "_pack", "_size", "_stream")

    def __init__(self, stream: Stream, size: int, pack: tuple[str, ...] = (), first: int = 0) -> None:
        """``size`` things: of a shoe, the pack again and again; of a drum, the numbers from ``first``."""
        self._stream, self._size, self._pack, self._first = stream, size, pack, first
        self.shuffle()

    def shuffle(self) -> None:
        """Put everything back."""
        self._order = Shuffle(self._stream, self._size)

    @property
    def left(self) -> int:
        """How many things have not been taken."""
        return self._order.left

    @property
    def holds_numbers(self) -> bool:
        """Whether it is a drum."""
        return not self._pack

    def next(self) -> str | int:
        """Draw the next thing."""
        at = self._order.next()
        return self._pack[at % len(self._pack)] if self._pack else self._first + at
