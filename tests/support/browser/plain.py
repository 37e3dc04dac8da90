"""What sentences to players do not have: words of the protocol, long hexadecimal digits, and JSON."""

from __future__ import annotations

import re

_WORDS = re.compile(
    r"\b(?:commitments?|committed|custodians?|salt(?:ed|s)?|pulses?|batch(?:es)?|checkpoints?|seeds?)\b|position \w+ in the log"
    r"|պարտավորութ|ամրագրվ|պահապան|\bաղ(?:ը|ի|ով)?\b|իմպուլս|փաթեթ|ստուգակետ|սերմ"
    r"|обязательств|зафиксирован|хранител|\bсол[ьи]\b|импульс|пакет|контрольн\w+ точк|\bзерн",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![0-9a-z])(?=[0-9]*[a-f])[0-9a-f]{9,}(?![0-9a-z])")
_JSON = re.compile(r'\{\s*"|"\s*:')


def not_plain(text: str) -> list[str]:
    """What a player should not have to read, in any of the languages of pages."""
    return [found for pattern in (_WORDS, _DIGITS, _JSON) for found in pattern.findall(text)]
