"""The fonts that a browser of the tests has: those of one family, whatever else the machine has installed."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, get_args
from xml.sax.saxutils import escape

Fonts = Literal["dejavu", "noto", "liberation"]
FONTS: Final[tuple[Fonts, ...]] = get_args(Fonts)
"""Families of different widths, of which most desktops with Linux have one; the first is that of the documents'
pictures.
"""

_INSTALLED = Path("/usr/share/fonts/truetype")
_FILES: Final[dict[Fonts, tuple[str, ...]]] = {
    "dejavu": ("dejavu/*.ttf",),
    # Debian's package has no monospaced font; DejaVu's is on most desktops beside it, and the pages name it.
    "noto": (
        "noto/NotoSans-*.ttf",
        "noto/NotoSansArmenian-*.ttf",
        "noto/NotoSansSymbols*.ttf",
        "noto/NotoSerif-*.ttf",
        "noto/NotoSerifArmenian-*.ttf",
        "dejavu/DejaVuSans*.ttf",
    ),
    # It has no Armenian. Without DejaVu's monospaced font, which the pages name, its own is used.
    "liberation": ("liberation/*.ttf", "dejavu/DejaVuSans.ttf", "dejavu/DejaVuSans-Bold.ttf"),
}
_NAMES: Final[dict[Fonts, tuple[str, str, str]]] = {
    "dejavu": ("DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"),
    "noto": ("Noto Sans", "Noto Serif", "DejaVu Sans Mono"),
    "liberation": ("Liberation Sans", "Liberation Serif", "Liberation Mono"),
}
_GENERIC = (("sans-serif", "sans", "system-ui", "-apple-system"), ("serif",), ("monospace", "ui-monospace"))
"""What pages and the browser ask for when they name no family; in the order of `_NAMES`."""
# Fonts are smoothed as by Debian's own configuration.
_CONFIGURATION = """\
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>{fonts}</dir>
<cachedir>{cache}</cachedir>
{families}
<match target="pattern">
  <edit name="hintstyle"><const>hintslight</const></edit>
</match>
</fontconfig>
"""
_FAMILY = """\
<match target="pattern">
  <test name="family"><string>{generic}</string></test>
  <edit name="family" mode="assign" binding="strong"><string>{name}</string></edit>
</match>"""


def configure(folder: Path, fonts: Fonts) -> Path:
    """Write a configuration of fontconfig into an empty folder; ``FONTCONFIG_FILE`` tells a browser where it is."""
    own = folder / "fonts"
    own.mkdir()
    for pattern in _FILES[fonts]:
        found = list(_INSTALLED.glob(pattern))
        assert found, f"there is no {pattern}: tests/tools.sh installs it"
        for file in found:
            (own / file.name).symlink_to(file)
    families = [
        _FAMILY.format(generic=generic, name=name)
        for name, asked in zip(_NAMES[fonts], _GENERIC, strict=True)
        for generic in asked
    ]
    configuration = folder / "fonts.conf"
    paths = {"fonts": escape(str(own)), "cache": escape(str(folder / "cache"))}
    configuration.write_text(_CONFIGURATION.format(**paths, families="\n".join(families)), "utf-8")
    return configuration
