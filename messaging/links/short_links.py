"""Short links: create them, follow them, and join what happens afterwards.

A link that opens a menu carries a signed token, `?via=…`, from the redirect to the cart. So a visit
and an order are joined with the message without a cookie.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode, urlsplit, urlunsplit

from sqlalchemy import TextClause, text

from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.ids import to_uuid
from core.security.signed_urls import absolute_url, read_signed, sign_value
from core.security.signing import BadToken
from messaging.links import codes, menu_port

PATH = "/l/"
PURPOSE = "short-link"
TOKEN_LIFETIME = timedelta(days=30)
LONGEST_URL = 2000
LONGEST_TOKEN = 200

INSERT_LINKS = text("""
INSERT INTO short_links (tenant_id, code, campaign_id, contact_id, url, menu, created_at, clicks,
                         orders, spent)
SELECT :tenant_id, one.code, :campaign_id, one.contact_id, one.url, one.menu, :now, 0, 0, 0
  FROM unnest(CAST(:codes AS text[]), CAST(:contacts AS uuid[]), CAST(:urls AS text[]),
              CAST(:menus AS boolean[])) AS one (code, contact_id, url, menu)
RETURNING code
""")
FIND_LINK = text("""
SELECT url, menu FROM short_links WHERE tenant_id = :tenant_id AND code = :code
""")
RECORD_CLICK = text("""
UPDATE short_links SET clicks = clicks + 1, clicked_at = coalesce(clicked_at, :now)
 WHERE tenant_id = :tenant_id AND code = :code
RETURNING url, menu
""")
RECORD_VISIT = text("""
UPDATE short_links SET visited_at = :now
 WHERE tenant_id = :tenant_id AND code = :code AND visited_at IS NULL
""")
RECORD_CART = text("""
UPDATE short_links
   SET cart_at = coalesce(cart_at, :now), visited_at = coalesce(visited_at, :now)
 WHERE tenant_id = :tenant_id AND code = :code
""")


@dataclass(frozen=True)
class NewLink:
    code: str
    contact_id: str
    url: str


def is_address(url: str) -> bool:
    """Whether a link may lead there: a full web address of ordinary length.

    Addresses with a user name (`https://bank.example@other.example`) or a backslash hide the host
    that they lead to, and browsers read them in different ways.
    """
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname)
        known = known and "@" not in parts.netloc and "\\" not in url
    except ValueError:
        return False
    plain = url.isprintable() and not any(one.isspace() for one in url)
    return known and plain and len(url) <= LONGEST_URL


def new_code() -> str:
    return codes.new_code(current_tenant_id())


def base_url(site_id: str = "") -> str:
    """Where the tenant's links are: its own host, else the service's. Ends with `/l/`."""
    own = menu_port.own_base_url(site_id)
    return f"{own}{PATH}" if own else absolute_url(PATH)


def store_links(campaign_id: str, links: Sequence[NewLink]) -> None:
    if not links:
        return
    menus: dict[str, bool] = {}
    for one in links:
        menus.setdefault(one.url, menu_port.is_menu(one.url))
    db.session.execute(
        INSERT_LINKS,
        {
            "tenant_id": current_tenant_id(),
            "campaign_id": str(to_uuid("cmp", campaign_id)),
            "now": now(),
            "codes": [one.code for one in links],
            "contacts": [str(to_uuid("con", one.contact_id)) for one in links],
            "urls": [one.url for one in links],
            "menus": [menus[one.url] for one in links],
        },
    )


def follow_link(code: str, *, person: bool) -> str | None:
    """The stored address, with the token if it opens a menu; None if the link does not exist.

    A click of a person is counted in the statement that reads the address.
    """
    params = {"tenant_id": current_tenant_id(), "code": code}
    if not person:
        rows = read_rows(FIND_LINK, params)
        return rows[0].url if rows else None
    row = db.session.execute(RECORD_CLICK, {**params, "now": now()}).first()
    if row is None:
        return None
    return with_token(row.url, code) if row.menu else row.url


def with_token(url: str, code: str) -> str:
    parts = urlsplit(url)
    token = urlencode({"via": sign_value(PURPOSE, code, TOKEN_LIFETIME)})
    query = f"{parts.query}&{token}" if parts.query else token
    return urlunsplit(parts._replace(query=query))


def read_via(token: str) -> str:
    """The code in a token, or empty: a menu opens with any token, also with a changed one."""
    if not token or len(token) > LONGEST_TOKEN:
        return ""
    try:
        code = read_signed(PURPOSE, token)
    except BadToken:
        return ""
    own = isinstance(code, str) and codes.tenant_of(code) == current_tenant_id()
    return code if own else ""


def record_visit(code: str) -> None:
    _record(RECORD_VISIT, code)


def record_cart(code: str) -> None:
    _record(RECORD_CART, code)


def _record(statement: TextClause, code: str) -> None:
    params = {"tenant_id": current_tenant_id(), "code": code, "now": now()}
    db.session.execute(statement, params)
