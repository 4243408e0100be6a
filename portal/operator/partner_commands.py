"""`flask --app wsgi partners …`: partners and their keys from the command line."""

import click
from flask.cli import AppGroup

from core.db import global_scope
from portal.operator.command_output import as_json, operator_command, print_result
from tenants.partners import keys, partners
from tenants.partners.models import MOST_TENANTS

partner_commands = AppGroup("partners", help="Partners that create tenants by API.")


@partner_commands.command("create")
@click.argument("name")
@click.option("--plans", default="", help="Plans that it may choose, separated by commas.")
@click.option("--most-tenants", default=MOST_TENANTS, show_default=True)
@as_json
@operator_command
def create_partner(name: str, plans: str, most_tenants: int, as_json: bool) -> None:
    """Create a partner with its first key. The key is printed once."""
    codes = [code.strip() for code in plans.split(",") if code.strip()]
    with global_scope():
        partner = partners.add(name, codes, most_tenants)
        key, secret = keys.create(partner, "First key")
        facts = {"partner_id": partner.id, "key_id": key.id, "partner_key": secret}
    print_result(facts, as_json)


@partner_commands.command("create-key")
@click.argument("partner_id")
@click.option("--name", default="Operator-made key", show_default=True)
@as_json
@operator_command
def create_partner_key(partner_id: str, name: str, as_json: bool) -> None:
    with global_scope():
        key, secret = keys.create(partners.get(partner_id), name)
        facts = {"key_id": key.id, "partner_key": secret}
    print_result(facts, as_json)


@partner_commands.command("revoke-key")
@click.argument("partner_id")
@click.argument("key_id")
@operator_command
def revoke_partner_key(partner_id: str, key_id: str) -> None:
    with global_scope():
        name = keys.revoke(partners.get(partner_id), key_id).name
    click.echo(f"The key {name} is revoked.")
