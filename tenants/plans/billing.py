"""Months of a plan paid by card, and their invoices.

The provider's answer decides whether a payment was made; this module applies the consequences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, invalidate_tenant_cache
from core.errors import Conflict, NotFound, invalid
from core.values.money import quantize
from core.values.text import BadText, normalize_text, one_line
from tenants import accounts, audit
from tenants.plans import renewals
from tenants.plans.catalog import Price, get_plan, other_prices, price_for
from tenants.plans.invoice_pdf import InvoiceContent, render_invoice
from tenants.plans.models import Invoice, InvoiceYear, PlanPayment

LINK_LIFETIME = timedelta(hours=2)
MAX_LISTED = 60


@dataclass(frozen=True)
class InvoiceTerms:
    """The operator's side of an invoice."""

    issuer: str
    tax_name: str
    tax_percent: Decimal


@dataclass(frozen=True)
class InvoiceAmount:
    """The amounts of an invoice."""

    plan: str
    net: Decimal
    tax: Decimal
    tax_percent: Decimal
    currency: str


@dataclass(frozen=True)
class InvoiceDetails:
    """The customer's side of an invoice."""

    name: str
    address: str
    tax_number: str


def monthly_price(code: str, terms: InvoiceTerms) -> tuple[Decimal, Decimal, str]:
    """Net, tax and currency of a month."""
    own = accounts.account()
    return with_tax(price_for(get_plan(code), own, other_prices()), terms)


def with_tax(price: Price, terms: InvoiceTerms) -> tuple[Decimal, Decimal, str]:
    net = quantize(price.amount, price.currency)
    return net, quantize(net * terms.tax_percent / 100, price.currency), price.currency


def start_payment(code: str, terms: InvoiceTerms, provider: str) -> PlanPayment:
    net, tax, currency = monthly_price(code, terms)
    if not net:
        raise Conflict("not_for_sale", "This plan cannot be bought by card. Contact us to get it.")
    renewals.check_plan_available(code)
    payment = PlanPayment(
        tenant_id=current_tenant_id(),
        plan=code,
        net=net,
        tax=tax,
        currency=currency,
        provider=provider,
        made_by=audit.current_actor().name,
        expires_at=now() + LINK_LIFETIME,
    )
    db.session.add(payment)
    db.session.flush()
    return payment


def mark_open(payment_id: str, ref: str, url: str) -> None:
    _change_state(payment_id, "making", state="open", ref=ref, url=url)


def mark_failed(payment_id: str) -> None:
    _change_state(payment_id, ("making", "open"), state="failed")


def open_payments() -> list[PlanPayment]:
    """Payments whose status must be fetched from the provider."""
    query = (
        select(PlanPayment)
        .where(PlanPayment.tenant_id == current_tenant_id(), PlanPayment.state == "open")
        .order_by(PlanPayment.made_at.desc())
        .limit(20)
    )
    return list(db.session.scalars(query))


def record_payment(payment_id: str, ref: str, at: datetime, terms: InvoiceTerms) -> Invoice | None:
    """Apply the plan, the month and the invoice in one transaction. None: it was done before."""
    moved = _change_state(payment_id, "open", state="paid", payment_ref=ref, paid_at=at)
    if not moved:
        return None
    payment = db.session.get_one(PlanPayment, (current_tenant_id(), payment_id))
    tenant = accounts.get(current_tenant_id())
    own = renewals.locked_account()
    begins = at.date()
    if own.paid_until is not None and tenant.plan == payment.plan:
        begins = own.paid_until + timedelta(days=1)  # the days of grace belong to the month
        if _month_after(begins) <= at.date():
            begins = at.date()
    ends = _month_after(begins) - timedelta(days=1)
    renewals.apply_renewal(payment.plan, ends)
    total = InvoiceAmount(
        payment.plan, payment.net, payment.tax, terms.tax_percent, payment.currency
    )
    invoice = _issue(total, terms, begins, ends)
    payment.invoice = invoice.code
    audit.record("account.plan_paid", tenant.name, plan=payment.plan, invoice=invoice.code)
    invalidate_tenant_cache()
    return invoice


def list_invoices() -> list[Invoice]:
    """Newest first."""
    query = (
        select(Invoice)
        .where(Invoice.tenant_id == current_tenant_id())
        .order_by(Invoice.year.desc(), Invoice.number.desc())
        .limit(MAX_LISTED)
    )
    return list(db.session.scalars(query))


def get_invoice(code: str) -> Invoice:
    found = get_any_invoice(code)
    if found.tenant_id != current_tenant_id():
        raise NotFound()
    return found


def get_any_invoice(code: str) -> Invoice:
    """For the operator, who issued them all. Raises NotFound."""
    year, _, number = code.partition("-")
    plain = all(part.isascii() and part.isdigit() and len(part) < 9 for part in (year, number))
    found = db.session.get(Invoice, (int(year), int(number))) if plain else None
    if found is None:
        raise NotFound()
    return found


def list_all_invoices(before: tuple[int, int] | None, limit: int) -> list[Invoice]:
    query = select(Invoice).order_by(Invoice.year.desc(), Invoice.number.desc()).limit(limit)
    if before is not None:
        year, number = before
        query = query.where(
            (Invoice.year < year) | ((Invoice.year == year) & (Invoice.number < number))
        )
    return list(db.session.scalars(query))


