"""The operator's commands: `flask --app wsgi tenants create …`. --json prints one object."""

import secrets
from typing import Any

import click
from flask import Flask, current_app
from flask.cli import AppGroup

from core.db import global_scope, tenant_scope
from core.queue import leases
from messaging.lines import send_lane
from messaging.lines.drivers.linked.client import LINKED_KIND as LINKED
from messaging.lines.drivers.linked.device_store import DeviceStore
from messaging.lines.simulated_line import disable_live_simulated_lines
from portal.onboarding.new_tenant import add_simulated_lines
from portal.operator.command_output import as_json, operator_command, print_result
from portal.operator.partner_commands import partner_commands
from portal.operator.plan_commands import plan_commands
from restaurant.sites import sites
from tenants import accounts, api_keys, people
from tenants.data import key_rotation
from tenants.passwords import hash_password
from tenants.rights import SCOPES

tenant_commands = AppGroup("tenants", help="Make, suspend and resume tenants.")
key_commands = AppGroup("keys", help="Make API keys.")
people_commands = AppGroup("people", help="Rights of people.")
secret_commands = AppGroup("secrets", help="Encryption at rest.")
host_commands = AppGroup("hosts", help="Host names of restaurants.")
line_commands = AppGroup("lines", help="Lines of all tenants.")


@tenant_commands.command("create")
@click.argument("name")
@click.option("--owner-email", required=True)
@click.option("--password", help="For a new person; made up and printed when not given.")
@click.option("--plan", default="trial", show_default=True)
@as_json
@operator_command
def create_tenant(
    name: str, owner_email: str, password: str | None, plan: str, as_json: bool
) -> None:
    """Create a tenant with an owner, a live key with all scopes, and a test key."""
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
        add_simulated_lines(live=not current_app.extensions["comanda"].production)
        _, live = api_keys.create("Operator-made key", "live", list(SCOPES))
        _, test = api_keys.create("Operator-made test key", "test", list(SCOPES))
        facts = {
            "tenant_id": tenant.id,
            "owner_email": owner.email,
            "api_key": live,
            "test_key": test,
        }
    if password is None and not known:
        facts["password"] = chosen
    print_result(facts, as_json)


@tenant_commands.command("suspend")
@click.argument("tenant_id", type=int)
@click.option("--because", default="by the operator", show_default=True)
@operator_command
def suspend_tenant(tenant_id: int, because: str) -> None:
    """The API answers 401 at once; messages are held, not lost."""
    with tenant_scope(tenant_id):
        accounts.suspend(because)
        name = accounts.get(tenant_id).name
    accounts.drop_tenant_cache(tenant_id)
    click.echo(f"{name} is suspended.")


@tenant_commands.command("resume")
@click.argument("tenant_id", type=int)
@operator_command
def resume_tenant(tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        accounts.resume()
        send_lane.wake_waiting_messages()
        name = accounts.get(tenant_id).name
    accounts.drop_tenant_cache(tenant_id)
    click.echo(f"{name} is active.")


@key_commands.command("create")
@click.option("--tenant", "tenant_id", type=int, required=True)
@click.option("--scopes", required=True, help="Separated by commas, or `all`.")
@click.option("--mode", type=click.Choice(api_keys.MODES), default="live", show_default=True)
@click.option("--name", default="Operator-made key", show_default=True)
@as_json
@operator_command
def create_key(tenant_id: int, scopes: str, mode: str, name: str, as_json: bool) -> None:
    scope_names = list(SCOPES) if scopes == "all" else [s.strip() for s in scopes.split(",")]
    with tenant_scope(tenant_id):
        accounts.get(tenant_id)
        key, secret = api_keys.create(name, mode, scope_names)
        facts = {"key_id": key.id, "api_key": secret, "mode": mode, "scopes": key.scopes}
    print_result(facts, as_json)


@people_commands.command("operator")
@click.argument("email")
@click.option("--off", is_flag=True, help="Take the role away.")
@operator_command
def make_operator(email: str, off: bool) -> None:
    """Give a person access to the operator console."""
    with global_scope():
        person = people.find(email)
        if person is None:
            raise click.ClickException(f"There is nobody with the address {email}.")
        person.operator = not off
        people.record_event(person.id, "operator_off" if off else "operator_on")
    click.echo(f"{email} is {'no longer ' if off else ''}an operator.")


@secret_commands.command("rotate")
@click.option("--hosts-done", is_flag=True, help="It was run where LINKED_STORE_URL is set.")
@operator_command
def rotate_secrets(hosts_done: bool) -> None:
    """Encrypt every stored secret again with the first key of ENCRYPTION_KEYS."""
    outcome = key_rotation.reencrypt_everything()
    store_url = current_app.extensions["comanda"].linked_store_url
    if store_url:
        store = DeviceStore(store_url)
        store.prepare()
        done, unreadable = store.reencrypt()
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
@operator_command
def waiting_hosts() -> None:
    """List host names of restaurants that are waiting for confirmation."""
    for tenant_id in accounts.every_tenant(because="the operator confirms host names"):
        with tenant_scope(tenant_id):
            for site in sites.pending_hosts():
                click.echo(f"{site.host_pending}  {site.name}, tenant {tenant_id}")


@host_commands.command("confirm")
@click.argument("host")
@click.option("--tenant", "tenant_id", type=int, required=True)
@operator_command
def confirm_host(host: str, tenant_id: int) -> None:
    """Serve a restaurant's menu at its own host name. First check that the restaurant owns it."""
    with tenant_scope(tenant_id):
        for site in sites.pending_hosts():
            if site.host_pending == host.lower():
                sites.confirm_host(site)
                click.echo(f"{site.host} shows the menu of {site.name}.")
                return
    raise click.ClickException(f"No restaurant of tenant {tenant_id} has asked for {host}.")


@line_commands.command("disable-simulated")
@operator_command
def disable_simulated() -> None:
    """Disable live lines on the simulated network, with which production does not start."""
    count = 0
    for tenant_id in accounts.every_tenant(because="no live line reaches simulated phones"):
        with tenant_scope(tenant_id):
            for name in disable_live_simulated_lines():
                click.echo(f"{name}, tenant {tenant_id}")
                count += 1
    click.echo(f"{count} lines disabled.")


def add_operator_commands(app: Flask) -> None:
    groups = (
        tenant_commands,
        key_commands,
        people_commands,
        secret_commands,
    )
    for group in (*groups, host_commands, line_commands, partner_commands, plan_commands):
        app.cli.add_command(group)
