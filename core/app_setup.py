"""Set up what every process needs, with or without blueprints: database, Redis, keys, logs."""

from flask import Flask

from core import chaos
from core.db import current_tenant_id, db, engine_options
from core.logs import set_up_logs
from core.rate_limits import set_process_count
from core.redis.client import connect_redis
from core.security.encryption import Keyring, set_keyring
from core.security.signed_urls import configure_urls
from core.settings import Settings, load_settings
from core.sql import database_clock
from core.sql.connect_options import use_pooler
from core.sql.prepared import prepare_on
from core.storage.blob_stores import blobs_at


def configure_app(app: Flask, settings: Settings) -> None:
    set_up_logs(settings)
    app.extensions["comanda"] = settings
    chaos.arm(settings.fault)
    use_pooler(settings.database_pooler)
    app.config.update(
        SQLALCHEMY_DATABASE_URI=settings.database_url,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(settings.database_pool),
        SECRET_KEY=settings.secret_key,
        TESTING=settings.app_env == "test",
    )
    configure_process(settings)
    app.extensions["blobs"] = blobs_at(settings.blob_url)
    db.init_app(app)
    with app.app_context():
        database_clock.watch(db.engine)
        if settings.database_prepare:
            prepare_on(db.engine)


def configure_process(settings: Settings) -> None:
    """Set the module-level state that exists once in a process, however many apps it has."""
    set_keyring(Keyring.parse(settings.encryption_keys), current_tenant_id)
    configure_urls(
        settings.base_url,
        settings.secret_key,
        live_url=settings.live_url,
        menu_domain=settings.menu_domain,
    )
    connect_redis(settings.redis_url)
    set_process_count(settings.web_processes)
    use_pooler(settings.database_pooler)


def create_worker_app() -> Flask:
    """An app without blueprints, for workers and the scheduler."""
    app = Flask("comanda")
    configure_app(app, load_settings())
    return app
