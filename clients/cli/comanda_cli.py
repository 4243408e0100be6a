"""comanda: send messages, forward events to a local server and trigger test events.

Exit codes: 0 done, 1 refused by the service, 2 wrong usage, 3 no valid API key, 4 no connection.
"""

import argparse
import base64
import getpass
import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import uuid
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote, urlencode, urlsplit

VERSION = "1.0.0"
DEFAULT_URL = "http://127.0.0.1:8000"
POLL_SECONDS, PAGE = 25, 200
BEYOND_ALL = 2**63 - 1  # a number after the newest event
REFUSED, USAGE, NO_KEY, NO_CONNECTION = 1, 2, 3, 4
# Each of these sends a test message to a number of the simulated network; docs: Magic numbers.
SEND_TRIGGERS = {
    "receipt.read": ("905321112233", "messages.sent, messages.delivered, messages.read"),
    "receipt.late": ("905550000007", "the same, after 5 s"),
    "receipt.failed": ("905550000012", "messages.sent, messages.failed"),
    "message.undeliverable": ("905550000001", "messages.failed"),
    "message.unknown": ("905550000006", "messages.unknown, then messages.sent"),
    "window.closed": ("905550000002", "messages.failed"),
    "guest.opted_out": ("905550000004", "messages.failed"),
}
API_TRIGGERS = {
    "guest.writes": "messages.upsert",
    "guest.sends_photo": "messages.upsert",
    "guest.sends_voice": "messages.upsert",
    "guest.sends_location": "messages.upsert",
    "guest.sends_contact": "messages.upsert",
    "guest.orders": "restaurant.order_created",
    "line.banned": "instances.restricted",
    "line.restored": "instances.connected",
    "line.quality_low": "instances.restricted",
    "line.quality_high": "instances.connected",
}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


class Failure(Exception):
    """An error for the person: the text is shown, and the program ends with `code`."""

    def __init__(self, message: str, code: int = REFUSED) -> None:
        super().__init__(message)
        self.code = code


class NoConnection(Exception):
    """The request did not get a complete response; it may be repeated."""


class Interruption:
    """Ctrl-C and SIGTERM end the program, but not between posting an event and noting it."""

    def __init__(self) -> None:
        self.requested = self.held = False

    def on_signal(self, *_: object) -> None:
        if not self.held or self.requested:
            raise KeyboardInterrupt
        self.requested = True

    @contextmanager
    def hold(self) -> Iterator[None]:
        self.held = True
        try:
            yield
        finally:
            self.held = False
        if self.requested:
            raise KeyboardInterrupt


interruption = Interruption()


# The settings file


def config_path() -> Path:
    if named := os.environ.get("COMANDA_CONFIG"):
        return Path(named)
    base = os.environ.get("XDG_CONFIG_HOME") or os.environ.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "comanda" / "config.json"


def read_config() -> dict[str, Any]:
    try:
        found = json.loads(config_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as error:
        raise Failure(f"{config_path()} cannot be read: {error}", USAGE) from None
    return found if isinstance(found, dict) else {}


def write_config(config: dict[str, Any]) -> None:
    """Only its owner may read the file, from the moment it exists."""
    path = config_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(config, file, indent=2)
    draft.replace(path)


# The API


def open_connection(url: str, timeout: float) -> tuple[http.client.HTTPConnection, str]:
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.hostname or "", parts.port, timeout=timeout), parts.path


class Api:
    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url.rstrip("/").removesuffix("/api/v1"), key

    def once(
        self,
        method: str,
        path: str,
        body: Any = None,
        more: dict[str, str] | None = None,
        timeout: float = 40.0,
    ) -> tuple[int, dict[str, str], dict[str, Any]]:
        """One request. Raises NoConnection without a complete response."""
        connection, prefix = open_connection(self.url, timeout)
        headers = {"Authorization": f"Bearer {self.key}", "Accept": "application/json"}
        headers |= more or {}
        headers["User-Agent"] = f"comanda-cli/{VERSION}"
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, f"{prefix}/api/v1{path}", data, headers)
            answer = connection.getresponse()
            raw = answer.read()
            found = json.loads(raw) if raw else {}
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise NoConnection(str(error) or type(error).__name__) from None
        finally:
            connection.close()
        given = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, given, found if isinstance(found, dict) else {}

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        more: dict[str, str] | None = None,
        tries: int = 4,
    ) -> dict[str, Any]:
        """Repeats what may be repeated. A POST has one idempotency key, so it is executed once."""
        headers = dict(more or {})
        if method == "POST":
            headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        for attempt in range(tries):
            last = attempt == tries - 1
            try:
                status, given, found = self.once(method, path, body, headers)
            except NoConnection as error:
                if last:
                    text = f"No connection to {self.url}: {error}"
                    raise Failure(text, NO_CONNECTION) from None
                time.sleep(pause_after(attempt))
                continue
            if status < 400:
                return found
            busy = status in (429, 500, 502, 503, 504) and found.get("code") != "line_unavailable"
            if last or not (busy or found.get("code") == "idempotency_in_flight"):
                raise refusal(status, found)
            time.sleep(retry_after(given) or pause_after(attempt))
        raise AssertionError("unreachable")


