"""What every process stands on, whichever doors it opens: database, Redis, keys, logs."""

from flask import Flask

from core import database_clock, faultpoints
from core.blobs import blobs_at
from core.buckets import use_share
from core.db import current_tenant_id, db, engine_options
from core.keyring import Keyring, use_keyring
from core.links import use_links
from core.logs import set_up_logs
from core.rings import use_redis
from core.settings import Settings, load_settings


def lay_ground(app: Flask, settings: Settings) -> None:
    set_up_logs(settings)
    app.extensions["comanda"] = settings
    faultpoints.arm(settings.fault)
    app.config.update(
        SQLALCHEMY_DATABASE_URI=settings.database_url,
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(settings.database_pool),
        SECRET_KEY=settings.secret_key,
        TESTING=settings.app_env == "test",
    )
    stand_on(settings)
    app.extensions["blobs"] = blobs_at(settings.blob_url)
    db.init_app(app)
    with app.app_context():
        database_clock.watch(db.engine)


def stand_on(settings: Settings) -> None:
    """What a process keeps once, whichever app asks."""
    use_keyring(Keyring.parse(settings.encryption_keys), current_tenant_id)
    use_links(
        settings.base_url,
        settings.secret_key,
        live_url=settings.live_url,
        menu_domain=settings.menu_domain,
    )
    use_redis(settings.redis_url)
    use_share(settings.web_processes)


def bare_app() -> Flask:
    """For processes without doors: workers, the scheduler."""
    app = Flask("comanda")
    lay_ground(app, load_settings())
    return app
