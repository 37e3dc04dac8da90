"""Our own modules as one script: for a page that has to work from a disk, where a browser loads no modules, and for a
phone, where each of fifty files would cost its share of round trips.

Each module becomes a function that is called once and returns its exports. Modules that another one imports stand
before it. The lines are those of the files; what is served lacks the blocks of comments, which are a fifth of what a
phone would fetch. Only the forms that our modules use are known, and any other is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from posixpath import join, normpath

from api.pages.files.assets import file_at

_NAMES = r"\{\s*([^}]*?)\s*\}"
_IMPORT = re.compile(rf'^import (?:(?:{_NAMES}|\* as (\w+)) from )?"([^"]+)";$', re.MULTILINE)
_REEXPORT = re.compile(rf'^export {_NAMES} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
_OWN_ADDRESS = re.compile(r"\bimport\.meta\.url\b")
_COMMENT = re.compile(r"^[ \t]*/\*\*(?:[^*]|\*(?!/))*\*/\n", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b|</script", re.MULTILINE | re.IGNORECASE)
_HAS_NO_ADDRESS = re.compile(r"^[^*/\n]*(?:\bimport\(|\bimport\.meta\b)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The script, and the addresses of the modules that are in it."""

    text: str
    modules: tuple[str, ...]


def bundle(entry: str, *, served: bool = False) -> Bundle:
    """Return one script of the module at an address like ``/static/keep.js``, and of all that it imports.

    Only a script that is ``served`` by the same host can find other files by their address: what it imports later,
    and what it asks for beside itself.
    """
    parts: dict[str, str] = {}
    _add(entry, parts, (), served=served)
    return Bundle("\n".join(parts.values()), tuple(parts))


def _add(address: str, parts: dict[str, str], importers: tuple[str, ...], *, served: bool) -> None:
    if address in importers:
        raise ValueError(f"{address} imports itself by way of {importers[-1]}")
    if address in parts:
        return
    text = file_at(address).read_text("utf-8")
    for found in _IMPORT.finditer(text):
        _add(_target(address, found[3]), parts, (*importers, address), served=served)
    for found in _REEXPORT.finditer(text):
        _add(_target(address, found[2]), parts, (*importers, address), served=served)
    text = _placed(address, _COMMENT.sub("", text)) if served else text
    parts[address] = _as_function(address, text, served=served)


def _placed(address: str, text: str) -> str:
    """Return the module, with addresses that do not depend on where its text stands."""
    own = _OWN_ADDRESS.sub(f'new URL("{address}", import.meta.url).href', text)
    return _LATER.sub(lambda found: f'import("{_target(address, found[1])}")', own)


def _as_function(address: str, text: str, *, served: bool) -> str:
    exported = [found[2] for found in _EXPORT.finditer(text)]

    def imported(found: re.Match[str]) -> str:
        module = _variable(_target(address, found[3]))
        if found[2] is not None:
            return f"const {found[2]} = {module};"
        return "" if found[1] is None else f"const {{ {', '.join(_renamed(found[1], ':'))} }} = {module};"

    def reexported(found: re.Match[str]) -> str:
        module = _variable(_target(address, found[2]))
        exported.extend(f"{name}: {module}.{name}" for name in _renamed(found[1], ""))
        return ""

    body = _EXPORT.sub(r"\1 \2", _REEXPORT.sub(reexported, _IMPORT.sub(imported, text)))
    if refused := _UNKNOWN.search(body) or (not served and _HAS_NO_ADDRESS.search(body)):
        raise ValueError(f"{address}: {refused[0]!r} cannot be bundled")
    return (
        f"// {address}\nconst {_variable(address)} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();\n"
    )


def _target(importer: str, name: str) -> str:
    return normpath(join(importer, "..", name))


def _renamed(names: str, colon: str) -> list[str]:
    found = [name.strip() for name in names.split(",") if name.strip()]
    if not colon and any(" as " in name for name in found):
        raise ValueError(f"{names} is exported under another name")
    return [name.replace(" as ", f"{colon} ") for name in found]


def _variable(address: str) -> str:
    return "$" + re.sub(r"\W", "_", address)