def refusal(status: int, body: dict[str, Any]) -> Failure:
    text = f"{body.get('message') or 'The service refused the request.'} ({status}"
    text += f" {body['code']}" if body.get("code") else ""
    text += f", {body['request_id']}" if body.get("request_id") else ""
    hint = "\nSign in with `comanda login`." if status == 401 else ""
    return Failure(f"{text}){hint}", NO_KEY if status == 401 else REFUSED)


def retry_after(headers: dict[str, str]) -> float:
    value = headers.get("retry-after", "")
    return min(float(value), 60.0) if value.isdigit() else 0.0


def pause_after(attempt: int) -> float:
    return float(min(0.5 * 2**attempt, 10.0) * random.uniform(0.75, 1.25))  # noqa: S311


def api_of(options: argparse.Namespace) -> Api:
    saved = read_config().get("profiles", {}).get(options.profile, {})
    key = options.key or os.environ.get("COMANDA_API_KEY") or saved.get("key")
    if not key:
        raise Failure("You are not signed in. Run `comanda login`.", NO_KEY)
    url = options.url or os.environ.get("COMANDA_URL") or saved.get("url") or DEFAULT_URL
    return Api(checked_url(url), key)


def checked_url(url: str) -> str:
    url = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Failure(f"{url} is not an http or https address.", USAGE)
    return url


# Events


def follow_events(
    api: Api, after: int, *, wait: int = POLL_SECONDS, warn: Callable[[str], None] | None = None
) -> Iterator[dict[str, Any]]:
    """Every event after this number, each once and in order, without an end (wait=0: up to now).

    The number only moves past an event that was passed on, so a response that breaks off is read
    again and nothing is lost or repeated.
    """
    failures = 0
    while True:
        query = urlencode({"after": after, "limit": PAGE, "wait": wait})
        try:
            status, given, page = api.once("GET", f"/events?{query}", timeout=wait + 15.0)
        except NoConnection as error:
            status, given, page = 0, {}, {"message": str(error)}
        if 400 <= status < 500 and status != 429:
            raise refusal(status, page)
        if status != 200:
            failures += 1
            if warn and failures == 1:
                warn(f"Connection lost ({page.get('message', status)}). Trying again …")
            time.sleep(retry_after(given) or pause_after(min(failures - 1, 5)))
            continue
        if warn and failures:
            warn("Connected again.")
        failures = 0
        for event in page["data"]:
            if event["sequence"] > after:
                after = event["sequence"]
                yield event
        if page["next"] is not None:
            after = max(after, int(page["next"]))
        elif not wait:
            return
        elif not page["data"]:
            time.sleep(retry_after(given))


def first_since(api: Api, moment: datetime) -> int:
    """The number before the first event that is not older than this, by bisection."""
    low, high = 0, newest_sequence(api)
    while low < high:
        middle = (low + high) // 2
        page = api.call("GET", f"/events?after={middle}&limit=1")
        events = page["data"]
        if not events and page["next"] is not None:
            low = int(page["next"])  # a stretch without events of test mode
        elif not events or datetime.fromisoformat(events[0]["occurred_at"]) >= moment:
            high = middle
        else:
            low = events[0]["sequence"]
    return low


def newest_sequence(api: Api) -> int:
    return int(api.call("GET", f"/events?after={BEYOND_ALL}&limit=1")["last_sequence"])


def is_chosen(event: dict[str, Any], names: Sequence[str]) -> bool:
    """`messages.*` chooses a group."""
    kind = str(event["event"])
    return not names or any(
        kind == name or (name.endswith("*") and kind.startswith(name[:-1])) for name in names
    )


