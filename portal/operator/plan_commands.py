"""`flask --app wsgi plans …`: the price list from the command line."""

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any

import click
from flask.cli import AppGroup

from core.db import global_scope
from portal.operator import plan_actions
from portal.operator.command_output import as_json, operator_command, print_result
from tenants.plans import price_list
from tenants.plans.catalog import every_plan, get_plan
from tenants.plans.price_list import PlanDraft

plan_commands = AppGroup("plans", help="See, add, change and retire plans.")

NO_LIMIT = "none"
NUMBERS = {
    "position": "Place in the list.",
    "rate_per_second": "Requests per second.",
    "burst": "Requests at once.",
    "monthly_messages": "Messages a month, or none.",
    "spend_cap_usd": "Spend cap in USD, or none.",
    "trial_days": "Days of trial, or none.",
    "trial_messages": "Messages in the trial, or none.",
    "most_lines": "Lines, or none.",
    "most_members": "People in the team, or none.",
    "most_sites": "Sites, or none.",
}


def plan_options(command: Any) -> Any:
    """The options that set a plan's limits and prices."""
    for name, words in reversed(NUMBERS.items()):
        command = click.option(f"--{name.replace('_', '-')}", name, help=words)(command)
    price = click.option(
        "--price", "prices", multiple=True, help="Such as 'USD 19.00'; the first is the plan's own."
    )
    return click.option("--name")(price(command))


@plan_commands.command("list")
@as_json
@operator_command
def list_plans(as_json: bool) -> None:
    with global_scope():
        counts = price_list.count_by_plan()
        rows = {plan.code: _facts(plan.code, counts) for plan in every_plan()}
    if as_json:
        print_result({"plans": list(rows.values())}, True)
        return
    for code, facts in rows.items():
        click.echo(f"{code}: {', '.join(f'{key} {value}' for key, value in facts.items())}")


@plan_commands.command("add")
@click.argument("code")
@plan_options
@as_json
@operator_command
def add_plan(code: str, as_json: bool, **options: Any) -> None:
    blank = PlanDraft(code, Decimal(0), "USD", {}, position=10, rate_per_second=20, burst=40)
    plan_actions.add(code, _draft(blank, options))
    _print_plan(code, as_json)


@plan_commands.command("change")
@click.argument("code")
@plan_options
@click.option(
    "--whom", type=click.Choice(plan_actions.PRICE_AUDIENCES), default="renewal", show_default=True
)
@as_json
@operator_command
def change_plan(code: str, whom: str, as_json: bool, **options: Any) -> None:
    """A new price applies from each account's next payment, unless --whom says otherwise."""
    with global_scope():
        draft = price_list.as_draft(get_plan(code))
    plan_actions.change(code, _draft(draft, options), whom)
    _print_plan(code, as_json)


@plan_commands.command("retire")
@click.argument("code")
@operator_command
def retire_plan(code: str) -> None:
    """No new account can choose the plan; accounts that have it keep it."""
    plan_actions.retire(code)
    click.echo(f"{code} is retired.")


@plan_commands.command("offer")
@click.argument("code")
@operator_command
def offer_plan(code: str) -> None:
    plan_actions.offer(code)
    click.echo(f"{code} is given again.")


@plan_commands.command("base")
@click.argument("code")
@operator_command
def base_plan(code: str) -> None:
    """Accounts whose paid plan has expired move to this plan."""
    plan_actions.make_base(code)
    click.echo(f"Accounts fall back to {code}.")


def _draft(draft: PlanDraft, options: dict[str, Any]) -> PlanDraft:
    values: dict[str, Any] = {}
    if options["name"]:
        values["name"] = options["name"]
    if options["prices"]:
        (currency, amount), *others = price_list.read_prices("\n".join(options["prices"])).items()
        values |= {"price": amount, "currency": currency, "prices": dict(others)}
    for name in NUMBERS:
        if options[name] is not None:
            values[name] = _number(name, options[name])
    return replace(draft, **values)


def _number(name: str, text: str) -> Any:
    if text == NO_LIMIT and name not in ("position", "rate_per_second", "burst"):
        return None
    try:
        number = Decimal(text) if name == "spend_cap_usd" else int(text)
    except (ValueError, InvalidOperation):
        number = Decimal(-1)
    if not 0 <= number < 2**31:
        option = name.replace("_", "-")
        raise click.ClickException(f"--{option}: {text!r} is not a number that fits.")
    return number


def _facts(code: str, counts: dict[str, int]) -> dict[str, Any]:
    plan = get_plan(code)
    draft = price_list.as_draft(plan)
    prices = {draft.currency: draft.price, **draft.prices}
    return {
        "code": code,
        "name": plan.name,
        "prices": {currency: f"{amount:f}" for currency, amount in prices.items()},
        "accounts": counts.get(code, 0),
        "base": plan.base,
        "retired": plan.retired_at is not None,
        **{name: _plain(getattr(plan, name)) for name in NUMBERS},
    }


def _plain(value: Any) -> Any:
    return f"{value:f}" if isinstance(value, Decimal) else value


def _print_plan(code: str, as_json: bool) -> None:
    with global_scope():
        print_result(_facts(code, price_list.count_by_plan()), as_json)
