"""Loyalty: programmes of sites, balances, rewards and one-time coupon codes."""

from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import page
from api.schemas import ContactPath, ErrorBody, SitePath
from api.v1 import v1
from api.v1.schemas.restaurant.loyalty import (
    BalanceShape,
    CancelCoupon,
    Correction,
    CouponPage,
    CouponPath,
    CouponShape,
    CouponsQuery,
    Exchange,
    MemberPage,
    MemberShape,
    MembersQuery,
    NewCoupon,
    ProgrammeFields,
    ProgrammePage,
    ProgrammeShape,
    RewardFields,
    RewardPage,
    RewardPath,
    RewardShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import invalid
from core.values.money import json_number
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from restaurant.loyalty import coupon_codes, coupons, ledger, programmes, rewards
from restaurant.models import Coupon, LoyaltyEntry, LoyaltyMember, LoyaltyProgramme, Reward
from restaurant.sites import sites

TAG = Tag(name="Loyalty")


@v1.get("/loyalty/programmes", tags=[TAG], summary="List loyalty programmes",
        responses={200: ProgrammePage})  # fmt: skip
@key_may("campaigns")
def list_programmes() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [programme_json(one) for one in programmes.listed()], "next": None}


@v1.put("/loyalty/programmes/<site_id>", tags=[TAG], summary="Set up a site's programme",
        responses={200: ProgrammeShape})  # fmt: skip
@key_may("campaigns")
def set_programme(path: SitePath, body: ProgrammeFields) -> dict[str, Any]:
    """Points for an amount, or a stamp for a visit. Guests keep their balance; if the kind changes,
    `worth` is the conversion rate.
    """
    with tenant_scope(g.tenant_id):
        settings = programmes.ProgrammeSettings(
            kind=body.kind,
            active=body.active,
            amount=f"{body.amount:f}",
            points=body.points,
            keywords=tuple(body.keywords),
            gift_id=body.gift_id,
            quiet_from=body.quiet_from,
            quiet_until=body.quiet_until,
            worth=body.worth,
        )
        return programme_json(programmes.save_programme(sites.get(path.site_id), settings))


