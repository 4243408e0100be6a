"""Routes of the API and the schemas of their bodies are in separate modules."""

import ast
from pathlib import Path

V1 = Path(__file__).parent.parent.parent / "api" / "v1"


def classes_in(file: Path) -> list[str]:
    body = ast.parse(file.read_text()).body
    return [node.name for node in body if isinstance(node, ast.ClassDef)]


def test_schemas_are_in_the_schemas_package():
    schemas = [file for file in V1.rglob("*.py") if "schemas" in file.relative_to(V1).parts]
    routes = [file for file in V1.rglob("*.py") if file not in schemas]
    assert sum(len(classes_in(file)) for file in schemas) > 100
    assert {file.name: classes_in(file) for file in routes if classes_in(file)} == {}
