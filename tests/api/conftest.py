"""An app with a few extra endpoints for tests."""

import time

import pytest
from flask import g, request
from flask_openapi3.blueprint import APIBlueprint

from api.auth import key_may
from api.idempotency import idempotent
from api.v1 import check_body, check_caller
from core.db import tenant_scope
from core.errors import Invalid, TryAgain
from core.rate_limits import set_process_count
from core.redis.client import connect_redis
from portal.web.app import csrf
from tenants import audit
from tests.factories import FreshClient

DEAD_REDIS = "redis://127.0.0.1:1/0"


def sample_blueprint():
    doors = APIBlueprint("tried", __name__, url_prefix="/api/v1/tried")
    doors.before_request(check_caller)
    doors.before_request(check_body)

    @doors.post("/orders")
    @key_may("orders")
    @idempotent
    def order():
        """Takes an order: one audit entry is what must not happen twice."""
        body = request.get_json(silent=True) or {}
        audit.record("tried.order", str(body.get("what", ""))[:50])
        time.sleep(body.get("seconds", 0))
        if body.get("then") == "crash":
            raise ZeroDivisionError
        if body.get("then") == "refuse":
            raise Invalid("no_such_dish", "There is no {dish}.", dish="such dish")
        if body.get("then") == "later":
            raise TryAgain("try_again", "Not now.")
        return {"did": body}, 201, {"Location": "/api/v1/tried/orders/1"}

    @doors.post("/echo")
    @key_may(None)
    def echo():
        return {"got": request.get_json(silent=True)}

    @doors.get("/crash")
    @key_may(None)
    def crash():
        raise RuntimeError("the inner workings")

    @doors.get("/named")
    @key_may(None)
    def named():
        with tenant_scope(g.tenant_id):
            return {"tenant": g.tenant_id}

    return doors


@pytest.fixture(scope="session")
def tried_app(app, settings):
    from wsgi import build_app

    made = build_app(settings)
    doors = sample_blueprint()
    csrf.exempt(doors)
    made.register_api(doors)
    made.test_client_class = FreshClient
    return made


@pytest.fixture
def tried(tried_app):
    return tried_app.test_client()


@pytest.fixture
def no_redis(app, settings):
    connect_redis(DEAD_REDIS)
    set_process_count(1)
    yield
    connect_redis(settings.redis_url)
    set_process_count(settings.web_processes)