@v1.get(
    "/loyalty/members", tags=[TAG], summary="List loyalty balances", responses={200: MemberPage}
)
@key_may("campaigns")
def list_members(query: MembersQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        only = None
        if query.phone:
            digits = "".join(char for char in query.phone if char.isdecimal())
            found = contact_identities.find_contact(digits) if digits else None
            only = [found] if found else []
        rows = ledger.members(site.id, query.after, query.limit + 1, only)
        return page(rows, query, lambda one: one.contact_id, balance_json)


@v1.get("/loyalty/members/<contact_id>", tags=[TAG], summary="Get a guest's balances and history",
        responses={200: MemberShape})  # fmt: skip
@key_may("campaigns")
def read_member(path: ContactPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(path.contact_id)
        return {
            "contact_id": card.id,
            "balances": [balance_json(one) for one in ledger.balances(card.id)],
            "entries": [entry_json(one) for one in ledger.entries(card.id)],
        }


@v1.post("/loyalty/members/<contact_id>/correct", tags=[TAG], summary="Correct a balance",
         responses={200: BalanceShape})  # fmt: skip
@key_may("campaigns")
@idempotent
def correct_balance(path: ContactPath, body: Correction) -> JsonAnswer:
    """Adds an entry with the reason to the ledger; existing entries stay unchanged."""
    card = contact_cards.get(path.contact_id)
    done = ledger.correct_balance(sites.get(body.site_id), card.id, body.amount, body.reason)
    return balance_json(done)


@v1.post("/loyalty/members/<contact_id>/exchange", tags=[TAG],
         summary="Exchange points for a coupon",
         responses={201: CouponShape, 409: ErrorBody})  # fmt: skip
@key_may("campaigns")
@idempotent
def exchange_points(path: ContactPath, body: Exchange) -> JsonAnswer:
    card, site = contact_cards.get(path.contact_id), sites.get(body.site_id)
    coupon = ledger.exchange_points(site, card.id, rewards.get(body.reward_id))
    return coupon_json(coupon), 201


@v1.get("/loyalty/rewards", tags=[TAG], summary="Rewards", responses={200: RewardPage})
@key_may("campaigns")
def list_rewards() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [reward_json(one) for one in rewards.listed()], "next": None}


@v1.post("/loyalty/rewards", tags=[TAG], summary="Add a reward", responses={201: RewardShape})
@key_may("campaigns")
@idempotent
def add_reward(body: RewardFields) -> JsonAnswer:
    return reward_json(rewards.add(_reward_settings(body))), 201


@v1.get("/loyalty/rewards/<reward_id>", tags=[TAG], summary="One reward",
        responses={200: RewardShape})  # fmt: skip
@key_may("campaigns")
def read_reward(path: RewardPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return reward_json(rewards.get(path.reward_id))


@v1.put("/loyalty/rewards/<reward_id>", tags=[TAG], summary="Update a reward",
        responses={200: RewardShape})  # fmt: skip
@key_may("campaigns")
def change_reward(path: RewardPath, body: RewardFields) -> dict[str, Any]:
    """Issued coupons keep their terms."""
    with tenant_scope(g.tenant_id):
        return reward_json(rewards.change(path.reward_id, _reward_settings(body)))


@v1.delete("/loyalty/rewards/<reward_id>", tags=[TAG], summary="Delete a reward",
           responses={204: None})  # fmt: skip
@key_may("campaigns")
def remove_reward(path: RewardPath) -> Response:
    """No new coupons are issued; issued ones stay valid."""
    with tenant_scope(g.tenant_id):
        rewards.remove(path.reward_id)
    return Response(status=204)


@v1.get("/loyalty/coupons", tags=[TAG], summary="List coupons", responses={200: CouponPage})
@key_may("campaigns")
def list_coupons(query: CouponsQuery) -> dict[str, Any]:
    filters = coupons.CouponFilters(query.status, query.reward_id, query.contact_id)
    with tenant_scope(g.tenant_id):
        rows = coupons.listed(filters, query.after, query.limit + 1)
        return page(rows, query, lambda one: one.id, coupon_json)


@v1.post("/loyalty/coupons", tags=[TAG], summary="Issue a coupon",
         responses={201: CouponShape, 409: ErrorBody})  # fmt: skip
@key_may("campaigns")
@idempotent
def give_coupon(body: NewCoupon) -> JsonAnswer:
    coupon = coupons.issue(
        rewards.get(body.reward_id),
        source="api",
        contact_id=_contact(body),
        days=body.valid_days,
    )
    return coupon_json(coupon), 201


@v1.get("/loyalty/coupons/<coupon_id>", tags=[TAG], summary="One coupon",
        responses={200: CouponShape})  # fmt: skip
@key_may("campaigns")
def read_coupon(path: CouponPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return coupon_json(coupons.get(path.coupon_id))


@v1.post("/loyalty/coupons/<coupon_id>/cancel", tags=[TAG], summary="Cancel a coupon",
         responses={200: CouponShape, 409: ErrorBody})  # fmt: skip
@key_may("campaigns")
@idempotent
def cancel_coupon(path: CouponPath, body: CancelCoupon) -> JsonAnswer:
    """Points that were spent on it are returned."""
    done = ledger.cancel_coupon(coupons.get(path.coupon_id), body.reason)
    return coupon_json(done)


def programme_json(one: LoyaltyProgramme) -> dict[str, Any]:
    return {
        "site_id": one.site_id,
        "kind": one.kind,
        "active": one.active,
        "amount": json_number(one.amount),
        "points": one.points,
        "keywords": list(one.keywords),
        "gift_id": one.gift_id,
        "quiet_from": one.quiet_from,
        "quiet_until": one.quiet_until,
    }


def balance_json(one: LoyaltyMember) -> dict[str, Any]:
    return {
        "contact_id": one.contact_id,
        "site_id": one.site_id,
        "balance": one.balance,
        "visits": one.visits,
        "first_at": rfc3339(one.first_at),
        "last_at": rfc3339(one.last_at),
    }


def entry_json(one: LoyaltyEntry) -> dict[str, Any]:
    return {
        "id": one.id,
        "site_id": one.site_id,
        "amount": one.amount,
        "kind": one.kind,
        "order_id": one.order_id,
        "coupon_id": one.coupon_id,
        "because": one.because,
        "by": one.by,
        "at": rfc3339(one.at),
    }


def reward_json(one: Reward) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "kind": one.kind,
        "value": json_number(one.value),
        "most": None if one.most is None else json_number(one.most),
        "minimum": json_number(one.minimum),
        "currency": one.currency,
        "item_id": one.item_id,
        "item_name": one.item_name,
        "site_ids": list(one.site_ids),
        "valid_days": one.valid_days,
        "per_contact": one.per_contact,
        "cost": one.cost,
        "active": one.active,
    }


def coupon_json(one: Coupon) -> dict[str, Any]:
    return {
        "id": one.id,
        "code": coupon_codes.format_code(one.code),
        "status": coupons.state_of(one),
        "reward_id": one.reward_id,
        "terms": one.terms,
        "contact_id": one.contact_id,
        "source": one.source,
        "issued_at": rfc3339(one.issued_at),
        "expires_at": rfc3339(one.expires_at),
        "used_at": rfc3339(one.used_at) if one.used_at else None,
        "order_id": one.order_id,
        "discount": None if one.discount is None else json_number(one.discount),
    }


def _reward_settings(body: RewardFields) -> rewards.RewardSettings:
    return rewards.RewardSettings(
        name=body.name,
        kind=body.kind,
        value=f"{body.value:f}",
        most="" if body.most is None else f"{body.most:f}",
        minimum=f"{body.minimum:f}",
        currency=body.currency.upper(),
        item_id=body.item_id,
        site_ids=tuple(body.site_ids),
        valid_days=body.valid_days,
        per_contact=body.per_contact,
        cost=body.cost,
        active=body.active,
    )


def _contact(body: NewCoupon) -> str | None:
    if body.contact_id:
        return contact_cards.get(body.contact_id).id
    digits = "".join(char for char in body.phone if char.isdecimal())
    if not body.phone:
        return None
    found = contact_identities.find_contact(digits) if digits else None
    if found is None:
        raise invalid("phone", "unknown_contact", "No contact has this phone number.")
    return found
