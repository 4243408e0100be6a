"""Destructive actions: a GET asks for confirmation, a POST to the same URL acts."""

from collections.abc import Callable
from typing import Any

from flask import flash, g, redirect, render_template, request

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from portal.web.i18n import error_message


def in_tenant(act: Callable[..., object], *given: object) -> Callable[[], object]:
    """Wrap `act(*given)` in a transaction of the tenant, for `confirm_then`."""

    def done() -> object:
        with tenant_scope(g.tenant_id):
            return act(*given)

    return done


def confirm_then(
    act: Callable[[], object],
    *,
    title: str,
    text: str,
    yes: str,
    back_url: str,
    done: str,
    done_url: str = "",
    calm: bool = False,
) -> Any:
    """Ask on GET, run `act` on POST. `act` opens its own scope.

    A DomainError is shown on the page that the person came from.
    """
    if request.method == "GET":
        return render_template(
            "shared/confirm.html", title=title, text=text, yes=yes, back_url=back_url, calm=calm
        )
    try:
        act()
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(back_url)
    flash(done, "success")
    return redirect(done_url or back_url)
