"""Photos of dishes and logos, scaled down before they are stored."""

from datetime import timedelta
from hashlib import sha256
from io import BytesIO

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.storage.blobs import BlobEntry, Blobs
from core.storage.images import TooManyPixels, UnreadableImage, reencode_image

LARGEST_BYTES = 12 * 1024 * 1024
SIDE = 960
KINDS = ("JPEG", "PNG", "WEBP")
FOLDER = "photos"
UNUSED_AFTER = timedelta(days=2)  # longer than a form stays open and than browsers cache a page
BATCH = 1000
# Diners see the current version; carts may still be priced by the previous one.
USED_PHOTOS = text("""
SELECT photo FROM menu_items WHERE tenant_id = :tenant_id AND photo <> ''
UNION
SELECT logo FROM sites WHERE tenant_id = :tenant_id AND logo <> ''
UNION
SELECT jsonb_path_query(version.content, '$.categories[*].items[*].photo') #>> '{}'
  FROM menus AS menu
  JOIN menu_versions AS version
    ON version.tenant_id = menu.tenant_id AND version.menu_id = menu.id
   AND version.number >= menu.version - 1
 WHERE menu.tenant_id = :tenant_id AND version.tenant_id = :tenant_id
""")


def save_photo(blobs: Blobs, data: bytes, tenant_id: int) -> str:
    """Store the photo and return its key. Call it outside a transaction: scaling takes time."""
    small = _small(data)
    key = f"{tenant_id}/{sha256(small).hexdigest()[:32]}.webp"
    blobs.put(f"{FOLDER}/{key}", small, "image/webp")
    return key


def listed(blobs: Blobs, tenant_id: int) -> list[BlobEntry]:
    """All stored photos of the tenant. Call it outside a transaction: a bucket may be slow."""
    return blobs.under(f"{FOLDER}/{tenant_id}", BATCH)


def unused(blobs: list[BlobEntry]) -> list[str]:
    """The keys of photos that were replaced, or uploaded but never saved."""
    used = set(db.session.scalars(USED_PHOTOS, {"tenant_id": current_tenant_id()}))
    old = [one.key for one in blobs if one.changed_at < now() - UNUSED_AFTER]
    return [key for key in old if key.removeprefix(f"{FOLDER}/") not in used]


def _small(data: bytes) -> bytes:
    if len(data) > LARGEST_BYTES:
        raise invalid("photo", "too_large", "A photo can be at most 12 MB.")
    try:
        return reencode_image(BytesIO(data), SIDE, "WEBP", quality=80, formats=KINDS)
    except TooManyPixels:
        raise invalid(
            "photo",
            "too_large",
            "The photo's resolution is too high. Make it smaller and upload it again.",
        ) from None
    except UnreadableImage:
        raise invalid(
            "photo", "not_a_photo", "Only JPEG, PNG and WebP images can be used."
        ) from None
