"""Output of the operator's commands: one JSON object with --json, errors in one sentence."""

import functools
import json
from collections.abc import Callable
from typing import Any

import click
from sqlalchemy.exc import OperationalError

from core.errors import DomainError
from tenants.audit import Actor, acting_as

OPERATOR = Actor("operator", "command line", "Operator")

as_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def operator_command(command: Callable[..., Any]) -> Callable[..., Any]:
    """Print a DomainError as one sentence and exit with code 1, without a traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            with acting_as(OPERATOR):
                return command(*args, **kwargs)
        except DomainError as error:
            raise click.ClickException(error.message) from None
        except OperationalError:
            raise click.ClickException(
                "The database does not answer. Is the service running? `make run` starts it."
            ) from None

    return wrapped


def print_result(facts: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        click.echo(f"{name}: {value}")
