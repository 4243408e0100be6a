"""Example ids with the prefix that real ids of that kind have."""

import re
from typing import Any

ULID = "01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
# Where the prefix is not the first three letters of the field's name.
PREFIXES = {
    "agent_id": "agt",
    "campaign_id": "cmp",
    "connection_id": "cnx",
    "conversation_id": "cnv",
    "coupon_id": "cpn",
    "delivery_id": "dlv",
    "endpoint_id": "ep",
    "event_id": "evt",
    "fallback_id": "prn",
    "gift_id": "rwd",
    "group_id": "ogr",
    "item_id": "itm",
    "journey_id": "jny",
    "label_id": "lbl",
    "link_id": "plk",
    "menu_id": "mnu",
    "message_id": "msg",
    "other_id": "con",
    "payment_link_id": "plk",
    "tab_id": "tab",
    "print_job_id": "pj",
    "printer_id": "prn",
    "reward_id": "rwd",
    "run_id": "jrn",
    "table_id": "tbl",
    "template_id": "tpl",
}
DEFAULT_ID = f"msg_{ULID}"


def sample_id(name: str) -> str:
    if name == "id":
        return DEFAULT_ID
    return f"{PREFIXES.get(name, name[:3])}_{ULID}"


def id_in_response(path: str, paths: list[str]) -> str:
    """The id that the response contains: `reward_id` for /rewards if /rewards/{reward_id}
    exists.
    """
    ones = [re.fullmatch(r"(.+)/{(\w+)}", one) for one in paths]
    known = {one[1]: one[2] for one in ones if one}
    while path and path not in known and "{" not in path:
        path = path.rpartition("/")[0]
    return str(known.get(path, ""))


def id_of_operation(path: str, paths: list[str]) -> str:
    """The id an operation is about: that of its response, else the last one in its path."""
    inside = re.findall(r"{(\w+)}", path)
    return id_in_response(path, paths) or str(inside[-1] if inside else "")


def with_own_id(example: Any, name: str) -> Any:
    """Give the example an id of its own kind, unless it has a specific one already."""
    if isinstance(example, dict):
        if isinstance(example.get("data"), list):
            example["data"] = [with_own_id(one, name) for one in example["data"]]
        elif example.get("id") == DEFAULT_ID and name.endswith("_id"):
            example["id"] = sample_id(name)
    return example
