# ruff: noqa: N999 - gunicorn looks for this name
"""The alternative web server: `gunicorn --config deploy/gunicorn.conf.py wsgi:app`.

We run Granian (docs/decisions/0009-granian-first.md). This file is for installations that already
use gunicorn; it reads the same environment.
"""

import os

bind = f"0.0.0.0:{os.environ.get('PORT', '8000')}"
worker_class = "gthread"
workers = int(os.environ.get("GUNICORN_WORKERS", "2"))
threads = int(os.environ.get("GUNICORN_THREADS", "64"))

# A thread may wait 25 s for an agent's poll; a process without a heartbeat for this long is stuck.
timeout = 60
graceful_timeout = 30
# Longer than nginx keeps an idle connection to us, so that nginx closes it first.
keepalive = 75

# On a slow or read-only disk, missing heartbeats would look like a stuck process.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112, S108

# The app itself logs one line for each response, with the request id.
accesslog = None
errorlog = "-"
loglevel = "warning"


def child_exit(server: object, worker: object) -> None:  # noqa: ARG001 - gunicorn's own names
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[attr-defined,no-untyped-call]
