"""The languages of the pages: which one an answer is in, its messages, its numbers and times.

English is in the code; the others are in ``api/pages/translations``, read when the
program starts. ``make messages`` brings them up to date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from gettext import NullTranslations
from io import BytesIO
from pathlib import Path

from babel.lists import format_list
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, get_group_symbol
from babel.support import Translations
from babel.units import format_unit
from flask import Response, g, request
from jinja2 import Environment

from api.pages.files.assets import file_at

LANGUAGES = {"en": "English", "hy": "Հայերեն", "ru": "Русский"}
"""Each by its tag, with its own name for itself."""

TRANSLATIONS = Path(__file__).parent.parent / "translations"

COOKIE = "lang"
"""Remembers the language that a reader chose."""
_YEAR_SECONDS = 365 * 24 * 3600


def install(environment: Environment) -> None:
    """Give the templates ``_``, ``ngettext``, ``number``, ``moment``, ``span``, ``percent`` and ``amount``."""
    environment.add_extension("jinja2.ext.i18n")
    environment.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]  # by the extension
    environment.filters.update(number=number, moment=moment, span=span, percent=percent, amount=amount)


def chosen() -> str:
    """Return the language of this answer: from the address, else from the cookie, else the browser's preference."""
    if "language" not in g:
        for tag in (request.args.get("lang"), request.cookies.get(COOKIE)):
            if tag in LANGUAGES:
                g.language = tag
                break
        else:
            g.language = request.accept_languages.best_match(LANGUAGES, "en")
    language: str = g.language
    return language


def mark(response: Response) -> None:
    """Name the language of the answer, and remember it if the address asked for it."""
    response.content_language.add(chosen())
    response.vary.update(("Accept-Language", "Cookie"))
    if request.args.get("lang") == chosen():
        response.set_cookie(COOKIE, chosen(), max_age=_YEAR_SECONDS, samesite="Lax", httponly=True)


def gettext(message: str) -> str:
    """Return the message in the language of this answer."""
    return _catalogue(chosen()).gettext(message)


def ngettext(singular: str, plural: str, count: int) -> str:
    """Return the form of the message that goes with ``count``."""
    return _catalogue(chosen()).ngettext(singular, plural, count)


def number(value: float, decimals: int = 0) -> str:
    """Return a number with separated thousands and this many decimals."""
    return format_decimal(value, "#,##0" + ("." + "0" * decimals if decimals else ""), locale=chosen())


def amount(value: Fraction) -> str:
    """Return an amount of money to its last digit; ``value`` has a short decimal spelling."""
    return format_decimal(Decimal(value.numerator) / value.denominator, "#,##0.######", locale=chosen())


def percent(value: Fraction) -> str:
    """Return a share, in percent with four digits."""
    return f"{format_decimal(float(value * 100), '@###', locale=chosen())}\N{NO-BREAK SPACE}%"


def any_of(texts: Sequence[str]) -> str:
    """Write ``4 or 17``."""
    return format_list(texts, style="or", locale=chosen())


def thousands() -> str:
    """Return the separator of thousands, so that scripts write numbers alike."""
    return get_group_symbol(chosen())


def moment(time: str) -> str:
    """Return a record's time, to the second, in numbers, as scripts write it."""
    day = "%Y-%m-%d" if chosen() == "en" else "%d.%m.%Y"
    return datetime.fromisoformat(time).astimezone(UTC).strftime(f"{day} %H:%M:%S UTC")


def span(time: timedelta | float) -> str:
    """Return how long something is, in a few characters; a number is of seconds."""
    seconds = round(time.total_seconds() if isinstance(time, timedelta) else time)
    days, hours, minutes = seconds // 86_400, seconds // 3600, seconds // 60
    if days > 1:
        parts = [(days, "day")]
    elif hours:
        parts = [(hours, "hour"), (minutes % 60, "minute")]
    elif minutes:
        parts = [(minutes, "minute")]
    else:
        parts = [(seconds, "second")]
    return " ".join(format_unit(count, f"duration-{unit}", "short", locale=chosen()) for count, unit in parts)


def gettext_in(language: str) -> Callable[[str], str]:
    """Translate messages into one language, whatever the language of an answer."""
    return _catalogue(language).gettext


def messages_of(modules: Iterable[str], language: str) -> Mapping[str, str]:
    """Return the messages in these scripts, translated; none for English."""
    if language == "en":
        return {}
    catalogue = _catalogue(language)
    return {message: catalogue.gettext(message) for module in modules for message in _messages_in(module)}


@cache
def _messages_in(module: str) -> tuple[str, ...]:
    # No message of a script has a plural: scripts separate numbers from words.
    found = extract_from_file("javascript", file_at(module), keywords={"_": None})
    return tuple(str(message) for _, message, _, _ in found)


@cache
def _catalogue(language: str) -> NullTranslations:
    if language == "en":
        return NullTranslations()
    with (TRANSLATIONS / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    compiled = BytesIO()
    write_mo(compiled, catalogue)
    compiled.seek(0)
    return Translations(compiled)
