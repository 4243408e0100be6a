"""Simulated lines: what their phones call a business, and where they may not be live."""

import click
import pytest
from flask.cli import ScriptInfo
from sqlalchemy.exc import OperationalError

import wsgi
from core.monitoring import service_state
from core.security.signing import read_token
from core.settings import SettingsError
from jobs import worker
from messaging.lines import repository as line_repository
from messaging.lines.simulated_line import add_simulated_line, refuse_live_simulated_lines
from messaging.token_purposes import LINE


def shown(line):
    return read_token("secret", LINE, line.token)["name"]


def test_a_simulated_phone_names_the_business(restaurant):
    """Chats with several businesses are not all called "Test line"."""
    with restaurant.scope():
        live = add_simulated_line("Front desk", "http://localhost", "secret", test=False)
        trial = add_simulated_line("Test line", "http://localhost", "secret", test=True)
        assert shown(live) == "Lokanta Mavi"
        assert shown(trial) == "Lokanta Mavi · Test line"


@pytest.fixture
def production(settings):
    return settings.model_copy(update={"app_env": "production"})


def test_production_does_not_start_with_a_live_line_on_the_simulated_network(
    app, restaurant, settings, production
):
    """Otherwise each of its messages would be refused."""
    with restaurant.scope():
        live = add_simulated_line("Front desk", "http://localhost", "secret", test=False)
        trial = add_simulated_line("Test line", "http://localhost", "secret", test=True)
    with pytest.raises(SettingsError, match="lines disable-simulated"):
        refuse_live_simulated_lines(production)
    refuse_live_simulated_lines(settings)
    done = app.test_cli_runner().invoke(args=["lines", "disable-simulated"])
    assert f"Front desk, tenant {restaurant.tenant_id}" in done.output
    assert "Test line" not in done.output
    refuse_live_simulated_lines(production)
    with restaurant.scope():
        assert not line_repository.get(live.id).enabled
        assert line_repository.get(trial.id).enabled


def test_web_and_workers_check_it_when_they_start(app, settings, production, monkeypatch):
    monkeypatch.setattr(service_state, "measure_figure", lambda _name: 2.0)
    monkeypatch.setattr(wsgi, "load_settings", lambda: production)
    monkeypatch.setattr(wsgi, "build_app", lambda _settings: app)
    with pytest.raises(SystemExit, match="2 live line"):
        wsgi.create_app()
    with click.Context(click.Command("lines"), obj=ScriptInfo()):
        assert wsgi.create_app() is app, "commands run, because one of them repairs it"
    monkeypatch.setitem(app.extensions, "comanda", production)
    monkeypatch.setattr(worker, "create_worker_app", lambda: app)
    with pytest.raises(SystemExit, match="2 live line"):
        worker.main(["sends"])


def test_a_database_that_is_down_does_not_stop_the_start(app, production, monkeypatch):
    def is_down(_name):
        raise OperationalError("SELECT 1", {}, Exception("down"))

    monkeypatch.setattr(service_state, "measure_figure", is_down)
    with app.app_context():
        refuse_live_simulated_lines(production)
