"""Speaks with the payment providers: links made and closed, signals confirmed, refunds asked for.

Claim, call, settle; no transaction is open while a provider is waited for.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import cast

from flask import current_app

from core import faultpoints, lanes
from core.clock import now
from core.db import current_tenant_id, db, global_scope, ring, tenant_scope
from core.logs import logger
from core.rings import hear
from core.settings import Settings
from jobs import turns
from restaurant import (
    orders,
    payment_accounts,
    payment_links,
    payment_work,
    payments,
    refunds,
    signals,
)
from restaurant.gateways import Found, GatewayError, Refused, Unreachable
from restaurant.gateways.book import GATEWAYS
from restaurant.models import Refund
from restaurant.payment_links import LANE

log = logger(__name__)

WORK_SECONDS = 30.0
TURN_SECONDS = 10.0  # then another tenant's lane comes first
SPARE_SECONDS = 15.0  # at most; a claim outlives the call that is made under it
PATIENT_LOOKS = 2  # a provider's own report may lag behind its signal


def drain() -> int:
    hear("jobs.payments.drain")
    settings: Settings = current_app.extensions["comanda"]

    def work(tenant_id: int) -> int:
        return sum(each(tenant_id, settings) for each in WORKS)

    done, more = turns.take(
        LANE,
        WORK_SECONDS,
        work,
        _look_again,
        turn=TURN_SECONDS,
        lease_seconds=settings.lease_seconds,
    )
    if more:
        with global_scope():
            ring("jobs.payments.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due again, and lanes that nobody rang for."""
    if lanes.wake_due(LANE):
        ring("jobs.payments.drain")


def find_forgotten() -> int:
    """Work in a tenant without a lane, money whose order never came, paid orders that wait."""
    hear("jobs.payments.find_forgotten")
    found = 0
    for tenant_id in lanes.due_anywhere(LANE):
        with tenant_scope(tenant_id):
            found += payments.find_orphans() + orders.send_paid_to_kitchen()
            due = payment_work.next_due()
            if due is not None and due <= now():
                payment_links.wake()
                found += 1
    return found


def work_signal(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_work.claim_signal(settings, _lease(settings))
    if work is None:
        return 0
    faultpoints.at("payment_claimed")
    found: Found | None = None
    refused = why = ""
    try:
        found = GATEWAYS[work.provider].fetch(work.desk, work.session, work.reference, work.payment)
    except Refused as error:
        refused = str(error)
    except GatewayError as error:
        why = str(error)
    faultpoints.at("payment_answered")
    with tenant_scope(tenant_id):
        signal = signals.get(work.signal_id)
        if signal.state != "waiting":
            signal.due_at = None  # another took it over when our lease had run out
            return 1
        if found is None and refused:
            ours = payment_links.by_reference(work.reference) if work.reference else None
            signals.end(signal, "not_confirmed" if ours else "nobodys", refused)
        elif found is None:
            signals.put_off(signal, why)
        elif _too_soon(signal.kind, found, signal.tries):
            signals.put_off(signal, "The provider does not say so yet.")
        else:
            signals.settle(signal, payment_accounts.known(signal.account_id), found)
        faultpoints.at("payment_settled")
    return 1


def work_link(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_work.claim_link(settings, _lease(settings))
    if work is None:
        return 0
    faultpoints.at("payment_claimed")
    gateway = GATEWAYS[work.provider]
    if work.make:
        _make(tenant_id, work)
        return 1
    found, why = None, ""
    try:
        found = gateway.fetch(work.desk, work.ref, work.asking.reference)
    except GatewayError as error:
        why = str(error)
    with tenant_scope(tenant_id):
        payment_work.looked(work, found, why)
    return 1


def _make(tenant_id: int, work: payment_work.LinkWork) -> None:
    try:
        made = GATEWAYS[work.provider].create_link(work.desk, work.asking)
    except GatewayError as error:
        with tenant_scope(tenant_id):
            payment_work.not_made(work, str(error), for_good=isinstance(error, Refused))
        return
    faultpoints.at("payment_answered")
    with tenant_scope(tenant_id):
        payment_work.made(work, made)


def work_refund(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_work.claim_refund(settings, _lease(settings))
    if work is None:
        return 0
    faultpoints.at("payment_claimed")
    gateway = GATEWAYS[work.provider]
    if work.begun and not gateway.once:
        _settle_refund(
            tenant_id,
            work.refund_id,
            lambda refund: refunds.unanswered(
                refund, "It is not known if it was done.", once=False
            ),
        )
        return 1
    try:
        returned = gateway.refund(
            work.desk,
            work.payment,
            cast(Decimal, work.amount),
            work.currency,
            work.refund_id,
            work.reason,
        )
    except Unreachable as error:
        why = str(error)
        _settle_refund(
            tenant_id,
            work.refund_id,
            lambda refund: refunds.unanswered(refund, why, once=gateway.once),
        )
    except GatewayError as error:
        why = str(error)
        _settle_refund(tenant_id, work.refund_id, lambda refund: refunds.refused(refund, why))
    else:
        faultpoints.at("payment_answered")
        _settle_refund(tenant_id, work.refund_id, lambda refund: refunds.done(refund, returned))
    return 1


def work_closing(tenant_id: int, settings: Settings) -> int:
    with tenant_scope(tenant_id):
        work = payment_work.claim_closing(settings, _lease(settings))
    if work is None:
        return 0
    well = True
    try:
        GATEWAYS[work.provider].close(work.desk, work.ref)
    except GatewayError as error:
        log.info("a session could not be closed", provider=work.provider, error=str(error))
        well = False
    with tenant_scope(tenant_id):
        payment_work.closed(work, well)
    return 1


WORKS: tuple[Callable[[int, Settings], int], ...] = (
    work_signal,
    work_link,
    work_refund,
    work_closing,
)


def _settle_refund(tenant_id: int, refund_id: str, write: Callable[[Refund], None]) -> None:
    with tenant_scope(tenant_id):
        refund = db.session.get_one(Refund, (current_tenant_id(), refund_id), with_for_update=True)
        if refund.state == "asking":
            write(refund)


def _too_soon(kind: str, found: Found, tries: int) -> bool:
    return kind == "paid" and found.state == "open" and tries <= PATIENT_LOOKS


def _lease(settings: Settings) -> float:
    return settings.lease_seconds + min(SPARE_SECONDS, settings.lease_seconds)


def _look_again(tenant_id: int, _worked: int) -> None:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = payment_work.next_due()
        if due is not None and due <= now():
            lanes.mark_due(LANE, tenant_id)
            ring("jobs.payments.drain")
        elif due is not None:
            lanes.mark_later(LANE, tenant_id, due)
