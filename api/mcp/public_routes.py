"""POST /mcp/r/<slug>: the public MCP server of a restaurant, for guests' own agents."""

from typing import Any

from flask import Response

from api.address_limits import seconds_to_wait
from api.mcp.protocol import McpServer
from api.mcp.routes import mcp_routes, read_rpc_body, rpc_response
from api.mcp.tools.base import Tool
from api.mcp.tools.public_menu import PUBLIC_TOOLS, PublicCall
from core.db import global_scope, tenant_scope
from core.errors import NotFound, RateLimited
from restaurant.models import Site
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

RATE, BURST = 2, 30
INSTRUCTIONS = (
    "The menu of a restaurant. Show the guest price and allergens before you make a cart. A cart "
    "is not an order: give the guest the chat link, and the guest presses send."
)


@mcp_routes.post("/mcp/r/<slug>")
def menu_tools(slug: str) -> Response:
    seconds = seconds_to_wait("menu_tools", rate=RATE, burst=BURST)
    if seconds is not None:
        raise RateLimited(
            "Too many requests. Wait {seconds} s and try again.",
            retry_after=seconds,
            seconds=seconds,
        )
    with global_scope():
        found = sites.find_by_slug(slug)
    if found is None:
        raise NotFound("There is no restaurant at this address.")
    tenant_id, site_id = found

    def run(tool: Tool, arguments: dict[str, Any]) -> dict[str, Any]:
        given = tool.arguments.model_validate(arguments)
        with tenant_scope(tenant_id):
            return tool.run(PublicCall(sites.get(site_id)), given)

    site = _open_site(tenant_id, site_id)
    server = McpServer("comanda-menu", site.name, INSTRUCTIONS, PUBLIC_TOOLS, run, shared_list=True)
    return rpc_response(server, read_rpc_body())


def _open_site(tenant_id: int, site_id: str) -> Site:
    """Raises NotFound for a restaurant whose account is suspended or closed."""
    with tenant_scope(tenant_id):
        if current_tenant_facts().state != "active":
            raise NotFound("There is no restaurant at this address.")
        return sites.get(site_id)
