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
DEPTH = {package: depth for depth, layer in enumerate(LAYERS) for package in layer}
# The order inside a package, from top to bottom. Modules of one row may import each other and lower
# rows. The longest name that fits a module decides.
INNER_LAYERS = {
    "messaging": (
        ("messaging.simulator",),
        ("messaging.simulated_clock",),
        ("messaging.campaigns",),
        ("messaging.journeys",),
        ("messaging.automations",),
        ("messaging.approvals",),
        ("messaging.inbox",),
        ("messaging.messages",),
        ("messaging.templates",),
        ("messaging.contacts",),
        ("messaging.links",),
        # Stored messages and files, which consent, merging and erasure of contacts change too.
        (
            "messaging.messages.queries",
            "messaging.messages.timeline",
            "messaging.messages.states",
            "messaging.messages.causes",
            "messaging.messages.media.files",
        ),
        # What ends a run: a reply of the team, an opt-out, a block.
        ("messaging.journeys.stops", "messaging.journeys.ports"),
        ("messaging.api_caller",),
        ("messaging.costs",),
        ("messaging.lines",),
        # The drivers send each kind as its module describes.
        ("messaging.messages.kinds",),
        (
            "messaging.lines.drivers.base",
            "messaging.lines.drivers.linked.client",
            "messaging.lines.drivers.cloud.templates.payload",
        ),
        ("messaging.models",),
        (
            "messaging.reasons",
            "messaging.automations.reasons",
            "messaging.journeys.reasons",
            "messaging.refusal_reasons",
            "messaging.search_index",
            "messaging.token_purposes",
        ),
    ),
    "restaurant": (
        ("restaurant.wiring", "restaurant.simulated_clock"),
        ("restaurant.journey_triggers", "restaurant.journey_orders"),
        ("restaurant.contact_sync",),
        ("restaurant.campaign_order_filters", "restaurant.menu_addresses"),
        ("restaurant.ads",),
        ("restaurant.text_orders",),
        ("restaurant.chat",),
        ("restaurant.couriers",),
        ("restaurant.feedback",),
        ("restaurant.payments",),
        ("restaurant.tabs",),
        ("restaurant.orders",),
        ("restaurant.loyalty",),
        ("restaurant.delivery",),
        ("restaurant.menus",),
        ("restaurant.sites",),
        ("restaurant.customers", "restaurant.tabs.addresses"),
        ("restaurant.models",),
        ("restaurant.chat_texts", "restaurant.own_words_texts", "restaurant.typed_phones"),
    ),
}
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
    for package in (*DEPTH, *SIDE_PACKAGES):
        if (ROOT / f"{package}.py").is_file():
            yield Path(f"{package}.py")
        for found in sorted((ROOT / package).rglob("*.py")):
            yield found.relative_to(ROOT)


def layer_violations(path: Path, source: str) -> list[str]:
    """Imports in this module that its package may not use."""
    package = path.parts[0].removesuffix(".py")
    tree = ast.parse(source)
    found = []
    for node in statements(tree):
        for module, names in _imported(node):
            other = module.partition(".")[0]
            if other in OURS and not _may_import(path, package, other, module):
                found.append(f"{path}:{node.lineno} imports {module}")
            if package not in MAY_USE_REQUEST and _uses_request(module, names):
                found.append(f"{path}:{node.lineno} knows the request through {module}")
    if package == "deploy":  # each command imports only what it needs
        return found
    return found + [
        f"{path}:{line} imports {name} inside a function"
        for line, name in imports_inside_functions(tree)
    ]


def inner_violations(path: Path, source: str) -> list[str]:
    """Imports that point upwards inside a package."""
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    layers = INNER_LAYERS.get(path.parts[0], ())
    own = _inner_depth(module, layers)
    return [
        f"{path}:{node.lineno} imports {other}"
        for node in statements(ast.parse(source))
        for package, names in _imported(node)
        if package.partition(".")[0] == path.parts[0]
        for other in {f"{package}.{name}" for name in names} or {package}
        if _inner_depth(other, layers) < own
    ]


def _inner_depth(module: str, layers: tuple[tuple[str, ...], ...]) -> int:
    fitting = [
        (len(name), depth)
        for depth, layer in enumerate(layers)
        for name in layer
        if module == name or module.startswith(f"{name}.")
    ]
    return max(fitting)[1] if fitting else len(layers)


def imports_inside_functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Imports of the project inside functions, where they hide a cycle."""
    for function in statements(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in statements(function):
                for module, _ in _imported(node):
                    if module.partition(".")[0] in OURS:
                        yield node.lineno, module


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements inside. Imports are statements, and `ast.walk` would visit ten times as many
    nodes.
    """
    waiting = [tree]
    for node in waiting:
        yield node
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            waiting += getattr(node, part, ())


def _imported(node: ast.AST) -> Iterator[tuple[str, set[str]]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, set()
    elif isinstance(node, ast.ImportFrom) and node.level == 0:
        yield node.module or "", {alias.name for alias in node.names}


def _may_import(path: Path, package: str, other: str, module: str) -> bool:
    if path.parts[:2] == ("printing", "agent"):
        return module == "printing.agent" or module.startswith("printing.agent.")
    if path.parts[:2] == DEMO:
        return (other in DEPTH and other != "wsgi") or other == "deploy"
    if package == "wsgi" and module.startswith("deploy.demo"):
        return True
    if other == package:
        return True
    if package in SIDE_PACKAGES:
        return other in SIDE_PACKAGES[package]
    return package in DEPTH and other in DEPTH and DEPTH[other] > DEPTH[package]


def _uses_request(module: str, names: set[str]) -> bool:
    return (module == "flask" and bool(names & REQUEST_NAMES)) or module.startswith(REQUEST_MODULES)
