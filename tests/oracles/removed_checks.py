"""Removes the checks of this implementation, one at a time, and finds which vectors notice.

A check is a condition that leads to a refusal: ``if …: raise``, ``if …: refuse(…)``, or an argument of ``require``.
If several conditions are joined, each is a separate check. So is each call of a function that is named for a check,
such as ``check_opened(…)``, because a verifier may forget it in one place and have it in another. The modules are
loaded once, with a switch at every check. While the vectors are answered, each switch records which of them it
refuses; only those can notice its absence, so only those are repeated without it. ``python -m
tests.oracles.removed_checks`` prints the result as JSON.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, ModuleType
from typing import Any

from tests.house import HOUSE

SWITCHED = (
    "fairness.",
    "games.",
    "verifier.audit.audit",
    "verifier.audit.partition",
    "verifier.audit.witnesses",
    "verifier.audit.custody",
    "verifier.round.",
    "verifier.paytables",
    "verifier.forks.evidence",
    "verifier.forks.extension",
    "verifier.conformance.subject",
)
CALLED_IN = ("verifier.", "fairness.round.")
"""Where the steps of SPEC 8 are taken: each call of a check is one more check there."""
NEVER_ASKED = "games.bets"
"""Modules that `import verifier` also loads, but which refuse no file: what bets win. But for what judges a paytable:
`ASKED`.
"""
ASKED = "games.bets.paytable"
_REQUIRES = {"_require", "require"}
_REFUSE = "refuse"


@dataclass
class Switches:
    """Every check, which one is off, and which vectors each has refused."""

    names: list[str] = field(default_factory=list)
    off: int = -1
    vector: str = ""
    refused: dict[int, list[str]] = field(default_factory=dict)

    def add(self, name: str) -> int:
        """Register a check."""
        # Identical conditions in one function get different names.
        alike = sum(each == name or each.startswith(f"{name} #") for each in self.names)
        self.names.append(f"{name} #{alike + 1}" if alike else name)
        return len(self.names) - 1

    def refuses(self, number: int, refuses: object) -> object:
        """The value of a condition for a refusal, unless its check is off."""
        if not refuses or number == self.off:
            return False
        self._note(number)
        return refuses

    def holds(self, number: int, holds: object) -> object:
        """The value of a required condition, unless its check is off."""
        if holds or number == self.off:
            return True
        self._note(number)
        return holds

    def runs(self, number: int) -> bool:
        """Whether a call is made; not if its check is off."""
        return number != self.off

    @contextmanager
    def noting(self, number: int) -> Iterator[None]:
        """Take note if the call of a check refuses what it is given."""
        try:
            yield
        except Exception:
            self._note(number)
            raise

    def _note(self, number: int) -> None:
        found = self.refused.setdefault(number, [])
        if self.off < 0 and self.vector not in found:
            found.append(self.vector)


SWITCHES = Switches()


class _PutSwitches(ast.NodeTransformer):
    """Puts a switch at every check of a module."""

    def __init__(self, module: str) -> None:
        self._within = [module]
        self._guarded: list[ast.stmt] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._within.append(node.name)
        self.generic_visit(node)
        self._within.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._within.append(node.name)
        self.generic_visit(node)
        self._within.pop()
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        refused = node.body[-1]
        if _refuses(refused):
            self._guarded.append(refused)
            self.generic_visit(node)
            node.test = self._refusing(node.test)
        else:
            self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        # Translating another program's error is not a check.
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if node.exc is None or _is_misuse(node) or node in self._guarded:
            return node
        name = ast.unparse(node.exc).partition("(")[0]
        return ast.If(self._switch("refuses", ast.Constant(value=True), f"raise {name}"), [node], [])

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _REQUIRES:
            call.args[0] = self._required(call.args[0])
            return node
        if isinstance(call, ast.Call) and _is_named_for_a_check(call) and self._within[0].startswith(CALLED_IN):
            return self._left_out(node, call)
        return node

    def _left_out(self, node: ast.Expr, call: ast.Call) -> ast.AST:
        """A call that is made only if its check is on."""
        number = SWITCHES.add(f"{'.'.join(self._within)}: calls {ast.unparse(call.func)}")
        switches, given = ast.Name("__switches__", ast.Load()), [ast.Constant(number)]
        runs = ast.Call(ast.Attribute(switches, "runs", ast.Load()), [*given], [])
        noting = ast.Call(ast.Attribute(switches, "noting", ast.Load()), [*given], [])
        return ast.If(runs, [ast.With([ast.withitem(noting)], [node])], [])

    def _refusing(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            test.values = [self._refusing(value) for value in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._required(test.operand)
            return test
        return self._switch("refuses", test)

    def _required(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values = [self._required(value) for value in test.values]
            return test
        if isinstance(test, ast.Compare) and len(test.ops) > 1:
            links = zip([test.left, *test.comparators], test.ops, test.comparators, strict=False)
            return ast.BoolOp(
                ast.And(), [self._switch("holds", ast.Compare(left, [op], [right])) for left, op, right in links]
            )
        return self._switch("holds", test)

    def _switch(self, method: str, test: ast.expr, what: str | None = None) -> ast.expr:
        number = SWITCHES.add(f"{'.'.join(self._within)}: {what or ast.unparse(test)}")
        called = ast.Attribute(ast.Name("__switches__", ast.Load()), method, ast.Load())
        return ast.Call(called, [ast.Constant(number), test], [])


def _is_named_for_a_check(call: ast.Call) -> bool:
    name = (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
    return name.lstrip("_").startswith("check_")


def _refuses(statement: ast.stmt) -> bool:
    """Whether a statement raises an error, or calls a function that does nothing else."""
    if isinstance(statement, ast.Raise):
        return statement.exc is not None and not _is_misuse(statement)
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == _REFUSE


def _is_misuse(statement: ast.Raise) -> bool:
    """A mistake of the caller, which no input can cause, or the end of an iteration."""
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return isinstance(raised, ast.Name) and raised.id in {"ValueError", "TypeError", "ArithmeticError"}


class _Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]  # noqa: ANN401 -- both as its base has them
        tree = _PutSwitches(self.name).visit(ast.parse(data))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__switches__"] = SWITCHES
        super().exec_module(module)


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        switched = any(fullname == each or (each.endswith(".") and fullname.startswith(each)) for each in SWITCHED)
        if not switched or (fullname.startswith(NEVER_ASKED) and not fullname.startswith(ASKED)):
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if found is None or not isinstance(found.loader, importlib.machinery.SourceFileLoader):
            return found
        return importlib.util.spec_from_file_location(
            fullname,
            found.origin,
            loader=_Loader(fullname, str(found.origin)),
            submodule_search_locations=found.submodule_search_locations,
        )


def checks_of(module: str) -> list[str]:
    """The names of a module's checks, as they stand in the source; nothing is executed."""
    before = len(SWITCHES.names)
    path = HOUSE / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    _PutSwitches(module).visit(ast.parse(file.read_text("utf-8")))
    return SWITCHES.names[before:]


