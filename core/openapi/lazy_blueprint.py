"""Routes that work at once and are described only when the OpenAPI document is requested.

Building the document takes seconds. Few processes ever serve it, so it must not slow the start of
all of them.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from flask_openapi3 import utils
from flask_openapi3.blueprint import APIBlueprint
from flask_openapi3.openapi import OpenAPI
from flask_openapi3.types import ParametersTuple
from flask_openapi3.utils import parse_parameters

# The framework asks for the schema of the same few models at every answer of every call.
utils.get_model_schema = cache(utils.get_model_schema)


class Components(dict[str, Any]):
    """The document's schemas. Raises RuntimeError if two different ones have the same name."""

    def update(self, *more: Any, **named: Any) -> None:
        for name, schema in dict(*more, **named).items():
            known = self.setdefault(name, schema)
            if known != schema:
                raise RuntimeError(f"two schemas share the name {name}: give them distinct names")


class LazyBlueprint(APIBlueprint):
    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.components_schemas = Components()
        self._later: list[tuple[str, Callable[..., Any], dict[str, Any]]] = []

    def _collect_openapi_info(
        self, rule: str, func: Callable[..., Any], **options: Any
    ) -> ParametersTuple:
        self._later.append((rule, func, options))
        found = parse_parameters(func, doc_ui=False)
        # The view needs the models too: the endpoint checks a request before it is validated.
        func.query_model, func.body_model = found[3], found[5]  # type: ignore[attr-defined]
        return found

    def describe(self, app: OpenAPI) -> None:
        """Add the descriptions of this blueprint's routes to the app's document."""
        later, self._later = self._later, []
        for rule, func, options in later:
            super()._collect_openapi_info(rule, func, **options)
        for tag in self.tags:
            if tag.name not in app.tag_names:
                app.tags.append(tag)
                app.tag_names.append(tag.name)
        app.paths.update(self.paths)
        app.components_schemas.update(self.components_schemas)
