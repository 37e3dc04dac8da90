"""The messages of the pages and their translations: ``make messages`` brings the files up to date.

A file keeps its head, with the glossary, and its translations. New messages are added without a translation,
unused ones are removed. Messages are sorted, one per line, so that additions by two people rarely conflict.
"""

from __future__ import annotations

import sys
from io import BytesIO

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from api.pages.bet_words import sentence_messages
from api.pages.shell.languages import LANGUAGES, TRANSLATIONS
from games.facts import FACTS
from tests import templates
from tests.house import HOUSE

_SOURCES = (
    ("api/pages", "**.py", "python"),
    ("api/pages", "**.html", "jinja2"),
    ("api/pages", "**.js", "javascript"),
    ("verifier/browser", "**.js", "javascript"),
)
TRANSLATED = [language for language in LANGUAGES if language != "en"]


def in_the_code() -> Catalog:
    """Every message that a page may show."""
    found = Catalog()
    for folder, pattern, method in _SOURCES:
        options = {pattern: {"trimmed": "true", "silent": "false"} if method == "jinja2" else {}}
        for _, _, message, _, _ in extract_from_dir(HOUSE / folder, [(pattern, method)], options):
            found.add(message)
    for sentence in (*sentence_messages(), *(each for facts in FACTS.values() for each in facts.messages)):
        found.add(sentence)
    return found


def read(language: str) -> Catalog:
    """The translations into one language."""
    with (TRANSLATIONS / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language, abort_invalid=True)


def spelled(language: str, template: Catalog) -> str:
    """The new file of one language: its head unchanged, then the messages of ``template``."""
    old = read(language)
    head, _, _ = (TRANSLATIONS / f"{language}.po").read_text("utf-8").partition("\n\n")
    new = read_po(BytesIO(head.encode()), locale=language)
    for message in template:
        if message.id:
            known = old.get(message.id)
            new.add(message.id, known.string if known else None)
    written = BytesIO()
    write_po(written, new, width=0, no_location=True, omit_header=True, sort_output=True)
    return f"{head}\n\n{written.getvalue().decode().strip()}\n"


def untranslated(catalogue: Catalog) -> list[Message]:
    """The messages without a translation, or with a doubtful one."""
    return [message for message in catalogue if message.id and (message.fuzzy or not _is_whole(message))]


def _is_whole(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)


def main() -> None:
    """Bring all files up to date; list what needs a translation."""
    templates.write()
    template = in_the_code()
    for language in TRANSLATED:
        text = spelled(language, template)
        (TRANSLATIONS / f"{language}.po").write_text(text, "utf-8")
        for message in untranslated(read(language)):
            sys.stdout.write(f"{language}: {message.id!r} is not translated\n")


if __name__ == "__main__":
    main()
