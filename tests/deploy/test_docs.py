"""What the pages name must be there: files, commands, make targets, settings."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import click

from core.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "deploy").rglob("*.md"),
    ]
)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")
FOLDERS = (
    *("api", "bench", "clients", "core", "deploy", "docs", "jobs", "messaging", "migrations"),
    *("portal", "printing", "restaurant", "tenants", "tests", "webhooks"),
)
MADE_AT_INSTALL = {"deploy/.env", "deploy/comanda.env", "deploy/tls"}
PLACE = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./@-]+)`")


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in LINK.findall(page.read_text()):
            assert (page.parent / target).exists(), (page, target)


def test_places_in_the_code_exist() -> None:
    for page in PAGES:
        for place in set(PLACE.findall(page.read_text())) - MADE_AT_INSTALL:
            assert (ROOT / place).exists(), (page, place)


def test_flask_commands_exist(app: object) -> None:
    command = re.compile(
        r"(?:flask --app wsgi|(?<!from )\bcomanda) ((?:[a-z]+ )?[a-z]+(?:-[a-z]+)*)"
    )
    of_command_line = _commands_of_the_command_line()
    for page in PAGES:
        for words in command.findall(_code(page)):
            if "operations" not in page.parts and words.split()[0] in of_command_line:
                continue
            found: object = app.cli
            for word in words.split():
                if not isinstance(found, click.Group):
                    break
                assert word in found.commands, f"{page}: flask --app wsgi {words}"
                found = found.commands[word]


def _commands_of_the_command_line() -> set[str]:
    """`comanda` is also the tool in clients/cli, which only operators' pages do not mean."""
    source = (ROOT / "clients" / "cli" / "comanda_cli.py").read_text()
    found = set(re.findall(r'add\(commands, "([a-z]+)"', source)) | {"events"}
    assert {"login", "listen", "trigger"} <= found
    return found


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    for page in PAGES:
        assert set(re.findall(r"\bmake ([a-z-]+)\b", _code(page))) <= targets, page


def test_it_does_not_speak_of_settings_we_do_not_have() -> None:
    known = {name.upper() for name in Settings.model_fields}
    others = ("GRANIAN_", "GUNICORN_", "AWS_", "COMANDA_", "POSTGRES_", "PROMETHEUS_", "BENCH_")
    beside = ("REQUIRE_BROWSER", "INNER_LAYERS")
    for page in PAGES:
        for name in re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", page.read_text()):
            assert name in known or name in beside or name.startswith(others), (page, name)


def test_every_decision_has_the_three_parts_and_its_number() -> None:
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert [page.name[:4] for page in pages] == [f"{n:04}" for n in range(1, len(pages) + 1)]
    index = (ROOT / "docs" / "README.md").read_text()
    for page in pages:
        headings = re.findall(r"(?m)^## (.+)$", page.read_text())
        assert headings == ["Context", "Decision", "Consequences"], page.name
        assert f"decisions/{page.name}" in index


def test_one_version_everywhere() -> None:
    version = _version("pyproject.toml")
    assert _version("clients/python/pyproject.toml") == version
    assert _version("clients/cli/pyproject.toml") == version
    for file in ("clients/typescript/package.json", "clients/php/composer.json"):
        assert json.loads((ROOT / file).read_text())["version"] == version
    assert re.findall(r"(?m)^## (\S+)", (ROOT / "CHANGELOG.md").read_text())[0] == version
    for page in ("docs/operations/install.md", "docs/tr/operations/install.md"):
        assert f"--branch v{version} " in (ROOT / page).read_text()


def test_shell_in_the_pages_is_shell() -> None:
    for page in PAGES:
        for block in re.findall(r"(?ms)^```sh\n(.*?)^```", page.read_text()):
            done = subprocess.run(
                ["sh", "-n"], input=block, text=True, capture_output=True, check=False
            )
            assert not done.returncode, f"{page.name}: {done.stderr}\n{block}"


def _version(project: str) -> str:
    found: str = tomllib.loads((ROOT / project).read_text())["project"]["version"]
    return found


def _code(page: Path) -> str:
    """Only commands in code are checked, because prose may contain the word `make`."""
    text = page.read_text()
    return "\n".join(re.findall(r"(?ms)^```sh\n(.*?)^```", text) + re.findall(r"`([^`\n]+)`", text))
