"""All tools for members' agents, in the order in which they are listed."""

from api.mcp.tools import campaigns, contacts, messages, restaurant
from api.mcp.tools.base import Tool
from tenants.rights import SCOPES

TOOLS: tuple[Tool, ...] = (
    contacts.FIND_CONTACT,
    contacts.LIST_CONVERSATIONS,
    contacts.READ_CONVERSATION,
    messages.DRAFT_REPLY,
    messages.SEND_MESSAGE,
    messages.SEND_TEMPLATE,
    messages.LIST_TEMPLATES,
    messages.GET_MESSAGE,
    campaigns.LIST_CAMPAIGNS,
    campaigns.QUOTE_CAMPAIGN,
    restaurant.LIST_RESTAURANTS,
    restaurant.LIST_ORDERS,
    restaurant.CHANGE_ORDER_STATE,
    restaurant.FIND_MENU_ITEMS,
    restaurant.SET_SOLD_OUT,
    restaurant.DAY_SUMMARY,
    restaurant.FIND_PRINT_PROBLEMS,
)

if unknown := {tool.scope for tool in TOOLS} - set(SCOPES):
    raise RuntimeError(f"tools have unknown scopes: {sorted(unknown)}")
