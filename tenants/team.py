"""A tenant's members and invitations."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Select, and_, bindparam, delete, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, Forbidden, Invalid, NotFound, invalid
from core.ids import new_id, new_token
from core.lookups import add_lookup, find_lookup, remove_lookup, secret_digest
from tenants import audit, people
from tenants.apps import grants as app_grants
from tenants.models import Account, Invitation, Member, Membership, Person
from tenants.plans import limits as plan_limits
from tenants.push import subscriptions as push_subscriptions
from tenants.rights import ROLES, may_assign_role, role_may

INVITATION_LIFE = timedelta(days=7)
MAX_PENDING = 100


@dataclass(frozen=True)
class TeamMember:
    id: str
    person_id: str
    name: str
    email: str
    role: str
    joined_at: datetime
    seen_at: datetime | None
    two_step: bool


# The tenant's account and the person's membership, if there is one.
ACCOUNT_AND_MEMBER = (
    select(Account, Member)
    .outerjoin(
        Member,
        and_(Member.tenant_id == THIS_TENANT, Member.person_id == bindparam("person_id")),
    )
    .where(Account.tenant_id == THIS_TENANT)
)

TEAM = (
    select(
        Member.id,
        Member.person_id,
        Person.name,
        Person.email,
        Member.role,
        Member.joined_at,
        Member.seen_at,
        Person.two_step_since.is_not(None),
    )
    .join(Person, Person.id == Member.person_id)
    .where(Member.tenant_id == THIS_TENANT)
    .order_by(Member.id)
)


def add_member(person: Person, role: str) -> Member:
    """Make a person a member. Repeating it keeps the first role."""
    tenant_id = current_tenant_id()
    _check_role(role)
    db.session.execute(
        insert(Member)
        .values(
            tenant_id=tenant_id,
            id=new_id("mem"),
            person_id=person.id,
            role=role,
            joined_at=now(),
        )
        .on_conflict_do_nothing(index_elements=[Member.tenant_id, Member.person_id])
    )
    db.session.execute(
        insert(Membership).values(person_id=person.id, tenant_id=tenant_id).on_conflict_do_nothing()
    )
    return db.session.scalars(_by_person(person.id)).one()


def find_by_person(person_id: str) -> Member | None:
    return db.session.scalar(_by_person(person_id))


def _by_person(person_id: str) -> Select[Member]:
    return select(Member).where(
        Member.tenant_id == current_tenant_id(), Member.person_id == person_id
    )


def record_seen(member: Member) -> None:
    moment = now()
    if member.seen_at is None or member.seen_at < moment - timedelta(minutes=5):
        member.seen_at = moment


def members() -> list[TeamMember]:
    rows = read_rows(TEAM)
    return [TeamMember(*row) for row in rows]


def admins() -> list[Person]:
    """The recipients of e-mails about the account: owners and admins with a confirmed address."""
    rows = db.session.scalars(
        select(Member.person_id).where(
            Member.tenant_id == current_tenant_id(), Member.role.in_(("owner", "admin"))
        )
    )
    known = people.get_many(set(rows))
    return sorted(
        (one for one in known.values() if one.verified_at is not None), key=lambda one: one.id
    )


def change_role(member_id: str, role: str, by_role: str) -> Member:
    _check_role(role)
    member = _lock(member_id)
    if not may_assign_role(by_role, role) or not may_assign_role(by_role, member.role):
        raise Forbidden("not_yours_to_give", "Only an owner can add owners or change their role.")
    if member.role == "owner" and role != "owner":
        _require_an_owner()
    was, member.role = member.role, role
    if not role_may(role, "keys.manage"):
        app_grants.revoke_all_of(member.person_id)
    person = people.get(member.person_id)
    audit.record("team.role_changed", person.name if person else "", was=was, now=role)
    return member


def remove_member(member_id: str, by_role: str) -> None:
    member = _lock(member_id)
    if not may_assign_role(by_role, member.role):
        raise Forbidden("not_yours_to_give", "Only an owner can remove an owner.")
    if member.role == "owner":
        _require_an_owner()
    person = people.get(member.person_id)
    db.session.delete(member)
    db.session.execute(
        delete(Membership).where(
            Membership.person_id == member.person_id,
            Membership.tenant_id == current_tenant_id(),
        )
    )
    app_grants.revoke_all_of(member.person_id)
    push_subscriptions.remove_person(member.person_id)
    audit.record("team.removed", person.name if person else "", role=member.role)


def invite(email: str, role: str, by_role: str, invited_by: str) -> tuple[Invitation, str]:
    """The invitation and the secret for its link. A second one replaces the first. Raises
    Forbidden, Invalid, Conflict or PaymentRequired.
    """
    _check_role(role)
    if not may_assign_role(by_role, role):
        raise Forbidden("not_yours_to_give", "Only an owner can invite an owner.")
    address = people.clean_email(email)
    known = people.find(address)
    if known is not None and find_by_person(known.id) is not None:
        raise invalid("email", "already_member", "{name} is already in the team.", name=known.name)
    pending = invitations()
    for earlier in pending:
        if earlier.email_key == people.email_key(address):
            _withdraw(earlier)
    if len(pending) >= MAX_PENDING:
        raise Conflict(
            "too_many_invitations",
            "There are already {count} open invitations, which is the limit.",
            count=MAX_PENDING,
        )
    others = [one for one in pending if one.email_key != people.email_key(address)]
    plan_limits.check_limit("members", len(members()) + len(others))
    token = new_token(192)
    invitation = Invitation(
        tenant_id=current_tenant_id(),
        email=address,
        email_key=people.email_key(address),
        role=role,
        token_hash=secret_digest(token),
        invited_by=invited_by,
        expires_at=now() + INVITATION_LIFE,
    )
    db.session.add(invitation)
    db.session.flush()
    add_lookup("invitation", invitation.token_hash, invitation.id)
    audit.record("team.invited", address, role=role)
    return invitation, token


def invitations() -> list[Invitation]:
    """Those that can still be accepted, newest first."""
    return list(
        db.session.scalars(
            select(Invitation)
            .where(
                Invitation.tenant_id == current_tenant_id(),
                Invitation.accepted_at.is_(None),
                Invitation.revoked_at.is_(None),
                Invitation.expires_at > now(),
            )
            .order_by(Invitation.id.desc())
        )
    )


def revoke_invitation(invitation_id: str) -> None:
    invitation = db.session.get(Invitation, (current_tenant_id(), invitation_id))
    if invitation is None:
        raise NotFound()
    if invitation.revoked_at is None and invitation.accepted_at is None:
        _withdraw(invitation)
        audit.record("team.invitation_revoked", invitation.email)


def find_invitation(token: str) -> tuple[int, str] | None:
    """The tenant id and the invitation id of a link, or None. A global look-up."""
    return find_lookup("invitation", secret_digest(token))


def open_invitation(invitation_id: str) -> Invitation:
    invitation = db.session.get(Invitation, (current_tenant_id(), invitation_id))
    if invitation is None:
        raise NotFound()
    if (
        invitation.accepted_at is not None
        or invitation.revoked_at is not None
        or invitation.expires_at <= now()
    ):
        raise Invalid("link_over", "This invitation was already used or has expired.")
    return invitation


def accept_invitation(invitation_id: str, person: Person) -> Member:
    """The conditional update is the lock: of two clicks, one succeeds and the other raises
    Invalid.
    """
    invitation = open_invitation(invitation_id)
    won = db.session.execute(
        update(Invitation)
        .where(
            Invitation.tenant_id == current_tenant_id(),
            Invitation.id == invitation_id,
            Invitation.accepted_at.is_(None),
            Invitation.revoked_at.is_(None),
        )
        .values(accepted_at=now())
        .returning(Invitation.id)
    )
    if won.first() is None:
        raise Invalid("link_over", "This invitation was already used or has expired.")
    remove_lookup("invitation", invitation.token_hash)
    member = add_member(person, invitation.role)
    audit.record("team.joined", person.name, role=member.role)
    return member


def _withdraw(invitation: Invitation) -> None:
    invitation.revoked_at = now()
    remove_lookup("invitation", invitation.token_hash)


def _lock(member_id: str) -> Member:
    """Lock the owners with the member: otherwise two of them could remove each other."""
    db.session.execute(
        select(Member.id)
        .where(
            Member.tenant_id == current_tenant_id(),
            or_(Member.role == "owner", Member.id == member_id),
        )
        .order_by(Member.id)
        .with_for_update()
    )
    member = db.session.get(Member, (current_tenant_id(), member_id))
    if member is None:
        raise NotFound()
    return member


def _require_an_owner() -> None:
    owners = db.session.scalar(
        select(func.count())
        .select_from(Member)
        .where(Member.tenant_id == current_tenant_id(), Member.role == "owner")
    )
    if (owners or 0) < 2:
        raise Conflict(
            "last_owner", "An account needs at least one owner. Make another member an owner first."
        )


def _check_role(role: str) -> None:
    if role not in ROLES:
        raise invalid("role", "unknown_role", "Choose a role from the list.")
