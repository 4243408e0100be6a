"""Random generators with a fixed seed: the demo data is the same at every load."""

import random

from core.db import tenant_scope
from restaurant.sites import sites


def seeded_random(what: str, tenant_id: int, site_id: str) -> random.Random:
    """Seeded by the restaurant's prefix, because its id changes at every load."""
    with tenant_scope(tenant_id):
        prefix = sites.get(site_id).prefix
    return random.Random(f"{what} {prefix}")  # noqa: S311 - a demo, not a secret
