"""The menu under the API's base URL (spec 4.3 and 9)."""

from typing import Any

from flask import redirect, request, url_for

from core.errors import NotFound
from portal.diner.views import diner, site_of_host
from portal.web.auth import open_to_all


@diner.get("/api/v1/menu")
@open_to_all
def menu_by_api() -> Any:
    """On a restaurant's own host, redirect to the diner's page."""
    if site_of_host() is None:
        raise NotFound("On a restaurant's own domain, this address opens its menu.")
    query = request.query_string.decode("ascii", "ignore")
    return redirect(url_for("diner.menu_here") + (f"?{query}" if query else ""))
