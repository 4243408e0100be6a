"""Tenants' files in an S3-compatible bucket, by boto3.

boto3 finds its access keys itself: in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, in a profile, or
from the machine's role.
"""

import io
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, cast
from urllib.parse import urlsplit

from core.storage.blobs import (
    CHUNK,
    BadBlobUrl,
    Blob,
    BlobEntry,
    BlobError,
    NoSuchBlob,
    checked_key,
    copy_and_hash,
)

DEFAULT_REGION = "us-east-1"
IN_MEMORY = 1024 * 1024
MOST_KEYS_OF_A_LIST = 1000


class S3Blobs:
    def __init__(self, bucket: str, prefix: str, endpoint: str | None, region: str | None) -> None:
        # A service that keeps its files in a folder need not import the library.
        import boto3
        from botocore.config import Config

        session = boto3.session.Session()
        if session.get_credentials() is None:
            raise BadBlobUrl(
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed for the bucket in BLOB_URL"
            )
        self._bucket = bucket
        self._prefix = f"{checked_key(prefix)}/" if prefix else ""
        self._client = session.client(
            "s3",
            endpoint_url=_checked_endpoint(endpoint),
            region_name=region or session.region_name or DEFAULT_REGION,
            config=Config(
                signature_version="s3v4",
                connect_timeout=5,
                read_timeout=30,
                retries={"mode": "standard", "total_max_attempts": 3},
                # Other S3-compatible stores have no host name for each bucket, and not all of
                # them know the newer checksums.
                s3={"addressing_style": "path" if endpoint else "virtual"},
                request_checksum_calculation="when_required",
                response_checksum_validation="when_required",
            ),
        )

    def put(self, key: str, data: bytes | IO[bytes], content_type: str) -> Blob:
        # The size and the hash of the whole body must be known before its first byte is sent.
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as whole:
            size, sha256 = copy_and_hash(data, whole)
            whole.seek(0)
            with self._request(key) as name:
                self._client.put_object(
                    Bucket=self._bucket,
                    Key=name,
                    Body=whole,
                    ContentLength=size,
                    ContentType=content_type,
                )
        return Blob(key, size, sha256, content_type)

    def open(self, key: str) -> BinaryIO:
        with self._request(key) as name:
            body = self._client.get_object(Bucket=self._bucket, Key=name)["Body"]
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, body), CHUNK))

    def delete(self, key: str) -> None:
        with self._request(key) as name:
            self._client.delete_object(Bucket=self._bucket, Key=name)

    def exists(self, key: str) -> bool:
        try:
            with self._request(key) as name:
                self._client.head_object(Bucket=self._bucket, Key=name)
        except NoSuchBlob:
            return False
        return True

    def under(self, folder: str, most: int) -> list[BlobEntry]:
        """At most `most` of the blobs whose keys begin with the folder, and never more than
        1,000.
        """
        with self._request(folder.rstrip("/")) as name:
            found: dict[str, Any] = self._client.list_objects_v2(
                Bucket=self._bucket, Prefix=f"{name}/", MaxKeys=min(most, MOST_KEYS_OF_A_LIST)
            )
        return [
            BlobEntry(entry["Key"].removeprefix(self._prefix), entry["LastModified"])
            for entry in found.get("Contents", ())
        ]

    @contextmanager
    def _request(self, key: str) -> Iterator[str]:
        """The object's name in the bucket; errors of the library become ours."""
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError

        name = self._prefix + checked_key(key)
        try:
            yield name
        except ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode")
            if status == 404 and error.response["Error"]["Code"] != "NoSuchBucket":
                raise NoSuchBlob(f"there is no blob {key}") from None
            raise BlobError(f"the blob store answered {status} for {key}") from error
        except NoCredentialsError as error:
            raise BlobError("the blob store has no access keys") from error
        except BotoCoreError as error:
            raise BlobError(f"the blob store cannot be reached: {type(error).__name__}") from error


def _checked_endpoint(endpoint: str | None) -> str | None:
    if not endpoint:
        return None
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadBlobUrl("the endpoint in BLOB_URL must be http:// or https:// and a host")
    if parts.path.strip("/") or parts.query:
        raise BadBlobUrl("the endpoint in BLOB_URL must have no path")
    return endpoint.rstrip("/")
