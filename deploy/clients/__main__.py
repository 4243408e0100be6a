"""`python -m deploy.clients`: write the generated files of the clients."""

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from core.openapi.document import openapi_document
from core.security.encryption import Keyring
from core.settings import load_settings
from deploy.clients.operations import read_operations
from deploy.clients.php import php_source
from deploy.clients.typescript import script, types

CLIENTS = Path(__file__).parents[2] / "clients"


def generated_files(document: dict[str, Any]) -> dict[Path, str]:
    found, schemas = list(read_operations(document)), document["components"]["schemas"]
    names = [one.name for one in found]
    if len(set(names)) != len(names):
        raise RuntimeError(f"two calls share a name: {sorted(names)}")
    return {
        CLIENTS / "typescript" / "operations.js": script(found),
        CLIENTS / "typescript" / "operations.d.ts": types(found, schemas),
        CLIENTS / "php" / "src" / "Operations.php": php_source(found, schemas),
    }


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(
            app_env="test",
            data_dir=Path(folder),
            base_url="https://comanda.example.com",
            database_url="postgresql://nobody@127.0.0.1:9/none",
            redis_url="redis://127.0.0.1:9/0",
            secret_key="only to read the document",  # noqa: S106
            encryption_keys=Keyring.new_entry("k1"),
        )
        app = import_module("wsgi").build_app(settings)  # by name, as a web server loads it
        for path, text in generated_files(openapi_document(app)).items():
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path.relative_to(CLIENTS.parent)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
