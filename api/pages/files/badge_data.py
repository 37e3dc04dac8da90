"""What the badge shows, as a part of its script: its words in all languages, and the shapes of its pictures.

A page that embeds the badge names the hash of its script (``integrity``). Were words or pictures fetched
afterwards, the server could still make a failed check look like one that held.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypeAlias
from xml.etree import ElementTree as ET

from api.pages.files.assets import STATIC
from api.pages.shell import languages

_SVG = "{http://www.w3.org/2000/svg}"

Shape: TypeAlias = "list[str | dict[str, str] | list[Shape]]"
"""An element of SVG: its name, its attributes, its children."""


def badge_data(modules: Iterable[str]) -> str:
    """Write the line ``const CARRIED = …`` for a script that consists of these modules."""
    words = {language: languages.messages_of(modules, language) for language in languages.LANGUAGES}
    sheet = ET.parse(STATIC / "pictures.svg")  # noqa: S314  (our own file)
    shapes = [_shape(symbol) for symbol in sheet.getroot()]
    return f"const CARRIED = {json.dumps({'shapes': shapes, 'words': words}, ensure_ascii=False)};\n"


def _shape(element: ET.Element) -> Shape:
    return [element.tag.removeprefix(_SVG), dict(element.attrib), [_shape(child) for child in element]]