def request_plan(code: str) -> None:
    """Ask the operator for another plan. Raises Conflict if it is the current one."""
    tenant, plan = accounts.get(current_tenant_id()), get_plan(code)
    renewals.check_plan_available(code)
    if tenant.plan == plan.code:
        raise Conflict("same_plan", "You already have this plan.")
    if tenant.wanted_plan == plan.code:
        return
    tenant.wanted_plan, tenant.wanted_at = plan.code, now()
    tenant.wanted_by = audit.current_actor().name
    audit.record("account.plan_wanted", tenant.name, plan=plan.code)


def withdraw_plan_request() -> None:
    tenant = accounts.get(current_tenant_id())
    if tenant.wanted_plan is not None:
        audit.record("account.plan_wish_withdrawn", tenant.name, plan=tenant.wanted_plan)
        tenant.wanted_plan = tenant.wanted_at = None


def change_billing_address(name: str, address: str, tax_number: str) -> None:
    own = accounts.account()
    before = audit.snapshot(own)
    try:
        own.billing_name, own.billing_address = one_line(name), normalize_text(address)
        own.billing_tax_number = one_line(tax_number)
    except BadText:
        raise invalid(
            "billing_address", "invalid_text", "The text contains an invalid character."
        ) from None
    name = accounts.get(current_tenant_id()).name
    audit.record_change("account.billing_changed", name, before, own, shown=frozenset())


def correct_invoice(
    code: str, details: InvoiceDetails, period: tuple[date, date], terms: InvoiceTerms
) -> Invoice:
    """Issue the same amount again with a new number and other details, naming the invoice it
    replaces.

    The account keeps the details for future invoices. An invoice can be corrected once: later
    corrections are made to the newest one. Raises Conflict or Invalid.
    """
    old = get_invoice(code)
    replacement = replaced_by([old]).get(old.code)
    if replacement:
        raise Conflict(
            "already_corrected",
            "Invoice {number} replaced this one. Correct that invoice instead.",
            number=replacement,
        )
    begins, ends = period
    if not begins <= ends:
        raise invalid("ends", "invalid_period", "The last day cannot be before the first day.")
    change_billing_address(details.name, details.address, details.tax_number)
    made = _issue(
        InvoiceAmount(old.plan, old.net, old.tax, old.tax_percent, old.currency),
        terms,
        begins,
        ends,
        old.code,
    )
    name = accounts.get(current_tenant_id()).name
    audit.record("account.invoice_corrected", name, invoice=made.code, replaces=old.code)
    return made


def replaced_by(found: Sequence[Invoice]) -> dict[str, str]:
    """The code of the replacing invoice, for each of these that was corrected."""
    codes = [one.code for one in found]
    query = select(Invoice).where(Invoice.replaces.in_(codes))
    return {str(one.replaces): one.code for one in db.session.scalars(query)}


def period_of(found: Invoice) -> tuple[date, date]:
    """As stored; for an old invoice a proposal, to be compared with its PDF."""
    begins = found.begins or found.issued_at.date()
    return begins, found.ends or _month_after(begins) - timedelta(days=1)


def _issue(
    paid: InvoiceAmount, terms: InvoiceTerms, begins: date, ends: date, replaces: str = ""
) -> Invoice:
    """The number comes from a row that stays locked until the commit: no gaps and no duplicates."""
    year = now().year
    first = insert(InvoiceYear).values(year=year, last=1)
    number = db.session.execute(
        first.on_conflict_do_update(
            index_elements=[InvoiceYear.year], set_={"last": InvoiceYear.last + 1}
        ).returning(InvoiceYear.last)
    ).scalar_one()
    own, tenant = accounts.account(), accounts.get(current_tenant_id())
    made = Invoice(
        year=year,
        number=number,
        tenant_id=tenant.id,
        issued_at=now(),
        name=own.billing_name or tenant.name,
        plan=paid.plan,
        net=paid.net,
        tax=paid.tax,
        tax_percent=paid.tax_percent,
        currency=paid.currency,
        begins=begins,
        ends=ends,
        replaces=replaces or None,
    )
    made.pdf = render_invoice(
        InvoiceContent(
            code=made.code,
            issued=now().date(),
            issuer=terms.issuer,
            customer=made.name,
            address=own.billing_address,
            tax_number=own.billing_tax_number,
            account=tenant.id,
            plan=get_plan(paid.plan).name,
            begins=begins,
            ends=ends,
            net=paid.net,
            tax=paid.tax,
            tax_name=terms.tax_name,
            tax_percent=paid.tax_percent,
            currency=paid.currency,
            locale=own.locale,
            replaces=replaces,
        )
    )
    db.session.add(made)
    db.session.flush()
    return made


def _change_state(payment_id: str, was: str | tuple[str, ...], **values: object) -> bool:
    states = (was,) if isinstance(was, str) else was
    moved = db.session.execute(
        update(PlanPayment)
        .where(
            PlanPayment.tenant_id == current_tenant_id(),
            PlanPayment.id == payment_id,
            PlanPayment.state.in_(states),
        )
        .values(**values)
        .returning(PlanPayment.id)
        .execution_options(synchronize_session=False)
    ).all()
    return bool(moved)


def _month_after(day: date) -> date:
    """The same day of the next month, or its last day."""
    year, month = (day.year + 1, 1) if day.month == 12 else (day.year, day.month + 1)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month, min(day.day, last))
        except ValueError:
            continue
    raise AssertionError("every month has 28 days")
