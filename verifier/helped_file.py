"""Files that were helped on their way: an editor adds a byte order mark, a mail program changes the ends of lines.

The formats of files (SPEC 5) have one spelling, and their parsers are strict. Files that people have are taken
without what was added, and the verdict says so.
"""

from __future__ import annotations

from codecs import BOM_UTF8


def as_it_was_written(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Return a text file of ours without what was added to it on its way, or with its last line feed; and what that
    was.
    """
    helped = list[str]()
    if data.startswith(BOM_UTF8):
        data = data.removeprefix(BOM_UTF8)
        helped.append("a byte order mark at its beginning")
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
        helped.append("line ends of Windows")
    text = data.rstrip(b"\n")
    # A file of one line, as a declaration, may end as it does.
    if b"\n" in text and data != text + b"\n":
        helped.append("no line feed at its end" if data == text else "empty lines at its end")
        data = text + b"\n"
    return data, tuple(helped)
