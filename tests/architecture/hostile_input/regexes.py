"""Every regular expression in the code, how it is used, and hostile texts for it."""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

from tests.architecture.layers import ROOT

PACKAGES = (
    *("api", "core", "jobs", "messaging", "portal", "printing"),
    *("restaurant", "tenants", "webhooks"),
)
EVERY_WAY = frozenset({"search", "match", "fullmatch"})
SCANNING = frozenset({"sub", "subn", "split", "findall", "finditer"})
MAKERS = SCANNING | EVERY_WAY | {"compile"}
MAY_USE_ONE = re.compile(rf"\.(?:{'|'.join(MAKERS)})\b")
MANY = 1000  # a repeat with a higher limit counts as unlimited
ALWAYS_TRIED = " \t\n\u00a0\u20090aA_-.,:;/#*+([{<\"'\\@=&é１ı"


@dataclass(frozen=True)
class FoundPattern:
    place: str
    pattern: re.Pattern[Any]
    ways: frozenset[str]


def paths() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT)


@cache
def every_pattern() -> tuple[list[FoundPattern], list[str]]:
    """The patterns, and the places of those that cannot be evaluated before the code runs."""
    sources = ((path, (ROOT / path).read_text()) for path in paths())
    trees = {path: ast.parse(source) for path, source in sources if MAY_USE_ONE.search(source)}
    uses = _uses(trees.values())
    found, unknown = [], []
    for path, tree in trees.items():
        module = _module(path)
        names = _names(tree)
        for call in _calls(tree):
            place = f"{path}:{call.lineno}"
            way = call.func.attr  # type: ignore[attr-defined]
            pattern = _pattern(call, way, module)
            if pattern is None:
                unknown.append(place)
                continue
            ways = uses.get(names.get(call, ""), EVERY_WAY) if way == "compile" else {way}
            found.append(FoundPattern(place, pattern, frozenset(_tried(ways))))
    return found, unknown


def constants_of_modules() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """All compiled patterns in module constants, however they were made."""
    for path in paths():
        for name, value in vars(_module(path)).items():
            held = value if isinstance(value, tuple | list | set | frozenset) else [value]
            held = [*value.values()] if isinstance(value, dict) else held
            for one in held:
                for each in one if isinstance(one, tuple) else [one]:
                    if isinstance(each, re.Pattern):
                        yield f"{path}:{name}", each


def hostile_texts(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """Texts that could take long: a beginning that the pattern matches, then one of its repeats
    until the text is long, then an end that it does not match; and the beginnings themselves,
    repeated. The order is the same for every length.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    beginnings = list(dict.fromkeys(["", *_beginnings(tree)]))
    letters = dict.fromkeys([*ALWAYS_TRIED, *_literals(tree)])
    for beginning in beginnings:
        for letter in letters:
            text = (beginning + letter * length)[: length - 1] + "\0"
            yield from _as_read(pattern, text)
        if beginning:
            yield from _as_read(pattern, (beginning * length)[:length])
            yield from _as_read(pattern, ((beginning + " ") * length)[:length])
    for one in (" a", "a ", "1 ", "1.", "a.", "a-", "a_", ", "):
        yield from _as_read(pattern, (one * length)[: length - 1] + "\0")


def _as_read(pattern: re.Pattern[Any], text: str) -> Iterator[Any]:
    if isinstance(pattern.pattern, str):
        yield text
    elif text.isascii():
        yield text.encode()


def _tried(ways: Any) -> Iterator[str]:
    for way in ways:
        yield "sub" if way in SCANNING else way


def _uses(trees: Any) -> dict[str, set[str]]:
    """By the constant's name: the methods that are called on it or passed on."""
    found: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in MAKERS:
                owner = node.value
                name = getattr(owner, "id", None) or getattr(owner, "attr", None)
                if name and name != "re":
                    found.setdefault(name, set()).add(node.attr)
    return found


def _names(tree: ast.Module) -> dict[ast.AST, str]:
    """The name to which each `re.compile` at the top of a module is assigned."""
    return {
        node.value: node.targets[0].id
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in MAKERS
        ):
            yield node


def _pattern(call: ast.Call, way: str, module: ModuleType) -> re.Pattern[Any] | None:
    places = {"compile": 1, "sub": 4, "subn": 4, "split": 3}
    given = [one.value for one in call.keywords if one.arg == "flags"]
    given += call.args[places.get(way, 2) :][:1]
    try:
        pattern = _value(call.args[0], module)
        return re.compile(pattern, *(_value(one, module) for one in given))
    except (NameError, AttributeError, TypeError):
        return None


def _value(node: ast.expr, module: ModuleType) -> Any:
    return eval(compile(ast.Expression(node), "pattern", "eval"), dict(vars(module)))  # noqa: S307


def _module(path: Path) -> ModuleType:
    parts = path.with_suffix("").parts
    return importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))


def _beginnings(tree: Any, before: str = "") -> Iterator[str]:
    """The shortest text before each unlimited repeat, and the same with one step of the repeat."""
    for operation, detail in tree:
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            _, most, inner = detail
            if most == constants.MAXREPEAT or most > MANY:
                yield before
                yield before + _shortest(inner)
            yield from _beginnings(inner, before)
        elif operation is constants.SUBPATTERN:
            yield from _beginnings(detail[3], before)
        elif operation is constants.BRANCH:
            for one in detail[1]:
                yield from _beginnings(one, before)
        before += _shortest([(operation, detail)])
    yield before


def _shortest(tree: Any) -> str:
    """Roughly the shortest text that it matches: look-arounds and anchors are ignored."""
    made = ""
    for operation, detail in tree:
        if operation is constants.LITERAL:
            made += chr(detail)
        elif operation is constants.NOT_LITERAL:
            made += "a" if detail != ord("a") else "b"
        elif operation is constants.ANY:
            made += "a"
        elif operation is constants.IN:
            made += _member(detail)
        elif operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            made += _shortest(detail[2]) * detail[0]
        elif operation is constants.SUBPATTERN:
            made += _shortest(detail[3])
        elif operation is constants.BRANCH:
            made += _shortest(detail[1][0])
    return made


def _member(members: Any) -> str:
    if members[0][0] is constants.NEGATE:
        out = {detail for operation, detail in members if operation is constants.LITERAL}
        return next(one for one in "a1 -.b" if ord(one) not in out)
    operation, detail = members[0]
    if operation is constants.LITERAL:
        return chr(detail)
    if operation is constants.RANGE:
        return chr(detail[0])
    samples = {
        constants.CATEGORY_DIGIT: "1",
        constants.CATEGORY_SPACE: " ",
        constants.CATEGORY_WORD: "a",
    }
    return samples.get(detail, "a")


def _literals(tree: Any) -> Iterator[str]:
    for operation, detail in tree:
        if operation is constants.LITERAL:
            yield chr(detail)
        elif operation is constants.RANGE:
            yield chr(detail[0])
        elif operation is constants.IN:
            yield from _literals(detail)
        elif operation in (constants.MAX_REPEAT, constants.MIN_REPEAT):
            yield from _literals(detail[2])
        elif operation is constants.SUBPATTERN:
            yield from _literals(detail[3])
        elif operation is constants.BRANCH:
            for one in detail[1]:
                yield from _literals(one)
