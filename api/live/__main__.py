"""`python -m api.live --port 8020`: the live server, as a separate process."""

import argparse
import sys

from aiohttp import web

from api.live.server import LiveServer
from core.logs import logger, set_up_logs
from core.settings import SettingsError, load_settings

DEFAULT_PORT = 8020  # the same as in deploy/nginx/upstream.*.conf


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m api.live", description=__doc__)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--host", default="", help="LIVE_HOST unless given")
    options = parser.parse_args(arguments)
    try:
        settings = load_settings()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    set_up_logs(settings)
    logger("comanda.live").info("live server started", port=options.port)
    web.run_app(
        LiveServer(settings).app(),
        host=options.host or settings.live_host,
        port=options.port,
        access_log=None,
        print=None,
        shutdown_timeout=3.0,
        keepalive_timeout=60.0,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
