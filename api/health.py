"""Endpoints for liveness, readiness and metrics."""

import hmac
import os

from alembic.script import ScriptDirectory
from flask import Blueprint, Response, current_app, jsonify, request
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    generate_latest,
    multiprocess,
)
from redis import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import NotFound

from api import service_metrics
from core.clock import now
from core.db import db, global_scope
from core.redis.client import redis_client
from core.sql import database_clock, partitions
from core.storage import store_identity

health = Blueprint("health", __name__)

ENOUGH_MONTHS = 2  # fewer is reported; fewer than LEAST_MONTHS is not ready
LEAST_MONTHS = 1
ENOUGH_DAYS = 2


@health.get("/healthz")
def healthz() -> Response:
    return jsonify(status="ok")


@health.get("/readyz")
def readyz() -> Response:
    """Return whether this process can take traffic.

    Redis is not required: sends work without it. The database and its schema are, and so is a
    partition for the next month, without which every send would fail then. A wrong clock is
    corrected and reported, so that somebody sets it. A schema that is ahead of this code is ready:
    migrations run before the processes are replaced, and a release runs on the next one's schema.
    """
    months, enough = _months()
    migrations, usable = _migrations()
    checks = {
        "database": _database(),
        "redis": _redis(),
        "migrations": migrations,
        "months": months,
        "days": _days(),
        "clock": database_clock.clock_problem() or "ok",
        "files": store_identity.problem() or "ok",
    }
    ready = checks["database"] == "ok" and usable and enough
    answer = jsonify(status="ready" if ready else "not ready", checks=checks)
    answer.status_code = 200 if ready else 503
    return answer


@health.get("/metrics")
def metrics() -> Response:
    """Respond 404 if no metrics token is configured or the token sent is wrong."""
    expected = current_app.extensions["comanda"].metrics_token
    token = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not expected or not hmac.compare_digest(token.encode(), expected.encode()):
        raise NotFound()
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    text = generate_latest(registry) + service_metrics.exposition()
    return Response(text, content_type=CONTENT_TYPE_LATEST)


def _database() -> str:
    try:
        with global_scope():
            db.session.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        return type(error).__name__
    return "ok"


def _redis() -> str:
    try:
        redis_client().ping()
    except RedisError as error:
        return type(error).__name__
    return "ok"


def _migrations() -> tuple[str, bool]:
    """Return the status of the schema, and whether this code can run on it."""
    head = current_head()
    try:
        with global_scope():
            applied = db.session.scalar(text("SELECT version_num FROM alembic_version"))
    except SQLAlchemyError as error:
        return type(error).__name__, False
    if applied == head:
        return "ok", True
    if applied is not None and not _is_known(applied):
        return f"database is at {applied}, ahead of this code, which knows {head}", True
    return f"database is at {applied}, code wants {head}", False


def _months() -> tuple[str, bool]:
    """Return the status of the partitions ahead, and whether they are enough to take traffic."""
    try:
        with global_scope():
            ahead = partitions.months_ahead(db.session.connection(), now())
    except SQLAlchemyError as error:
        return type(error).__name__, False
    status = "ok" if ahead >= ENOUGH_MONTHS else f"only {ahead} months of partitions are ready"
    return status, ahead >= LEAST_MONTHS


def _days() -> str:
    """Check the daily partitions of the request log; without them calls work but are not logged."""
    try:
        with global_scope():
            ahead = partitions.days_ahead(db.session.connection(), now())
    except SQLAlchemyError as error:
        return type(error).__name__
    return "ok" if ahead >= ENOUGH_DAYS else f"only {ahead} days of partitions are ready"


def current_head() -> str | None:
    return _migration_scripts().get_current_head()


def _is_known(revision: str) -> bool:
    return any(script.revision == revision for script in _migration_scripts().walk_revisions())


def _migration_scripts() -> ScriptDirectory:
    config = current_app.extensions["migrate"].migrate.get_config()
    return ScriptDirectory.from_config(config)
