"""The price list as operators edit it. Issued invoices never change."""

import re
from dataclasses import asdict, dataclass, fields
from decimal import Decimal
from typing import Any

from sqlalchemy import delete, func, select

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.errors import Conflict, NotFound, invalid
from core.values.money import BadMoney, decimal_places, parse_money, quantize
from tenants import accounts, audit
from tenants.models import Tenant
from tenants.people import clean_name
from tenants.plans.catalog import Price, every_plan, get_plan, other_prices, price_for
from tenants.plans.models import Plan, PlanChange, PlanPrice

SIGNUP_PLAN = "trial"  # the plan of a new sign-up
MAX_PRICE = Decimal(1_000_000)
MAX_PRICES = 20
CODE = re.compile(r"[a-z][a-z0-9-]{1,29}")


@dataclass(frozen=True)
class PlanDraft:
    """All editable fields of a plan."""

    name: str
    price: Decimal
    currency: str
    prices: dict[str, Decimal]
    """In other currencies than its own."""
    position: int
    rate_per_second: int
    burst: int
    monthly_messages: int | None = None
    spend_cap_usd: Decimal | None = None
    trial_days: int | None = None
    trial_messages: int | None = None
    most_lines: int | None = None
    most_members: int | None = None
    most_sites: int | None = None


PLAIN_FIELDS = tuple(field.name for field in fields(PlanDraft) if field.name != "prices")


def read_prices(lines: str) -> dict[str, Decimal]:
    """Parse `EUR 17.50`, one price per line. Raises Invalid."""
    found: dict[str, Decimal] = {}
    for line in filter(None, (line.strip() for line in lines.splitlines())):
        currency, _, amount = line.partition(" ")
        try:
            decimal_places(currency.upper())
            sum_ = parse_money(amount.strip(), currency.upper())
        except BadMoney:
            raise invalid(
                "prices",
                "invalid_price",
                "“{line}” is not a price. Enter a currency and an amount, such as EUR 17.50.",
                line=line[:40],
            ) from None
        if currency.upper() in found:
            raise invalid(
                "prices",
                "price_twice",
                "{currency} has two prices. Enter only one.",
                currency=currency,
            )
        found[currency.upper()] = sum_
    return found


def write_prices(prices: dict[str, Decimal]) -> str:
    return "\n".join(f"{currency} {amount:f}" for currency, amount in prices.items())


def as_draft(plan: Plan) -> PlanDraft:
    others = other_prices().get(plan.code, {}).items()
    values = {name: getattr(plan, name) for name in PLAIN_FIELDS}
    values["price"] = quantize(plan.price, plan.currency)
    return PlanDraft(prices={code: quantize(amount, code) for code, amount in others}, **values)


def add_plan(code: str, draft: PlanDraft) -> Plan:
    """In a global transaction, like the other functions that edit plans."""
    if not CODE.fullmatch(code):
        raise invalid(
            "code",
            "invalid_code",
            "The code must be 2 to 30 lowercase letters, digits and hyphens, such as team-2027.",
        )
    if any(plan.code == code for plan in every_plan()):
        raise Conflict("code_taken", "There is already a plan with this code.")
    checked = _checked(draft, code, base=False)
    plan = Plan(code=code, base=False, **{name: getattr(checked, name) for name in PLAIN_FIELDS})
    db.session.add(plan)
    _set_prices(code, checked)
    _record_change(
        code, "added", {name: _as_json(value) for name, value in asdict(checked).items()}
    )
    db.session.flush()
    return plan


def list_changes(code: str, draft: PlanDraft) -> dict[str, list[Any]]:
    """What would change: old and new value by field. Raises Invalid for a draft that is not
    allowed.
    """
    plan = get_plan(code)
    before, after = as_draft(plan), _checked(draft, code, base=plan.base)
    return {
        name: [_as_json(getattr(before, name)), _as_json(getattr(after, name))]
        for name in (*PLAIN_FIELDS, "prices")
        if getattr(before, name) != getattr(after, name)
    }


def change_plan(code: str, draft: PlanDraft, **more: object) -> dict[str, list[Any]]:
    """From now on; accounts pay a new price with their next payment. Returns the changes."""
    found = list_changes(code, draft)
    if found:
        plan = get_plan(code)
        checked = _checked(draft, code, base=plan.base)
        for name in PLAIN_FIELDS:
            setattr(plan, name, getattr(checked, name))
        _set_prices(code, checked)
        _record_change(code, "changed", {**found, **more})
    return found


def retire_plan(code: str) -> None:
    plan = get_plan(code)
    if plan.base:
        raise Conflict("base_plan", "This is the fallback plan. Set another fallback plan first.")
    if code == SIGNUP_PLAN:
        raise Conflict(
            "first_plan", "This plan cannot be retired because new accounts start with it."
        )
    if plan.retired_at is None:
        plan.retired_at = now()
        _record_change(code, "retired", {})


def offer_again(code: str) -> None:
    plan = get_plan(code)
    if plan.retired_at is not None:
        plan.retired_at = None
        _record_change(code, "offered", {})


