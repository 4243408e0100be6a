"""From nothing to a webhook on localhost: `python -m bench.developers.first_webhook`.

With an installed virtualenv and no data: starts everything that `make run` starts, with the demo;
then `comanda listen` and `comanda trigger guest.writes` with the test key that it prints. Measures
until the signed event has arrived on a local server, and fails after 60 seconds.
"""

import http.server
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.results import write
from deploy.local.ports import any_free

ROOT = Path(__file__).resolve().parents[2]
CLI = ROOT / "clients" / "cli" / "comanda_cli.py"
LIMIT_SECONDS, GIVE_UP_SECONDS = 60.0, 400.0
WELCOME_ENDS = "Ctrl-C stops everything."
TEST_KEY = re.compile(r"ck_test_[0-9A-Za-z]{36}")


class Receiver:
    """A local server that keeps the first signed request."""

    def __init__(self) -> None:
        arrived = self.arrived = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                if self.headers.get("webhook-signature"):
                    arrived.set()

            def log_message(self, *_: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/webhooks"


def measure(folder: Path) -> dict[str, float]:
    port, receiver, output = any_free(), Receiver(), folder / "output"
    clean = {k: v for k, v in os.environ.items() if not k.endswith(("_URL", "PASSWORD"))}
    began = time.monotonic()
    with output.open("wb") as written:
        service = subprocess.Popen(
            [sys.executable, "-m", "deploy.local", "run"],
            cwd=ROOT,
            env=clean | {"DATA_DIR": str(folder / "data"), "PORT": str(port)},
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    listener = None
    try:
        key = _printed_key(service, output, began)
        steps = {"service": time.monotonic() - began}
        environment = clean | {
            "COMANDA_URL": f"http://127.0.0.1:{port}",
            "COMANDA_API_KEY": key,
            "HOME": str(folder),
        }
        command = [sys.executable, str(CLI)]
        listener = subprocess.Popen(
            [*command, "listen", "--forward-to", receiver.url],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        if listener.stdout is None or not listener.stdout.readline():
            raise RuntimeError("comanda listen did not start")
        steps["listening"] = time.monotonic() - began
        trigger = [*command, "trigger", "guest.writes"]
        subprocess.run(trigger, env=environment, check=True, capture_output=True)
        if not receiver.arrived.wait(GIVE_UP_SECONDS):
            raise RuntimeError("no webhook arrived")
        return steps | {"webhook": time.monotonic() - began}
    finally:
        if listener is not None:
            listener.kill()
            listener.wait()
        service.send_signal(signal.SIGINT)
        service.wait(60)


def _printed_key(service: subprocess.Popen[bytes], output: Path, began: float) -> str:
    while time.monotonic() < began + GIVE_UP_SECONDS:
        text = output.read_text()
        found = TEST_KEY.search(text)
        if found is not None and WELCOME_ENDS in text:
            return found[0]
        if service.poll() is not None:
            raise RuntimeError(text[-2000:])
        time.sleep(0.05)
    raise RuntimeError(f"the service did not start: {output.read_text()[-2000:]}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        steps = measure(Path(folder))
    print(", ".join(f"{name} after {seconds:.1f} s" for name, seconds in steps.items()))
    value = round(steps["webhook"], 1)
    write({"first_webhook": {"value": value, "unit": "s from make run to a webhook"}})
    return 0 if value <= LIMIT_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
