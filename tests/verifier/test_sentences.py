"""The sentences of verdicts: each is written once, in Python, and copied to JavaScript."""

from __future__ import annotations

import re

import pytest

from tests.templates import KINDS, scripts
from verifier.sentences import Checked, Sentence

SENTENCES = [sentence for kind in KINDS for sentence in kind]


def test_the_scripts_have_the_words_of_python() -> None:
    """After changing a sentence run `make messages`, which writes the scripts again."""
    for path, text in scripts().items():
        assert path.read_text("utf-8") == text, path.name


def test_every_kind_of_sentence_is_in_the_scripts() -> None:
    """None can be added that JavaScript does not have."""
    assert set(Sentence.__subclasses__()) == set(KINDS)


def test_no_two_sentences_have_one_code() -> None:
    """JavaScript identifies them by their codes."""
    assert len({sentence.code for sentence in SENTENCES}) == len(SENTENCES)


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: sentence.code)
def test_a_sentence_is_filled_with_its_values(sentence: Sentence) -> None:
    """Every placeholder is filled, and a value keeps its spelling."""
    names = re.findall(r"%\((\w+)\)s", sentence.value)
    filled = sentence.fill(**dict.fromkeys(names, "100% %(x)s"))
    assert filled == re.sub(r"%\(\w+\)s", "100% %(x)s", sentence.value)


def test_counts_have_their_thousands_apart() -> None:
    """Counts have thousands separators, round numbers have none."""
    assert Checked.CHECKPOINT_OF_SIZE.fill(size=1_234_567).startswith("its checkpoint, of 1,234,567 records")
    assert Checked.LOCK_OF_BET.fill(round=12_345) == "the lock of round 12345 is in the log"
