"""Ids as the samples show them: with the prefix such an id really has."""

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
    "link_id": "plk",
    "menu_id": "mnu",
    "message_id": "msg",
    "other_id": "con",
    "payment_link_id": "plk",
    "print_job_id": "pj",
    "printer_id": "prn",
    "reward_id": "rwd",
    "table_id": "tbl",
    "template_id": "tpl",
}
DEFAULT_ID = f"msg_{ULID}"


def sample_id(name: str) -> str:
    if name == "id":
        return DEFAULT_ID
    return f"{PREFIXES.get(name, name[:3])}_{ULID}"


def id_in_response(path: str, paths: list[str]) -> str:
    """Whose id its answer gives: `reward_id` of /rewards, when there is a /rewards/{reward_id}."""
    ones = [re.fullmatch(r"(.+)/{(\w+)}", one) for one in paths]
    known = {one[1]: one[2] for one in ones if one}
    while path and path not in known and "{" not in path:
        path = path.rpartition("/")[0]
    return str(known.get(path, ""))


def id_of_operation(path: str, paths: list[str]) -> str:
    """What a call is about: what it answers with, else what its address names last."""
    inside = re.findall(r"{(\w+)}", path)
    return id_in_response(path, paths) or str(inside[-1] if inside else "")


def with_own_id(example: Any, name: str) -> Any:
    """An answer whose own id was not said has one of its own kind."""
    if isinstance(example, dict):
        if isinstance(example.get("data"), list):
            example["data"] = [with_own_id(one, name) for one in example["data"]]
        elif example.get("id") == DEFAULT_ID and name.endswith("_id"):
            example["id"] = sample_id(name)
    return example