def set_base_plan(code: str) -> None:
    plan = get_plan(code)
    if plan.retired_at is not None or plan.trial_days is not None or _costs(as_draft(plan)):
        raise Conflict("not_a_base", "The fallback plan must be available, free and not a trial.")
    if not plan.base:
        for other in every_plan():
            other.base = other.code == code
        _record_change(code, "base", {})


def keep_price(code: str) -> None:
    """In a tenant's transaction: later price changes do not affect what this account pays for its
    plan.
    """
    own = accounts.account()
    price = price_for(get_plan(code), own, other_prices())
    own.kept_plan, own.kept_price, own.kept_currency = code, price.amount, price.currency
    audit.record(
        "account.price_kept", accounts.account_name(), plan=code, price=_as_json(price.amount)
    )


def apply_changed_terms(code: str, found: dict[str, list[Any]], *, end_kept: bool) -> None:
    """In a tenant's transaction: record the new terms, and with `end_kept` end a kept price."""
    own = accounts.account()
    if end_kept and own.kept_plan == code:
        own.kept_plan = own.kept_price = own.kept_currency = None
    before, after = ({name: pair[at] for name, pair in found.items()} for at in (0, 1))
    audit.record_change(
        "account.plan_terms_changed",
        accounts.account_name(),
        before,
        after,
        shown=frozenset(found),
        plan=code,
    )
    invalidate_tenant_cache()


def current_price() -> Price:
    own = accounts.account()
    plan = get_plan(accounts.get(current_tenant_id()).plan)
    return price_for(plan, own, other_prices())


def get_or_404(code: str) -> Plan:
    """For a plan named in a URL: raises NotFound instead of Invalid."""
    found = db.session.get(Plan, code.replace("\0", ""))
    if found is None:
        raise NotFound()
    return found


def tenants_on_plan(code: str, after: int | None = None, limit: int | None = None) -> list[Tenant]:
    query = select(Tenant).where(Tenant.plan == code).order_by(Tenant.id).limit(limit)
    return list(db.session.scalars(query.where(Tenant.id > after) if after else query))


def count_by_plan() -> dict[str, int]:
    """Accounts by plan."""
    query = select(Tenant.plan, func.count()).group_by(Tenant.plan)
    return {row.plan: row[1] for row in db.session.execute(query)}


def plan_history(code: str, limit: int = 20) -> list[PlanChange]:
    query = select(PlanChange).where(PlanChange.plan == code).order_by(PlanChange.id.desc())
    return list(db.session.scalars(query.limit(limit)))


def _checked(draft: PlanDraft, code: str, *, base: bool) -> PlanDraft:
    name = clean_name(draft.name)
    same = [one for one in every_plan() if one.name.casefold() == name.casefold()]
    if any(one.code != code for one in same):
        raise invalid("name", "name_taken", "Another plan already has this name.")
    prices = {key: value for key, value in draft.prices.items() if key != draft.currency}
    if len(prices) != len(draft.prices):
        raise invalid(
            "prices",
            "price_twice",
            "{currency} has two prices. Enter only one.",
            currency=draft.currency,
        )
    if len(prices) > MAX_PRICES or any(not 0 <= one < MAX_PRICE for one in prices.values()):
        raise invalid("prices", "invalid_price", "Enter a price from 0 to 999,999.")
    try:
        price = parse_money(f"{draft.price:f}", draft.currency)
    except BadMoney:
        raise invalid(
            "price", "invalid_price", "Enter a price that is valid in its currency, such as 19.00."
        ) from None
    if not 0 <= price < MAX_PRICE:
        raise invalid("price", "invalid_price", "Enter a price from 0 to 999,999.")
    if (draft.trial_days is None) != (draft.trial_messages is None):
        raise invalid(
            "trial_messages",
            "half_a_trial",
            "Enter both days and messages for the trial, or neither.",
        )
    for field in ("rate_per_second", "burst"):
        if getattr(draft, field) < 1:
            raise invalid(field, "invalid_limit", "Must be at least {least}.", least=1)
    values = {field.name: getattr(draft, field.name) for field in fields(PlanDraft)}
    checked = PlanDraft(**{**values, "name": name, "price": price, "prices": prices})
    if base and (_costs(checked) or checked.trial_days is not None):
        raise invalid("price", "base_costs", "This is the fallback plan, so it must be free.")
    return checked


def _costs(draft: PlanDraft) -> bool:
    return bool(draft.price or any(draft.prices.values()))


def _set_prices(code: str, draft: PlanDraft) -> None:
    db.session.execute(delete(PlanPrice).where(PlanPrice.plan == code))
    for currency, amount in draft.prices.items():
        db.session.add(PlanPrice(plan=code, currency=currency, amount=amount))
    db.session.flush()


def _record_change(code: str, act: str, detail: dict[str, Any]) -> None:
    by = audit.current_actor().name
    db.session.add(PlanChange(plan=code, by=by, act=act, detail=detail))


def _as_json(value: Any) -> Any:
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, dict):
        return {key: _as_json(one) for key, one in value.items()}
    return value
