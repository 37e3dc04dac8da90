"""Every page there is. What must hold of all of them is tested on this list, so a new page is one more line here."""

from __future__ import annotations

PAGES = ("/",)
