"""The operator's commands: `flask --app wsgi tenants create …`. One JSON object with --json."""

import secrets
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import AppGroup
from flask_migrate import upgrade

from core import leases
from core.db import global_scope, tenant_scope
from messaging import sending
from messaging.linked import KIND as LINKED
from messaging.linked.store import Store
from portal.newborn import equip
from portal.operator import demo
from portal.operator.plan_commands import plan_commands
from portal.operator.telling import as_json, show, told
from restaurant import sites
from tenants import accounts, keys, people, resealing
from tenants.passwords import hash_password
from tenants.rights import SCOPES

tenants = AppGroup("tenants", help="Make, suspend and resume tenants.")
key_commands = AppGroup("keys", help="Make API keys.")
people_commands = AppGroup("people", help="Rights of people.")
secret_commands = AppGroup("secrets", help="Encryption at rest.")
host_commands = AppGroup("hosts", help="Host names of restaurants.")
demo_commands = AppGroup("demo", help="The demo tenants.")
local = AppGroup("local", help="What `make run` needs.")


@tenants.command("create")
@click.argument("name")
@click.option("--owner-email", required=True)
@click.option("--password", help="For a new person; made up and printed when not given.")
@click.option("--plan", default="trial", show_default=True)
@as_json
@told
def create_tenant(
    name: str, owner_email: str, password: str | None, plan: str, as_json: bool
) -> None:
    """Make a tenant with an owner, a live key with all scopes, and a test key."""
    chosen = password or secrets.token_urlsafe(12)
    hashed = hash_password(chosen, owner_email)
    facts: dict[str, Any]
    with tenant_scope(accounts.reserve_id()):
        owner = people.find(owner_email)
        known = owner is not None
        if owner is None:
            local_part = owner_email.partition("@")[0]
            owner = people.register(owner_email, local_part, hashed, verified=True)
        tenant = accounts.create(name, owner, plan)
        equip(live=not current_app.extensions["comanda"].production)
        _, live = keys.create("Operator-made key", "live", list(SCOPES))
        _, test = keys.create("Operator-made test key", "test", list(SCOPES))
        facts = {
            "tenant_id": tenant.id,
            "owner_email": owner.email,
            "api_key": live,
            "test_key": test,
        }
    if password is None and not known:
        facts["password"] = chosen
    show(facts, as_json)


@tenants.command("suspend")
@click.argument("tenant_id", type=int)
@click.option("--because", default="by the operator", show_default=True)
@told
def suspend_tenant(tenant_id: int, because: str) -> None:
    """The API answers 401 at once; sends are held; nothing is lost."""
    with tenant_scope(tenant_id):
        accounts.suspend(because)
        name = accounts.get(tenant_id).name
    accounts.forget_facts(tenant_id)
    click.echo(f"{name} is suspended.")


@tenants.command("resume")
@click.argument("tenant_id", type=int)
@told
def resume_tenant(tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        accounts.resume()
        sending.look_again()
        name = accounts.get(tenant_id).name
    accounts.forget_facts(tenant_id)
    click.echo(f"{name} is active.")


@key_commands.command("create")
@click.option("--tenant", "tenant_id", type=int, required=True)
@click.option("--scopes", required=True, help="Separated by commas, or `all`.")
@click.option("--mode", type=click.Choice(keys.MODES), default="live", show_default=True)
@click.option("--name", default="Operator-made key", show_default=True)
@as_json
@told
def create_key(tenant_id: int, scopes: str, mode: str, name: str, as_json: bool) -> None:
    wanted = list(SCOPES) if scopes == "all" else [s.strip() for s in scopes.split(",")]
    with tenant_scope(tenant_id):
        accounts.get(tenant_id)
        key, secret = keys.create(name, mode, wanted)
        facts = {"key_id": key.id, "api_key": secret, "mode": mode, "scopes": key.scopes}
    show(facts, as_json)


@people_commands.command("operator")
@click.argument("email")
@click.option("--off", is_flag=True, help="Take the role away.")
@told
def make_operator(email: str, off: bool) -> None:
    """Let a person into the operator console."""
    with global_scope():
        person = people.find(email)
        if person is None:
            raise click.ClickException(f"There is nobody with the address {email}.")
        person.operator = not off
        people.note(person.id, "operator_off" if off else "operator_on")
    click.echo(f"{email} is {'no longer ' if off else ''}an operator.")


@secret_commands.command("rotate")
@click.option("--hosts-done", is_flag=True, help="It was run where LINKED_STORE_URL is set.")
@told
def rotate_secrets(hosts_done: bool) -> None:
    """Seal every stored secret again with the first key of ENCRYPTION_KEYS."""
    outcome = resealing.reseal_everything()
    store_url = current_app.extensions["comanda"].linked_store_url
    if store_url:
        store = Store(store_url)
        store.prepare()
        done, unreadable = store.reseal()
        outcome.done, outcome.unreadable = outcome.done + done, outcome.unreadable + unreadable
    click.echo(f"{outcome.done} secrets sealed with the new key.")
    with global_scope():
        phones = leases.count(LINKED)
    if phones and not store_url and not hosts_done:
        raise click.ClickException(
            f"Not done yet: the sessions of {phones} linked phones are in the hosts' own database."
            " Run this command where LINKED_STORE_URL is set, then here with --hosts-done."
        )
    if outcome.unreadable:
        raise click.ClickException(
            f"{outcome.unreadable} secrets open with no key of ENCRYPTION_KEYS; keep the old keys."
        )


@host_commands.command("waiting")
@told
def waiting_hosts() -> None:
    """Host names of restaurants that wait for a confirmation."""
    for tenant_id in accounts.every_tenant(because="the operator confirms host names"):
        with tenant_scope(tenant_id):
            for site in sites.waiting_for_host():
                click.echo(f"{site.host_pending}  {site.name}, tenant {tenant_id}")


@host_commands.command("confirm")
@click.argument("host")
@click.option("--tenant", "tenant_id", type=int, required=True)
@told
def confirm_host(host: str, tenant_id: int) -> None:
    """Serve a restaurant's menu at its own host name. Make sure first that the name is theirs."""
    with tenant_scope(tenant_id):
        for site in sites.waiting_for_host():
            if site.host_pending == host.lower():
                sites.confirm_host(site)
                click.echo(f"{site.host} shows the menu of {site.name}.")
                return
    raise click.ClickException(f"No restaurant of tenant {tenant_id} has asked for {host}.")


@demo_commands.command("load")
@as_json
@told
def load_demo(as_json: bool) -> None:
    show(demo.load(current_app.extensions["comanda"]), as_json)


@demo_commands.command("reset")
@as_json
@told
def reset_demo(as_json: bool) -> None:
    """Erase the demo tenants and load them afresh."""
    settings = current_app.extensions["comanda"]
    demo.erase(settings)
    loaded = demo.load(settings)
    if as_json:
        show(loaded, as_json)
        return
    for login in loaded["logins"]:
        click.echo(f"{login['email']}  {login['password']}  {login['role']}, {login['tenant']}")
    click.echo(f"API key   {loaded['api_key']}")
    click.echo(f"Test key  {loaded['test_key']}")


@local.command("prepare")
@as_json
@told
def prepare(as_json: bool) -> None:
    """Bring the schema up to date and load the demo, in one process."""
    upgrade(directory="migrations")
    show(demo.load(current_app.extensions["comanda"]), as_json)


def add_commands(app: Flask) -> None:
    groups = (tenants, key_commands, people_commands, secret_commands, demo_commands, local)
    for group in (*groups, host_commands, plan_commands):
        app.cli.add_command(group)
