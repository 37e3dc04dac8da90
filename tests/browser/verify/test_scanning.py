"""The QR code of a round: other people's software reads it from the page, and so does the page /verify, by camera."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Browser

from tests.support.browser.checking import FIXED, headline
from tests.support.browser.fonts import Fonts
from tests.support.browser.quiet_service import QuietService
from tests.support.browser.visitor import DESKTOP, PHONE, Scheme, Visitor, launched

TABLE, ROUND = "keno-express-1", 1
FRAME = (640, 480)
FRAMES = 30


def picture_of_code(reader: Visitor, *, width: int = PHONE, scheme: Scheme = "light") -> Image.Image:
    """The QR code as the round's page shows it, to be held before a camera."""
    page = reader.visit(f"/tables/{TABLE}/rounds/{ROUND}", width=width, scheme=scheme)
    return Image.open(BytesIO(page.locator(".qr").screenshot())).convert("RGB")


def video_of(picture: Image.Image) -> bytes:
    """One second of it as YUV4MPEG2, somewhat tilted, on a grey background."""
    frame = Image.new("RGB", FRAME, "#777")
    turned = picture.resize((300, 300)).rotate(5, expand=True, fillcolor="#777", resample=Image.Resampling.BICUBIC)
    frame.paste(turned, (150, 60))
    light, *colors = frame.convert("YCbCr").split()
    half = (FRAME[0] // 2, FRAME[1] // 2)
    planes = light.tobytes() + b"".join(color.resize(half).tobytes() for color in colors)
    return b"YUV4MPEG2 W%d H%d F30:1 Ip C420jpeg\n" % FRAME + (b"FRAME\n" + planes) * FRAMES


@pytest.mark.lattice
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_other_software_reads_it(reader: Visitor, quiet: QuietService, width: int, scheme: Scheme) -> None:
    """On a dark or light screen, it contains the address that checks the round."""
    found = zxingcpp.read_barcodes(picture_of_code(reader, width=width, scheme=scheme))
    assert [each.text for each in found] == [f"{quiet.url}/verify#{quiet.code(TABLE, ROUND)}"]


@pytest.fixture
def filming(
    browser: Browser, fonts: Fonts, quiet: QuietService, reader: Visitor, tmp_path: Path
) -> Iterator[Visitor]:
    """A visitor whose browser has a camera that films the code."""
    video = tmp_path / "code.y4m"
    video.write_bytes(video_of(picture_of_code(reader)))
    flags = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
    with launched(browser.browser_type, fonts, *flags, f"--use-file-for-fake-video-capture={video}") as own:
        visitor = Visitor(own, quiet.url)
        yield visitor
        visitor.close()


def test_a_camera_reads_it(filming: Visitor, quiet: QuietService) -> None:
    """From the film to the verdict, through the browser's own camera calls."""
    page = filming.visit("/verify", width=PHONE)
    page.get_by_role("button", name="Scan with the camera").click()
    assert headline(page) == FIXED["en"]
    assert page.locator("#code").input_value() == quiet.code(TABLE, ROUND)
