"""The picture that messengers show beside the address of a round: the same for every round, so that it says nothing
about one.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from api.pages.files.assets import STATIC

FILE = STATIC / "share.png"
WIDTH, HEIGHT = 1200, 630
"""What messengers show whole (Open Graph)."""
_COLOURS = 64
_PAGE = """\
<!doctype html>
<meta charset="utf-8">
<style>
  body { margin: 0; height: 630px; padding: 80px 96px 0; box-sizing: border-box; background: #2f4fc4; color: #fff;
    font-family: sans-serif }
  p { display: flex; align-items: center; gap: 20px; margin: 0; font-size: 48px; font-weight: 700; letter-spacing: -1px }
  h1 { margin: 60px 0 0; font-size: 72px; line-height: 1.25; white-space: nowrap; letter-spacing: -2px }
  svg { display: block }
  text { fill: #fff; font-size: 30px }
</style>
<p><svg width="72" height="72" viewBox="2 2 20 20"><rect x="2" y="2" width="20" height="20" rx="6" fill="#fff"/>
<path d="M7 12.5l3.2 3.2L17 8.6" fill="none" stroke="#2f4fc4" stroke-width="2.4" stroke-linecap="round"
stroke-linejoin="round"/></svg>Foredraw</p>
<h1>Drawn before the round.<br>Provable after it.</h1>
<svg width="1008" height="120" viewBox="0 0 1008 120" style="margin-top: 64px">
<path d="M16 24H992" stroke="#a9b9ff" stroke-width="4"/>
<circle cx="16" cy="24" r="16" fill="#fff"/><text x="0" y="84">fixed</text>
<circle cx="504" cy="24" r="14" fill="#2f4fc4" stroke="#fff" stroke-width="4"/>
<text x="504" y="84" text-anchor="middle">played</text>
<circle cx="992" cy="24" r="14" fill="#2f4fc4" stroke="#fff" stroke-width="4"/>
<text x="1008" y="84" text-anchor="end">check it yourself</text>
</svg>
"""


def take_share_picture(browser: Browser, file: Path = FILE) -> None:
    """Draw it again: the same bytes from the same browser and fonts."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.set_content(_PAGE)
    with Image.open(BytesIO(page.screenshot())) as image:
        image.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(file, optimize=True)
    page.close()
