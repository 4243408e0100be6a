"""Rights and roles. A right is named by its object and its act; a role is a set of rights."""

RIGHTS = (
    "home.view",
    "inbox.view",
    "inbox.reply",
    "messages.view",
    "messages.send",
    "contacts.view",
    "contacts.manage",
    "campaigns.view",
    "campaigns.manage",
    "usage.view",
    "reports.view",
    "lines.view",
    "lines.manage",
    "restaurant.view",
    "restaurant.manage",
    "orders.view",
    "orders.manage",
    "printing.view",
    "printing.manage",
    "printing.reprint",
    "payments.view",
    "payments.manage",
    "payments.set_up",
    "loyalty.view",
    "loyalty.manage",
    "stores.view",
    "stores.manage",
    "webhooks.view",
    "webhooks.manage",
    "team.view",
    "team.manage",
    "keys.view",
    "keys.manage",
    "settings.view",
    "settings.manage",
    "audit.view",
    "account.export",
    "account.close",
)

_EVERYONE = frozenset({"home.view"})
_STAFF = _EVERYONE | {"team.view"}
_READS = frozenset({"lines.view", "messages.view", "inbox.view", "contacts.view"})
_WRITES = _READS | {"messages.send", "inbox.reply", "contacts.manage"}
_LOOKS_ON = _STAFF | _READS | {"settings.view", "usage.view", "reports.view"}
_PRINTS = frozenset({"printing.view", "printing.reprint"})
_SERVES = _PRINTS | {"restaurant.view", "orders.view", "orders.manage", "payments.view"}
_ADMIN = frozenset(RIGHTS) - {"account.close", "account.export"}

ROLES: dict[str, frozenset[str]] = {
    "owner": frozenset(RIGHTS),
    "admin": _ADMIN,
    "inbox": _STAFF | _WRITES | {"orders.view", "loyalty.view"},
    "manager": _STAFF
    | _WRITES
    | _SERVES
    | {"restaurant.manage", "printing.manage", "payments.manage", "settings.view", "usage.view"}
    | {"campaigns.view", "campaigns.manage", "loyalty.view", "loyalty.manage", "reports.view"},
    "waiter": _EVERYONE | _SERVES,
    "viewer": _LOOKS_ON
    | {"keys.view", "stores.view", "webhooks.view", "campaigns.view", "loyalty.view"}
    | {"restaurant.view", "orders.view", "printing.view", "payments.view"},
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


def may_assign_role(giver: str, role: str) -> bool:
    """Only an owner can make owners; an admin can assign every other role."""
    return giver == "owner" or (giver == "admin" and role != "owner")
