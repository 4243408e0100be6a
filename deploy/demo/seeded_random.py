"""Loaded dice: the demo tells the same story each time it is loaded."""

import random

from core.db import tenant_scope
from restaurant.sites import sites


def seeded_random(what: str, tenant_id: int, site_id: str) -> random.Random:
    """By the restaurant's prefix: its id is another one at each load."""
    with tenant_scope(tenant_id):
        prefix = sites.get(site_id).prefix
    return random.Random(f"{what} {prefix}")  # noqa: S311 - a demo, not a secret
