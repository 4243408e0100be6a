"""Every audit entry about a change names what was changed."""

import ast
import re

from core.db import Base
from core.security.encryption import EncryptedText
from tenants import audit
from tests.conftest import ROOT

PACKAGES = ("tenants", "webhooks", "messaging", "printing", "restaurant", "portal", "jobs", "api")
A_CHANGE = re.compile(r"(changed|renamed|chosen|saved|updated|edited)$")
ALSO_CHANGES = {"loyalty.message"}


def recorded():
    """Each call that records an entry: the acts it names, and the call."""
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            for call in ast.walk(ast.parse(file.read_text())):
                if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("audit.record"):
                    acts = re.findall(r"'(\w+\.\w+)'", ast.unparse(call.args[0]))
                    yield from ((act, call, f"{file.name}:{call.lineno}") for act in acts)


def names_its_change(call: ast.Call) -> bool:
    given = {keyword.arg for keyword in call.keywords}
    return ast.unparse(call.func) == "audit.record_change" or {"was", "now"} <= given


def test_every_recorded_change_names_the_fields_or_the_values():
    changes = [one for one in recorded() if A_CHANGE.search(one[0]) or one[0] in ALSO_CHANGES]
    assert len(changes) > 30
    # A contact's number is personal: the field is named, never the value.
    silent = [
        (act, where)
        for act, call, where in changes
        if not names_its_change(call) and act != "contacts.changed"
    ]
    assert silent == []


def test_no_secret_is_among_the_values_that_entries_show():
    sealed = {
        column.key
        for mapper in Base.registry.mappers
        for column in mapper.columns
        if isinstance(column.type, EncryptedText)
    }
    assert {"key", "secret", "hook_secret", "token"} <= sealed
    assert sealed & (audit.SHOWN_FIELDS | audit.NAMED) == set()
