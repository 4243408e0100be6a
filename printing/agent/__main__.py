"""`python print-agent.pyz --server https://… --pair 7KQ2-M9XD --install`"""

import argparse
import logging
import logging.handlers
import os
import re
import signal
import socket
import sys
import time
from pathlib import Path

from printing.agent import VERSION, autostart, chaos
from printing.agent.journal import Journal
from printing.agent.polling import Agent, load_pairing, pair, save_pairing
from printing.agent.server_client import Pairing, RequestRefused, TokenRevoked

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

log = logging.getLogger("agent")

EXIT_USAGE, EXIT_PAIR_AGAIN = 2, 3
"""Exit codes; systemd does not restart it after either."""


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    data = Path(options.data).expanduser()
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    _set_up_log(options.log)
    if options.uninstall:
        autostart.uninstall()
        log.info("The agent no longer starts with this computer. Its pairing is kept in %s.", data)
        return 0
    try:
        chaos.arm(os.environ)
    except ValueError as wrong:
        log.error("%s", wrong)
        return EXIT_USAGE
    if options.install:
        return _install(options, data)
    if not _lock_journal(data / "lock"):
        log.error("An agent is already running with the data folder %s.", data)
        return EXIT_USAGE
    journal = Journal(data / "journal.sqlite")
    try:
        pairing = _paired(options, data / "agent.json", journal)
    except (RequestRefused, TokenRevoked) as refused:
        log.error("%s Create a new pairing code in the portal under Printers.", refused)
        return EXIT_PAIR_AGAIN
    if pairing is None:
        log.error("This computer is not paired yet. Start the agent with --server URL --pair CODE.")
        return EXIT_USAGE
    networks = [] if options.no_scan else options.scan
    agent = Agent(pairing, journal, Path(options.demo or data / "demo"), networks)
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signal_number, lambda *_: agent.stop())
    log.info("Print agent %s started for %s at %s", VERSION, pairing.site, pairing.server)
    agent.run()
    journal.close()
    return EXIT_PAIR_AGAIN if agent.revoked else 0


def _install(options: argparse.Namespace, data: Path) -> int:
    """Pair first, so that a wrong code is reported here and not in a log."""
    journal = Journal(data / "journal.sqlite")
    try:
        pairing = _paired(options, data / "agent.json", journal)
        if pairing is None:
            log.error("Add --server URL and --pair CODE.")
            return EXIT_USAGE
        where = autostart.install(data)
    except (RequestRefused, TokenRevoked) as refused:
        log.error("%s Create a new pairing code in the portal under Printers.", refused)
        return EXIT_PAIR_AGAIN
    except autostart.CannotInstall as reason:
        log.error("%s", reason)
        return EXIT_USAGE
    finally:
        journal.close()
    log.info("The agent for %s is running. It starts with this computer.", pairing.site)
    log.info("You can close this window. The log is here: %s", where)
    return 0


def _set_up_log(file: str | None) -> None:
    """Log to the window, or to a rotating file."""
    to: logging.Handler = logging.StreamHandler(sys.stdout)
    form = "%H:%M:%S"
    if file:
        to = logging.handlers.RotatingFileHandler(file, maxBytes=1_000_000, backupCount=2)
        form = "%Y-%m-%d %H:%M:%S"
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s  %(message)s", datefmt=form, handlers=[to]
    )


def _lock_journal(path: Path) -> bool:
    """Return False if another agent has the lock. Two agents with one journal would print twice."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _paired(options: argparse.Namespace, path: Path, journal: Journal) -> Pairing | None:
    """Return the pairing; None if there is none and no code was given.

    A code is used once. If the agent is started again with the same code, it keeps its token.
    """
    known = load_pairing(path)
    code = re.sub(r"\s", "", options.pair or "").upper()
    if known is not None and (not code or code == known.code):
        return known
    if not code or not options.server:
        return None
    pairing = pair(options.server, code, socket.gethostname(), time.sleep)
    if known is None or known.agent_id != pairing.agent_id:
        journal.release_unprinted()
    save_pairing(path, pairing)
    log.info("Paired with %s.", pairing.site)
    return pairing


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="print-agent",
        description="Prints the tickets of one restaurant on its local printers.",
    )
    parser.add_argument("--server", help="address of the service, such as https://comanda.example")
    parser.add_argument(
        "--pair", metavar="CODE", help="the pairing code from the portal; it works once"
    )
    parser.add_argument("--data", metavar="DIR", default="~/.print-agent", help="folder for data")
    parser.add_argument("--demo", metavar="DIR", help="folder for the demo printer's pictures")
    parser.add_argument(
        "--scan", metavar="NET", action="append", help="scan this network for printers"
    )
    parser.add_argument("--no-scan", action="store_true", help="do not scan for printers")
    parser.add_argument("--log", metavar="FILE", help="write messages to this file")
    parser.add_argument(
        "--install", action="store_true", help="run in the background and start with this computer"
    )
    parser.add_argument(
        "--uninstall",
        action="store_true",
        help="stop the agent and no longer start it with this computer",
    )
    parser.add_argument("--version", action="version", version=VERSION)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
