"""Our own modules as one script: for a page that has to work from a disk, where a browser loads no modules, and for a
phone, where each of fifty files would cost its share of round trips.

Each module becomes a function that is called once and returns its exports. Modules that another one imports stand
before it. The lines are those of the files; what is served lacks the comments, which are a quarter of what a
phone would fetch. Only the forms that our modules use are known, and any other is refused.

What modules import later, by ``import("…")``, is a second script with all that the first one lacks. It imports the
first one, so that both share their modules. A script that is not served has everything at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from posixpath import join, normpath

from api.pages.files.assets import file_at

_NAMES = r"\{\s*([^}]*?)\s*\}"
_IMPORT = re.compile(rf'^import (?:(?:{_NAMES}|\* as (\w+)) from )?"([^"]+)";$', re.MULTILINE)
_REEXPORT = re.compile(rf'^export {_NAMES} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|class|const) (\w+)", re.MULTILINE)
_LATER = re.compile(r'\bimport\("(\.[^"]+)"\)')
_IN_CODE = re.compile(r"^(?![ \t]*(?:\*|/[*/])).*\bimport\(.*$", re.MULTILINE)
"""A line that imports something later: types in comments are written likewise."""
_OWN_ADDRESS = re.compile(r"\bimport\.meta\.url\b")
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:[^*]|\*(?!/))*\*/|//.*)\n", re.MULTILINE)
_UNKNOWN = re.compile(r"^(?:import|export)\b|^const [^=]* = await\b|</script", re.MULTILINE | re.IGNORECASE)

_HAS_NO_ADDRESS = re.compile(r"^[^*/\n]*(?:\bimport\(|\bimport\.meta\b)", re.MULTILINE)
_AS_IT_IS = "/static/vendor/"
"""Other people's modules, which are served as they are."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The script, and the addresses of the modules that are in it."""

    text: str
    modules: tuple[str, ...]
    later: Bundle | None = None
    """What it imports later."""


@dataclass(frozen=True, slots=True)
class Served:
    """The addresses of a script that is served by the same host, and of what it imports later.

    Only such a script can find other files by their address.
    """

    first: str
    later: str


def bundle(entry: str, served: Served | None = None) -> Bundle:
    """Return one script of the module at an address like ``/static/keep.js``, and of all that it imports."""
    joined = _Joined(served)
    joined.add(entry)
    if served is None:
        joined.add_later()
        return Bundle(joined.text(), tuple(joined.parts))
    first = tuple(joined.parts)
    joined.add_later()
    if not joined.later:
        return Bundle(joined.text(), first)
    later = tuple(joined.parts)[len(first) :]
    shared, asked = _variables(first), _variables(joined.later)
    second = f'import {{ {shared} }} from "{served.first}";\n{joined.text(later)}\nexport {{ {asked} }};\n'
    return Bundle(f"{joined.text(first)}\nexport {{ {shared} }};\n", first, Bundle(second, later))


class _Joined:
    """Modules as functions, each after those that it imports."""

    def __init__(self, served: Served | None) -> None:
        self._served = served
        self.parts: dict[str, str] = {}
        self.later: list[str] = []
        """What is imported later; it may be among the parts by another way."""

    def text(self, addresses: Iterable[str] | None = None) -> str:
        return "\n".join(self.parts[each] for each in (self.parts if addresses is None else addresses))

    def add(self, address: str, importers: tuple[str, ...] = ()) -> None:
        if address in importers:
            raise ValueError(f"{address} imports itself by way of {importers[-1]}")
        if address in self.parts:
            return
        text = file_at(address).read_text("utf-8")
        for found in _IMPORT.finditer(text):
            self.add(_target(address, found[3]), (*importers, address))
        for found in _REEXPORT.finditer(text):
            self.add(_target(address, found[2]), (*importers, address))
        text = self._placed(address, text if self._served is None else _COMMENT.sub("", text))
        self.parts[address] = _as_function(address, text, served=self._served is not None)

    def add_later(self) -> None:
        """Add what is imported later, which may import others later."""
        # The list grows meanwhile.
        for address in self.later:
            self.add(address)

    def _placed(self, address: str, text: str) -> str:
        """Return the module, with addresses that do not depend on where its text stands."""

        def later(found: re.Match[str]) -> str:
            target = _target(address, found[1])
            if target.startswith(_AS_IT_IS):
                return f'import("{target}")'
            if target not in self.later:
                self.later.append(target)
            if self._served is None:
                return f"Promise.resolve().then(() => {_variable(target)})"
            return f'import("{self._served.later}").then((later) => later.{_variable(target)})'

        if self._served is not None:
            text = _OWN_ADDRESS.sub(f'new URL("{address}", import.meta.url).href', text)
        return _IN_CODE.sub(lambda line: _LATER.sub(later, line[0]), text)


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


def _variables(addresses: Iterable[str]) -> str:
    return ", ".join(_variable(address) for address in addresses)


def _variable(address: str) -> str:
    return "$" + re.sub(r"\W", "_", address)
