# ruff: noqa: N999 - gunicorn looks for this name
"""The other web server: `gunicorn --config deploy/gunicorn.conf.py wsgi:app`.

Granian is the one we run (docs/decisions/0009-granian-first.md); this is kept for places
that know gunicorn, and works with the same environment.
"""

import os

bind = f"0.0.0.0:{os.environ.get('PORT', '8000')}"
worker_class = "gthread"
workers = int(os.environ.get("GUNICORN_WORKERS", "2"))
threads = int(os.environ.get("GUNICORN_THREADS", "64"))

# A thread may wait for an agent's poll (25 s); a process that says nothing for this long is stuck.
timeout = 60
graceful_timeout = 30
# Longer than nginx keeps an idle connection to us, so that it is nginx who closes.
keepalive = 75

# Heartbeats on a disk that is slow or read-only look like a stuck process.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112, S108

# The app writes one line for each answer itself, with the request id.
accesslog = None
errorlog = "-"
loglevel = "warning"


def child_exit(server: object, worker: object) -> None:  # noqa: ARG001 - gunicorn's own names
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        from prometheus_client import multiprocess

        multiprocess.mark_process_dead(worker.pid)  # type: ignore[attr-defined,no-untyped-call]
