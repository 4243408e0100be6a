"""Imports only go down the layers, and only entry points use the request."""

from pathlib import Path

import pytest

from tests.architecture.layers import (
    INNER_LAYERS,
    ROOT,
    inner_violations,
    layer_violations,
    modules,
)

LONGEST = 400
LONGEST_TEST = 500


def test_every_import_goes_down():
    found = [
        fault for path in modules() for fault in layer_violations(path, (ROOT / path).read_text())
    ]
    assert not found


def test_every_import_inside_restaurant_and_messaging_goes_down():
    found = [
        fault
        for path in modules()
        if path.parts[0] in INNER_LAYERS
        for fault in inner_violations(path, (ROOT / path).read_text())
    ]
    assert not found


def test_every_folder_of_restaurant_and_messaging_has_a_layer():
    named = {name for layers in INNER_LAYERS.values() for layer in layers for name in layer}
    parts = {
        f"{path.parts[0]}.{Path(path.parts[1]).stem}"
        for path in modules()
        if path.parts[0] in INNER_LAYERS and path.parts[1] != "__init__.py"
    }
    assert parts <= named
    for name in named:
        there = ROOT / name.replace(".", "/")
        assert there.is_dir() or there.with_suffix(".py").is_file(), name


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("restaurant/orders/x.py", "from restaurant.payments import links"),
        ("restaurant/orders/x.py", "import restaurant.couriers.trips"),
        ("restaurant/models/x.py", "from restaurant.sites.sites import get"),
        ("messaging/contacts/x.py", "from messaging.messages import accept, queries"),
        ("messaging/lines/drivers/x.py", "from messaging.messages.claim import ClaimedMessage"),
        ("messaging/templates/x.py", "from messaging.messages.accept import MessageDraft"),
    ],
)
def test_an_import_that_points_up_inside_a_package_is_found(path, source):
    assert inner_violations(Path(path), source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("restaurant/payments/x.py", "from restaurant.orders import lifecycle"),
        ("restaurant/orders/x.py", "from restaurant.orders.kitchen import progress"),
        ("messaging/contacts/x.py", "from messaging.messages import queries"),
        ("messaging/lines/drivers/x.py", "from messaging.messages.kinds.registry import has_file"),
        ("messaging/messages/x.py", "from messaging.contacts.identities import has_opted_out"),
    ],
)
def test_an_import_that_points_down_inside_a_package_is_allowed(path, source):
    assert not inner_violations(Path(path), source)


def test_every_package_is_checked():
    checked = {path.parts[0] for path in modules()}
    assert {"wsgi.py", "portal", "api", "jobs", "tenants", "core", "deploy"} <= checked


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/x.py", "from tenants import keys"),
        ("core/x.py", "import tenants.api_keys"),
        ("tenants/x.py", "import webhooks"),
        ("api/x.py", "from portal.web.forms import Form"),
        ("jobs/x.py", "from api.auth import Caller"),
        ("portal/x.py", "import jobs.mail"),
        ("messaging/x.py", "from printing import spool"),
        ("printing/x.py", "from messaging import sending"),
        ("printing/agent/x.py", "from core.clock import now"),
        ("printing/agent/x.py", "from printing.spool import claim"),
        ("restaurant/x.py", "from jobs import mail"),
        ("portal/x.py", "import wsgi"),
        ("deploy/local/x.py", "from tenants import people"),
        ("core/x.py", "from tests.factories import make_business"),
        ("tenants/x.py", "from flask import request"),
        ("jobs/x.py", "from flask import g, current_app"),
        ("core/x.py", "from flask_login import current_user"),
        ("core/x.py", "def f():\n    from core.db import db"),
        ("tenants/x.py", "class A:\n    async def f(self):\n        import core.db"),
    ],
)
def test_a_breach_is_seen(path, source):
    assert layer_violations(Path(path), source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("wsgi.py", "from portal.web.app import open_portal_doors\nfrom flask import request"),
        ("api/x.py", "from flask import g, request\nfrom tenants import keys"),
        ("jobs/x.py", "from flask import current_app\nfrom messaging import sending"),
        ("printing/agent/x.py", "from printing.agent.server_client import Reply"),
        ("deploy/local/x.py", "from core.settings import Settings"),
        ("tenants/x.py", "def f():\n    import json"),
    ],
)
def test_what_is_allowed_is_not_called_a_breach(path, source):
    assert not layer_violations(Path(path), source)


def test_no_file_asks_for_a_second_noun():
    long = [
        f"{path} has {lines} lines"
        for path in modules()
        if (lines := len((ROOT / path).read_text().splitlines())) > LONGEST
    ]
    long += [
        f"{path.relative_to(ROOT)} has {lines} lines"
        for path in (ROOT / "tests").rglob("*.py")
        if (lines := len(path.read_text().splitlines())) > LONGEST_TEST
    ]
    assert not long
