"""What plans are called: an operator may rename them, and every page says one of the names."""

import time
from typing import Any

from flask import Flask
from flask_babel import gettext

from portal.web.i18n import N_
from tenants.plans.catalog import every_plan

DEFAULT_NAMES = (N_("Free"), N_("Trial"), N_("Starter"), N_("Growth"))
CACHE_SECONDS = 30.0

_names: dict[str, str] = {}
_base = ""
_until = 0.0


def clear_cache() -> None:
    """After a plan was edited here; other processes follow within half a minute."""
    global _until
    _until = 0.0


def refresh_cache() -> None:
    """Before a page is drawn, in the transaction that asks who is there."""
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
    """One side of a change, as the plan's history shows it."""
    if isinstance(value, dict):
        return ", ".join(f"{amount} {currency}" for currency, amount in value.items()) or "–"
    return "–" if value in (None, "") else str(value)


def setup_plan_names(app: Flask) -> None:
    app.add_template_filter(plan_value)
    app.jinja_env.globals.update(plan_title=plan_title, base_plan_name=base_plan_name)