def signed_headers(secret: str, event_id: str, body: bytes, at: int) -> dict[str, str]:
    """As every webhook of Comanda: Standard Webhooks, HMAC-SHA256 over id, time and body."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{event_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(at),
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
        "Content-Type": "application/json",
        "User-Agent": "Comanda-Webhooks/1",
    }


class Forwarder:
    def __init__(self, target: str, secret: str, retries: int) -> None:
        self.target, self.secret, self.retries = checked_url(target), secret, retries

    def post(self, event: dict[str, Any]) -> str:
        """Post an event, and say what came of it."""
        body = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
        for attempt in range(self.retries + 1):
            began = time.monotonic()
            status, fault = self._post_once(str(event["event_id"]), body)
            if 200 <= status < 300:
                return f"{status} ({(time.monotonic() - began) * 1000:.0f} ms)"
            if attempt < self.retries:
                time.sleep(pause_after(attempt))
        return fault or f"{status}, not accepted"

    def _post_once(self, event_id: str, body: bytes) -> tuple[int, str]:
        parts = urlsplit(self.target)
        connection, path = open_connection(self.target, 15.0)
        headers = signed_headers(self.secret, event_id, body, int(time.time()))
        target = (path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", target, body, headers)
            answer = connection.getresponse()
            answer.read(64 * 1024)
            return answer.status, ""
        except (OSError, http.client.HTTPException) as error:
            return 0, f"no answer: {str(error) or type(error).__name__}"
        finally:
            connection.close()


def signing_secret(options: argparse.Namespace) -> str:
    """The same in every run, so that the program under test needs it only once."""
    if options.secret:
        return str(options.secret)
    config = read_config()
    if "listen_secret" not in config:
        config["listen_secret"] = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        write_config(config)
    return str(config["listen_secret"])


def show_event(event: dict[str, Any], result: str, as_json: bool) -> None:
    if as_json:
        print(json.dumps(event, ensure_ascii=False), flush=True)
        return
    at = datetime.fromisoformat(event["occurred_at"]).astimezone().strftime("%H:%M:%S")
    end = f" → {result}" if result else ""
    print(f"{at}  #{event['sequence']}  {event['event']}  {event['event_id']}{end}", flush=True)


# The commands


def login(options: argparse.Namespace) -> None:
    url = options.url or os.environ.get("COMANDA_URL")
    if url is None:
        url = (sys.stdin.isatty() and input(f"Address [{DEFAULT_URL}]: ").strip()) or DEFAULT_URL
    key = options.key or os.environ.get("COMANDA_API_KEY")
    if not key:
        key = getpass.getpass("API key: ") if sys.stdin.isatty() else sys.stdin.readline()
    key = key.strip()
    if not key.startswith(("ck_test_", "ck_live_")):
        raise Failure("An API key begins with ck_test_ or ck_live_.", USAGE)
    api = Api(checked_url(url), key)
    me = api.call("GET", "/me", tries=2)
    config = read_config()
    config.setdefault("profiles", {})[options.profile] = {"url": api.url, "key": key}
    write_config(config)
    mode = "test mode" if key.startswith("ck_test_") else "live mode"
    print(f"Signed in to {me['tenant']['name']} at {api.url}, {mode}. Saved in {config_path()}.")


def logout(options: argparse.Namespace) -> None:
    config = read_config()
    if config.get("profiles", {}).pop(options.profile, None) is None:
        raise Failure("You are not signed in.", NO_KEY)
    write_config(config)
    print("Signed out.")


def send(options: argparse.Namespace) -> None:
    body: dict[str, Any] = {"phone": options.phone, "message": options.message}
    body |= {"instance_id": options.line} if options.line else {}
    body |= {"reference": options.reference} if options.reference else {}
    headers = {"Prefer": f"wait={options.wait}" if options.wait else "respond-async"}
    if options.idempotency_key:
        headers["Idempotency-Key"] = options.idempotency_key
    sent = api_of(options).call("POST", "/messages/send", body, headers)
    if options.json:
        print(json.dumps(sent, ensure_ascii=False))
    else:
        cost = f", {sent['cost_usd']} USD" if sent.get("cost_usd") else ""
        print(f"{sent['status_code']}  {sent['id']}  to {sent['phone']}{cost}")


def listen(options: argparse.Namespace) -> None:
    api, config = api_of(options), read_config()
    secret = signing_secret(options)
    forwarder = Forwarder(options.forward_to, secret, options.retries)
    place = f"{api.url} {hashlib.sha256(api.key.encode()).hexdigest()[:16]}"
    saved, saved_at = config.get("positions", {}).get(place), time.monotonic()
    after = options.after
    if after is None:
        after = saved if options.resume and saved is not None else newest_sequence(api)
    print(f"Forwarding events to {forwarder.target}. Press Ctrl-C to stop.")
    print(f"Signing secret: {secret}", flush=True)
    try:
        for event in follow_events(api, after, warn=complain):
            chosen = is_chosen(event, options.events)
            with interruption.hold():
                result = forwarder.post(event) if chosen else ""
                after = event["sequence"]
            if chosen:
                show_event(event, result, options.json)
            options.most -= chosen
            if options.most == 0:
                break
            if time.monotonic() - saved_at > 1:
                save_position(place, after)
                saved_at = time.monotonic()
    finally:
        save_position(place, after)


def save_position(place: str, sequence: int) -> None:
    """Where `listen --resume` continues."""
    config = read_config()
    config.setdefault("positions", {})[place] = sequence
    write_config(config)


def trigger(options: argparse.Namespace) -> None:
    if options.name is None:
        for name, events in {**API_TRIGGERS, **{k: v[1] for k, v in SEND_TRIGGERS.items()}}.items():
            print(f"  {name:22} {events}")
        return
    api = api_of(options)
    if not api.key.startswith("ck_test_"):
        raise Failure("Triggers need a test key (ck_test_…). Run `comanda login` with one.", NO_KEY)
    if options.name in SEND_TRIGGERS:
        phone, events = SEND_TRIGGERS[options.name]
        body = {"phone": options.phone or phone, "message": options.text or "A test message"}
        made = api.call("POST", "/messages/send", body, {"Prefer": "respond-async"})["id"]
    elif options.name in API_TRIGGERS:
        given = {"phone": options.phone, "name": options.guest, "text": options.text}
        body = {"trigger": options.name, **{k: v for k, v in given.items() if v}}
        answer = api.call("POST", "/test/triggers", body)
        made, events = answer["id"], ", ".join(answer["events"])
    else:
        raise Failure(f"There is no trigger {options.name}. `comanda trigger` lists them.", USAGE)
    print(f"{options.name}{f'  {made}' if made else ''}  leads to {events}")


def clock(options: argparse.Namespace) -> None:
    api = api_of(options)
    if not api.key.startswith("ck_test_"):
        raise Failure(
            "The clock needs a test key (ck_test_…). Run `comanda login` with one.", NO_KEY
        )
    if options.advance is None:
        shown = api.call("DELETE" if options.reset else "GET", "/test/clock")
    else:
        seconds = parse_duration(options.advance)
        shown = api.call("POST", "/test/clock", {"advance_seconds": seconds})
    print(f"{shown['now']}  {shown['advanced_seconds']} s ahead")


def parse_duration(text: str) -> int:
    """Seconds of 90, 30s, 10m, 24h or 7d."""
    number, unit = text[:-1], {"s": 1, "m": 60, "h": 3600, "d": 86400}.get(text[-1:])
    if unit is None:
        number, unit = text, 1
    if not (number.isascii() and number.isdigit()) or int(number) == 0:
        raise Failure(f"{text} is not a time such as 30m, 24h or 7d.", USAGE)
    return int(number) * unit


def tail(options: argparse.Namespace) -> None:
    api = api_of(options)
    after = max(newest_sequence(api) - options.last, 0) if options.after is None else options.after
    for event in follow_events(api, after, warn=complain):
        if is_chosen(event, options.events):
            show_event(event, "", options.json)


def replay(options: argparse.Namespace) -> None:
    api, since = api_of(options), parse_moment(options.since)
    if not options.forward_to:
        body: dict[str, Any] = {"since": since.isoformat(), "only_missed": options.only_missed}
        body |= {"endpoint_id": options.endpoint} if options.endpoint else {}
        count = api.call("POST", "/webhooks/replay", body)["replayed"]
        print(f"{count} events are sent again.")
        return
    forwarder, count = Forwarder(options.forward_to, signing_secret(options), options.retries), 0
    for event in follow_events(api, first_since(api, since), wait=0, warn=complain):
        if is_chosen(event, options.events):
            show_event(event, forwarder.post(event), options.json)
            count += 1
    print(f"{count} events were forwarded.", file=sys.stderr)


def open_request(options: argparse.Namespace) -> None:
    if not options.request_id.startswith("req_"):
        raise Failure("A request id begins with req_; it is in every answer of the API.", USAGE)
    url = f"{api_of(options).url}/integrations/requests?id={quote(options.request_id, safe='')}"
    print(url)
    if not options.print_only:
        webbrowser.open(url)


def parse_moment(text: str) -> datetime:
    """`30m`, `2h`, `3d`, or RFC 3339."""
    if text[-1:] in UNITS and text[:-1].isdigit():
        return datetime.now(UTC) - timedelta(**{UNITS[text[-1]]: int(text[:-1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Failure("--since takes 30m, 2h, 3d or 2026-03-01T10:00:00Z.", USAGE) from None
    return moment if moment.tzinfo else moment.astimezone()


def complain(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--url", help=f"address of the service; COMANDA_URL; {DEFAULT_URL}")
    shared.add_argument("--key", help="API key; COMANDA_API_KEY; otherwise the saved one")
    shared.add_argument("--profile", default="default", help="name of the saved account")
    chosen = argparse.ArgumentParser(add_help=False)
    chosen.add_argument("--json", action="store_true", help="print JSON")
    only = argparse.ArgumentParser(add_help=False)
    only.add_argument(
        "--events",
        type=lambda text: [one.strip() for one in text.split(",") if one.strip()],
        default=[],
        help="only these, such as messages.upsert,restaurant.*",
    )
    posting = argparse.ArgumentParser(add_help=False)
    posting.add_argument("--secret", help="whsec_…; otherwise one is made and kept")
    posting.add_argument("--retries", type=int, default=3, help="for one event (default 3)")

    main_parser = argparse.ArgumentParser(prog="comanda", description=__doc__.partition("\n")[0])
    main_parser.add_argument("--version", action="version", version=VERSION)
    commands = main_parser.add_subparsers(required=True, metavar="command")

    def add(where: Any, name: str, act: Callable[..., None], about: str, *parents: Any) -> Any:
        made = where.add_parser(name, help=about, description=about, parents=[shared, *parents])
        made.set_defaults(act=act)
        return made

    add(commands, "login", login, "Save the address and API key of an account.")
    add(commands, "logout", logout, "Forget the saved API key.")
    one = add(commands, "send", send, "Send a text message.", chosen)
    one.add_argument("phone", help="digits only, with country code: 905321112233")
    one.add_argument("message")
    one.add_argument("--line", type=int, help="id of the line; otherwise the default one")
    one.add_argument("--reference", help="your own reference, shown with the message")
    one.add_argument("--idempotency-key", help="repeating it sends nothing twice")
    one.add_argument("--wait", type=int, default=10, help="seconds to wait, 0 to 30")
    about = "Forward new events to a local server, signed like webhooks. Needs no endpoint."
    one = add(commands, "listen", listen, about, chosen, only, posting)
    one.add_argument("--forward-to", required=True, metavar="URL", help="localhost:3000/webhooks")
    one.add_argument("--after", type=int, help="begin after this sequence number")
    one.add_argument("--resume", action="store_true", help="begin where the last run ended")
    one.add_argument("--most", type=int, default=-1, help="stop after this number of events")
    one = add(commands, "clock", clock, "Show the clock of test mode, advance it or reset it.")
    one.add_argument("advance", nargs="?", metavar="time", help="Such as 30m, 24h or 7d.")
    one.add_argument("--reset", action="store_true", help="Show the real time again.")
    about = "Make something happen in test mode. Without a name, list the triggers."
    one = add(commands, "trigger", trigger, about)
    one.add_argument("name", nargs="?", metavar="trigger")
    one.add_argument("--phone", help="phone of the guest")
    one.add_argument("--guest", metavar="NAME", help="name of the guest")
    one.add_argument("--text", help="what the guest writes")
    events = commands.add_parser("events", help="Read or repeat events.").add_subparsers(
        required=True, metavar="command"
    )
    one = add(events, "tail", tail, "Print events as they happen.", chosen, only)
    one.add_argument("--after", type=int, help="begin after this sequence number")
    one.add_argument("-n", "--last", type=int, default=10, help="older events first (default 10)")
    about = "Send past events again: to the endpoints, or to a local server with --forward-to."
    one = add(events, "replay", replay, about, chosen, only, posting)
    one.add_argument("--since", required=True, help="30m, 2h, 3d or 2026-03-01T10:00:00Z")
    one.add_argument("--endpoint", help="ep_…; otherwise all endpoints")
    one.add_argument("--only-missed", action="store_true", help="skip delivered events")
    one.add_argument("--forward-to", metavar="URL", help="a local server instead of the endpoints")
    one = add(commands, "open", open_request, "Open an API request in the portal.")
    one.add_argument("request_id", help="req_…")
    one.add_argument("--print-only", action="store_true", help="do not start a browser")
    return main_parser


def run(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, interruption.on_signal)
    try:
        options.act(options)
    except Failure as error:
        complain(str(error))
        return error.code
    except (KeyboardInterrupt, BrokenPipeError):
        return 0
    return 0


def main() -> NoReturn:
    sys.exit(run())


if __name__ == "__main__":
    main()
