"""Which group of a campaign a contact is in: the holdout group, or a variant.

The group follows from a hash of campaign and contact, so it is the same on every call, and each
campaign divides the contacts differently.
"""

from collections.abc import Sequence
from hashlib import blake2b

HOLDOUT = "holdout"
VARIANT_NAMES = ("A", "B", "C", "D")
_RANGE = 1 << 64


def assign(campaign_id: str, contact_id: str, holdout_percent: int, weights: Sequence[int]) -> str:
    """`weights` are those of the variants, A first. With one variant and no holdout it is ""."""
    if holdout_percent and _fraction("holdout", campaign_id, contact_id) * 100 < holdout_percent:
        return HOLDOUT
    if len(weights) < 2:
        return VARIANT_NAMES[0] if holdout_percent else ""
    point = _fraction("variant", campaign_id, contact_id) * sum(weights)
    for name, weight in zip(VARIANT_NAMES, weights, strict=False):
        if point < weight:
            return name
        point -= weight
    return VARIANT_NAMES[len(weights) - 1]


def _fraction(purpose: str, campaign_id: str, contact_id: str) -> float:
    """Between 0 and 1. The purpose makes the two draws independent."""
    key = f"{purpose} {campaign_id} {contact_id}".encode()
    return int.from_bytes(blake2b(key, digest_size=8).digest()) / _RANGE
