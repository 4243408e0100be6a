"""The store of tenants' files that BLOB_URL names: a folder or an S3-compatible bucket.

``file:///var/lib/comanda/blobs`` or ``s3://bucket/prefix?endpoint=https://host&region=eu-west-1``.
"""

from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from core.storage.blobs import BadBlobUrl, Blobs, FolderBlobs
from core.storage.s3_blobs import S3Blobs


def blobs_at(url: str) -> Blobs:
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path != "":
        return FolderBlobs(Path(unquote(parts.path)))
    if parts.scheme != "s3" or not parts.netloc:
        raise BadBlobUrl("BLOB_URL must be file:///folder or s3://bucket?endpoint=https://host")
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return S3Blobs(
        bucket=parts.netloc,
        prefix=parts.path.strip("/"),
        endpoint=options.get("endpoint"),
        region=options.get("region"),
    )