def noticed() -> dict[str, list[str]]:
    """For every check that refuses a vector: the vectors that are answered wrongly without it."""
    sys.meta_path.insert(0, _Finder())
    # The modules are loaded only now, with their switches.
    load_vectors = importlib.import_module("verifier.conformance.driver").load_vectors
    answer = importlib.import_module("verifier.conformance.subject").answer

    requests: dict[str, tuple[dict[str, Any], object]] = {}
    for vectors in load_vectors():
        for case in vectors.cases:
            name = SWITCHES.vector = f"{vectors.format}: {case['name']}"
            request = {"format": vectors.format, "operation": vectors.operation, "input": case["input"]}
            requests[name] = request, answer(request)

    def is_wrong(name: str) -> bool:
        request, expected = requests[name]
        try:
            return bool(answer(request) != expected)
        except Exception:  # noqa: BLE001 -- it continues with what it should have refused: no answer counts as a wrong one
            return True

    found: dict[str, list[str]] = {name: [] for name in SWITCHES.names}
    for number, names in sorted(SWITCHES.refused.items()):
        SWITCHES.off = number
        found[SWITCHES.names[number]] = [name for name in names if is_wrong(name)]
    SWITCHES.off = -1
    return found


def loosened() -> dict[str, list[str]]:
    """For the type of every key of a record, and every limit: the vectors that are answered wrongly without it.

    msgspec checks types and limits of records, so a switch cannot turn them off. Instead the module is made again
    with one annotation less.
    """
    load_vectors = importlib.import_module("verifier.conformance.driver").load_vectors
    games = importlib.import_module("games").GAMES
    malformed = importlib.import_module("fairness.errors").Malformed
    (vectors,) = (each for each in load_vectors() if each.format == "record")
    tree = ast.parse((HOUSE / "fairness" / "records" / "record.py").read_text("utf-8"))
    return {
        name: [
            case["name"]
            for case in vectors.cases
            if _is_record(changed, case["input"], games, malformed) != case["valid"]
        ]
        for name, changed in _with_one_less(tree)
    }


def _with_one_less(tree: ast.Module) -> Iterator[tuple[str, ModuleType]]:
    """The module of records without one annotation of a key, or without one limit."""
    for kind in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for key in (node for node in kind.body if isinstance(node, ast.AnnAssign)):
            before, key.annotation = key.annotation, ast.Name("Any", ast.Load())
            yield f"{kind.name}.{ast.unparse(key.target)}: {ast.unparse(before)}", _module(tree)
            key.annotation = before
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id == "Meta":
            for keyword in list(call.keywords):
                call.keywords.remove(keyword)
                yield f"line {call.lineno}: {keyword.arg} of {ast.unparse(keyword.value)}", _module(tree)
                call.keywords.append(keyword)


def _module(tree: ast.Module) -> ModuleType:
    module = ModuleType("loosened_records")
    sys.modules[module.__name__] = module
    vars(module)["Any"] = Any
    exec(compile(ast.fix_missing_locations(tree), "records", "exec"), vars(module))  # noqa: S102 -- our own source, changed
    return module


def _is_record(
    module: ModuleType, given: dict[str, Any], games: Container[str], malformed: type[Exception]
) -> bool | None:
    """Whether an input is a record for that module; `None` if it fails."""
    data = given["text"].encode() if "text" in given else bytes.fromhex(given["hex"])
    try:
        record = module.parse_record(data)
    except malformed:
        return False
    except Exception:  # noqa: BLE001 -- it continues with what it should have refused
        return None
    return record.type != "table" or record.game in games


if __name__ == "__main__":
    json.dump({"checks": noticed(), "types of records": loosened()}, sys.stdout, indent=1, sort_keys=True)
