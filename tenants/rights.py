"""Who may do what. A right is named by the thing and the act; a role is a set of rights."""

RIGHTS = (
    "home.view",
    "messages.view",
    "messages.send",
    "lines.view",
    "lines.manage",
    "stores.view",
    "stores.manage",
    "team.view",
    "team.manage",
    "keys.view",
    "keys.manage",
    "settings.view",
    "settings.manage",
    "audit.view",
    "account.close",
)

_EVERYONE = frozenset({"home.view"})
_STAFF = _EVERYONE | {"team.view"}
_READS = frozenset({"lines.view", "messages.view"})
_WRITES = _READS | {"messages.send"}
_ADMIN = frozenset(RIGHTS) - {"account.close"}

ROLES: dict[str, frozenset[str]] = {
    "owner": frozenset(RIGHTS),
    "admin": _ADMIN,
    "inbox": _STAFF | _WRITES,
    "manager": _STAFF | _WRITES | {"settings.view"},
    "waiter": _EVERYONE,
    "viewer": _STAFF | _READS | {"settings.view", "keys.view", "stores.view"},
}

SCOPES = (
    "messages:send",
    "messages:read",
    "lines",
    "contacts",
    "webhooks",
    "menus",
    "orders",
    "payments",
    "printers",
    "campaigns",
    "usage",
)


def role_may(role: str, right: str) -> bool:
    if right not in RIGHTS:
        raise RuntimeError(f"{right} is not a right; tenants/rights.py names them all")
    return right in ROLES[role]


def may_give(giver: str, role: str) -> bool:
    """Only an owner makes owners; an admin gives every other role."""
    return giver == "owner" or (giver == "admin" and role != "owner")
