"""Access to everything but the network's own paths: the service uses the secret, people a token.

Without a secret the simulator listens on this machine only and is open to it. Then pages of other
sites in the same browser must be kept out.
"""

from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from yarl import URL

from core.i18n.catalogs import N_
from core.security.signing import constant_time_equal
from messaging.simulator.i18n import COOKIE as LANGUAGE
from messaging.simulator.i18n import translate_for
from messaging.simulator.phones.access_links import LINK_VALIDITY, tenant_of_token

SECRET_HEADER = "X-Simulator-Secret"  # noqa: S105 - a header's name
COOKIE = "phones_ticket"
LINK_EXPIRED = N_("Your access has expired. Open the simulated phones from the portal again.")
TENANT = "tenant_id"  # in a request: whose phones may be seen; missing without a secret
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def service_only(secret: str) -> Middleware:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if secret:
            if not constant_time_equal(request.headers.get(SECRET_HEADER, ""), secret):
                return web.json_response({"error": f"{SECRET_HEADER} is wrong"}, status=401)
        elif not _is_own_host(request):
            return web.json_response({"error": "asked for by another site"}, status=403)
        return await handler(request)

    return check


def people_only(secret: str) -> Middleware:
    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.method != "GET" and not _same_site(request):
            raise web.HTTPForbidden(text="asked for by another site")
        if not secret:
            if not _is_own_host(request):
                raise web.HTTPForbidden(text="asked for by another site")
        elif token := request.query.get("ticket"):
            if tenant_of_token(secret, token) is None:
                raise web.HTTPForbidden(text=translate_for(request, LINK_EXPIRED))
            return _admit(request, token)
        elif (tenant := tenant_of_token(secret, request.cookies.get(COOKIE, ""))) is not None:
            request[TENANT] = tenant
        else:
            raise web.HTTPForbidden(text=translate_for(request, LINK_EXPIRED))
        if "lang" in request.query:
            return _admit(request)
        response = await handler(request)
        if not response.prepared:
            response.headers.update(HEADERS)
        return response

    return check


HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def _admit(request: web.Request, token: str = "") -> web.Response:
    """Move token and language from the URL to cookies."""
    onward = request.rel_url.without_query_params("ticket", "lang")
    response = web.Response(status=303, headers={"Location": str(onward), **HEADERS})
    for name, value in ((COOKIE, token), (LANGUAGE, request.query.get("lang", ""))):
        if value:
            response.set_cookie(
                name,
                value,
                max_age=int(LINK_VALIDITY.total_seconds()),
                path="/phones",
                httponly=True,
                secure=request.scheme == "https",
                samesite="Lax",  # the portal, which has the link, may be on another host
            )
    return response


def _is_own_host(request: web.Request) -> bool:
    """A foreign host name that resolves to this machine is rejected."""
    return is_loopback(URL(f"http://{request.host}").host or "") and _same_site(request)


def _same_site(request: web.Request) -> bool:
    fetch_site = request.headers.get("Sec-Fetch-Site", "none")
    if fetch_site == "same-origin":  # a form on a page without a referrer sends the origin null
        return True
    if fetch_site != "none":
        return request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
    origin = request.headers.get("Origin")
    return origin is None or URL(origin).authority == request.host
