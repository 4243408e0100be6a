"""A worker that runs one RQ job for each message, to compare with.

`python -m bench.baselines.rq_job_per_message` starts one.
"""

import json
import os
import sys
from contextlib import suppress

import psycopg2
import urllib3
from redis import Redis
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from bench.baselines.minimal import SENT, network_call

SERIALIZER = JSONSerializer  # of the queue and of its workers

_open: dict[str, object] = {}


def baseline_queue(redis: Redis) -> Queue:
    """A queue that no worker of the service reads."""
    return Queue("bench", connection=redis, serializer=SERIALIZER)


def send(tenant_id: int, message_id: str) -> None:
    """Read the message, send it, store the result."""
    if not _open:
        _open["network"] = urllib3.PoolManager()
        _open["database"] = psycopg2.connect(os.environ["FLOOR_DATABASE_URL"])
    database: psycopg2.extensions.connection = _open["database"]  # type: ignore[assignment]
    network: urllib3.PoolManager = _open["network"]  # type: ignore[assignment]
    database.autocommit = True
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT line, phone, text FROM floor_messages WHERE tenant_id = %s AND id = %s",
            (tenant_id, message_id),
        )
        line, phone, text = cursor.fetchone() or ("", "", "")
        data, headers = network_call(line, phone, text, message_id)
        url = f"{os.environ['CLOUD_BASE_URL']}/v23.0/{line}/messages"
        answer = network.request("POST", url, body=data, headers=headers)
        network_id = json.loads(answer.data)["messages"][0]["id"]
        cursor.execute(SENT, (network_id, tenant_id, message_id))


def main() -> None:
    redis = Redis.from_url(os.environ["REDIS_URL"])
    worker = SimpleWorker([baseline_queue(redis)], connection=redis, serializer=SERIALIZER)
    print("ready", flush=True)
    sys.stdin.readline()
    with suppress(StopRequested):  # the bench may stop it while it is shutting down
        worker.work(burst=True, logging_level="WARNING")


if __name__ == "__main__":
    main()
