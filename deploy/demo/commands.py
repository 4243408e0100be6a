"""Commands of the demo: `flask --app wsgi demo load`, `demo reset` and `local prepare`."""

import click
from flask import Flask, current_app
from flask.cli import AppGroup
from flask_migrate import upgrade

from deploy.demo import loader as demo
from portal.operator.command_output import as_json, operator_command, print_result

demo_commands = AppGroup("demo", help="The demo tenants.")


local_commands = AppGroup("local", help="What `make run` needs.")


@demo_commands.command("load")
@as_json
@operator_command
def load_demo(as_json: bool) -> None:
    print_result(demo.load(current_app.extensions["comanda"]), as_json)


@demo_commands.command("reset")
@as_json
@operator_command
def reset_demo(as_json: bool) -> None:
    """Delete the demo tenants and load them again."""
    settings = current_app.extensions["comanda"]
    demo.erase(settings)
    loaded = demo.load(settings)
    if as_json:
        print_result(loaded, as_json)
        return
    for login in loaded["logins"]:
        click.echo(f"{login['email']}  {login['password']}  {login['role']}, {login['tenant']}")
    click.echo(f"API key   {loaded['api_key']}")
    click.echo(f"Test key  {loaded['test_key']}")


@local_commands.command("prepare")
@as_json
@operator_command
def prepare(as_json: bool) -> None:
    """Migrate the database and load the demo, in one process."""
    upgrade(directory="migrations")
    print_result(demo.load(current_app.extensions["comanda"]), as_json)


def add_demo_commands(app: Flask) -> None:
    for group in (demo_commands, local_commands):
        app.cli.add_command(group)
