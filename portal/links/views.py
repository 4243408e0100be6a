"""Follow a short link. There is no sign-in and no cookie."""

from flask import Blueprint, Response, request

from core.db import tenant_scope
from messaging.links import codes, short_links
from messaging.links.preview_requests import is_person
from portal.diner.views import not_found_page, site_of_host
from portal.web.auth import open_to_all

links = Blueprint("links", __name__)


@links.get(f"{short_links.PATH}<code>")
@open_to_all
def follow(code: str) -> Response:
    """Redirect to the stored address. Nothing in the request can change where it leads.

    On a restaurant's own host, only the links of that restaurant's account work.
    """
    tenant_id = codes.tenant_of(code)
    if tenant_id is None:
        return _unknown()
    own_host = site_of_host()
    if own_host is not None and own_host.tenant_id != tenant_id:
        return _unknown()
    with tenant_scope(tenant_id):
        url = short_links.follow_link(code, person=is_person(request.method, request.headers))
    if url is None:
        return _unknown()
    answer = Response(status=302)
    answer.autocorrect_location_header = False
    answer.headers["Location"] = url
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["X-Robots-Tag"] = "noindex, nofollow"
    return answer


def _unknown() -> Response:
    return not_found_page("no_such_link", "no_such_link_text")
