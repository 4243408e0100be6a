"""Home: what happened, what is left to set up."""

from typing import Any

from flask import Blueprint, g, render_template
from flask_login import current_user

from core.db import tenant_scope
from portal.visitors import may, member_may
from tenants import audit, keys, quota, team
from tenants.plans import known_facts

home = Blueprint("home", __name__)


@home.get("/home")
@member_may("home.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        facts = known_facts()
        members, waiting = team.members(), team.invitations()
        working = [key for key in keys.listed() if keys.state_of(key) == "active"]
        used = quota.usage(facts)
        entries = audit.entries(limit=8) if may("audit.view") else []
    steps = {
        "verified": current_user.person.verified_at is not None,
        "key": bool(working),
        "team": len(members) > 1 or bool(waiting),
        "two_step": current_user.person.two_step_since is not None,
    }
    return render_template(
        "home/index.html",
        steps=steps,
        facts=facts,
        usage=used,
        members=members,
        invitations=waiting,
        keys=working,
        entries=entries,
    )
