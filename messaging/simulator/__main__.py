"""`python -m messaging.simulator --port 8010`; SIMULATOR_SECRET protects all but the network."""

import argparse
import gc
import logging
import os
import sys
from pathlib import Path

from aiohttp import web

from messaging.simulator.access import is_loopback
from messaging.simulator.network.behaviour import (
    LINE_PER_SECOND,
    PAIR_BURST,
    NetworkBehaviour,
)
from messaging.simulator.server import SimulatorOptions, make_app


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m messaging.simulator", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--callback", default="", help="for lines that register without one")
    parser.add_argument("--lines", type=Path, help="a file that keeps the registered lines")
    parser.add_argument("--receipts", choices=("on", "off"), default="on")
    parser.add_argument("--delay-ms", type=int, default=0, help="before each answer to a send")
    parser.add_argument(
        "--limits", choices=("on", "off"), default="off", help="the rate limits of the real network"
    )
    parser.add_argument(
        "--window", choices=("known", "strict", "off"), default="known", help="the 24-hour window"
    )
    given = parser.parse_args(arguments)
    secret = os.environ.get("SIMULATOR_SECRET", "")
    if not secret and not is_loopback(given.host):
        sys.stderr.write("SIMULATOR_SECRET must be set to listen beyond this machine.\n")
        return 2
    logging.basicConfig(level=os.environ.get("LOG_LEVEL", "WARNING"))
    limited = given.limits == "on"
    conditions = NetworkBehaviour(
        receipts=given.receipts == "on",
        delay_ms=given.delay_ms,
        window=given.window,
        pair_burst=PAIR_BURST if limited else 0,
        line_per_second=LINE_PER_SECOND if limited else 0,
    )
    # Many small objects live long here, so frequent collections would be expensive.
    gc.set_threshold(50_000, 20, 50)
    address = os.environ.get("SIMULATOR_URL") or f"http://{given.host}:{given.port}"
    app = make_app(SimulatorOptions(secret, given.callback, given.lines, conditions, address))
    web.run_app(
        app, host=given.host, port=given.port, access_log=None, print=None, shutdown_timeout=2.0
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
