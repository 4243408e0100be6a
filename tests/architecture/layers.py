"""The layers, and what a module of each may import."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

# From top to bottom. A package imports itself and lower layers, never a package of the same layer.
LAYERS = (
    ("wsgi",),
    ("portal", "api", "jobs"),
    ("restaurant",),
    ("messaging", "printing"),
    ("webhooks",),
    ("tenants",),
    ("core",),
)
DEPTH = {room: depth for depth, floor in enumerate(LAYERS) for room in floor}
# Packages outside the layers: they may import themselves and the packages listed here.
SIDE_PACKAGES = {"deploy": {"core", "printing"}, "migrations": {"core"}}
# The demo fills every domain with data, and `wsgi` registers its commands.
DEMO = ("deploy", "demo")
OURS = {*DEPTH, *SIDE_PACKAGES, "tests"}
MAY_USE_REQUEST = {"wsgi", "portal", "api"}
REQUEST_NAMES = {"request", "session", "g", "has_request_context", "copy_current_request_context"}
REQUEST_MODULES = ("flask.globals", "flask.ctx", "flask_login", "flask_wtf")


def modules() -> Iterator[Path]:
    """Every Python file of the project except tests, as a path relative to the root."""
    for room in (*DEPTH, *SIDE_PACKAGES):
        if (ROOT / f"{room}.py").is_file():
            yield Path(f"{room}.py")
        for found in sorted((ROOT / room).rglob("*.py")):
            yield found.relative_to(ROOT)


def layer_violations(path: Path, source: str) -> list[str]:
    """Imports in this module that its package may not use."""
    room = path.parts[0].removesuffix(".py")
    tree = ast.parse(source)
    found = []
    for node in ast.walk(tree):
        for module, names in _imported(node):
            other = module.partition(".")[0]
            if other in OURS and not _may_import(path, room, other, module):
                found.append(f"{path}:{node.lineno} imports {module}")
            if room not in MAY_USE_REQUEST and _uses_request(module, names):
                found.append(f"{path}:{node.lineno} knows the request through {module}")
    if room == "deploy":  # each command imports only what it needs
        return found
    return found + [
        f"{path}:{line} imports {name} inside a function"
        for line, name in imports_inside_functions(tree)
    ]


def imports_inside_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports of the project inside functions, where they hide a cycle."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                for module, _ in _imported(node):
                    if module.partition(".")[0] in OURS:
                        yield node.lineno, module


def _imported(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, set()
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield node.module or "", {alias.name for alias in node.names}


def _may_import(path: Path, room: str, other: str, module: str) -> bool:
    if path.parts[:2] == ("printing", "agent"):
        return module == "printing.agent" or module.startswith("printing.agent.")
    if path.parts[:2] == DEMO:
        return (other in DEPTH and other != "wsgi") or other == "deploy"
    if room == "wsgi" and module.startswith("deploy.demo"):
        return True
    if other == room:
        return True
    if room in SIDE_PACKAGES:
        return other in SIDE_PACKAGES[room]
    return room in DEPTH and other in DEPTH and DEPTH[other] > DEPTH[room]


def _uses_request(module: str, names: set[str]) -> bool:
    return (module == "flask" and bool(names & REQUEST_NAMES)) or module.startswith(REQUEST_MODULES)
