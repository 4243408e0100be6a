"""Plan names, which operators can change, for every page that shows one."""

import time
from typing import Any

from flask import Flask
from flask_babel import gettext

from core.i18n.catalogs import N_
from tenants.plans.catalog import every_plan

DEFAULT_NAMES = (N_("Free"), N_("Trial"), N_("Starter"), N_("Growth"))
CACHE_SECONDS = 30.0

_names: dict[str, str] = {}
_base = ""
_until = 0.0


def clear_cache() -> None:
    """Called after a plan was edited here; other processes refresh within half a minute."""
    global _until
    _until = 0.0


def refresh_cache() -> None:
    """Called before a page is rendered, in the transaction that loads the person."""
    global _names, _base, _until
    if time.monotonic() < _until:
        return
    plans = every_plan()
    _names = {plan.code: plan.name for plan in plans}
    _base = next((plan.name for plan in plans if plan.base), "")
    _until = time.monotonic() + CACHE_SECONDS


def plan_title(code: str) -> str:
    return str(gettext(_names.get(code, code)))


def base_plan_name() -> str:
    return str(gettext(_base))


def plan_value(value: Any) -> str:
    """One value of a change, for the plan's history."""
    if isinstance(value, dict):
        return ", ".join(f"{amount} {currency}" for currency, amount in value.items()) or "–"
    return "–" if value in (None, "") else str(value)


def setup_plan_names(app: Flask) -> None:
    app.add_template_filter(plan_value)
    app.jinja_env.globals.update(plan_title=plan_title, base_plan_name=base_plan_name)
