"""`make screenshots`: takes the pictures of the guides from the demo, to keep them current.

`make screenshots ARGS="board phones"` takes some of them.
"""

import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from deploy.demo import loader as demo
from deploy.local.ports import any_free
from tests.browser.driver import SETTLE, sign_in, start_chromium

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 150_000
READY_SECONDS = 300
SHOP = "marta@comanda.example"
GUEST = "905321114455"


@dataclass(frozen=True)
class Shot:
    """A page as one person sees it. `then`: links to open one after another, first match each."""

    name: str
    path: str
    who: str = demo.OWNER
    then: tuple[str, ...] = ()
    size: tuple[int, int] = (1280, 800)


PHONE = (400, 780)
ID = r"[a-z]+_\w{20,}"
SITE_THEN_DELIVERY = (rf"/restaurants/{ID}", rf"/restaurants/{ID}/delivery")
SHOTS = (
    Shot("home", "/home"),
    Shot("messages", "/messages"),
    Shot("inbox", "/inbox?view=all", then=(r"/inbox/cnv_\w+",)),
    Shot("contacts", "/contacts"),
    Shot("usage", "/usage?period=30-days", size=(1280, 900)),
    Shot("api", "/integrations"),
    Shot("webhooks", "/webhooks"),
    Shot("board", "/orders/board", size=(1440, 860)),
    Shot("kitchen", "/orders/board?view=kitchen", size=(1280, 860)),
    Shot("menu", "/menus", then=(rf"/menus/{ID}",)),
    Shot("zones", "/restaurants", then=SITE_THEN_DELIVERY, size=(1280, 900)),
    Shot("payments", "/payments"),
    Shot("printing", "/printers", size=(1280, 900)),
    Shot("campaign", "/campaigns?state=finished", then=(rf"/campaigns/{ID}",), size=(1280, 900)),
    Shot("loyalty", "/loyalty", size=(1280, 900)),
    Shot("reports", "/reports/orders?period=30", size=(1280, 900)),
    Shot("plan", "/plan", size=(1280, 900)),
    Shot("stores", "/stores", SHOP, size=(1280, 430)),
    Shot("automation", "/automations", SHOP, then=(rf"/automations/{ID}",), size=(1280, 900)),
    Shot("diner", "/r/lokanta-mavi/menu?lang=en", "", size=PHONE),
)
PHONES = "phones"
"""A page of the simulator, not of the portal."""


def names() -> set[str]:
    return {shot.name for shot in SHOTS} | {PHONES}


def first_link(markup: str, wanted: str) -> str:
    found = re.search(rf'href="({wanted})(?:[?#][^"]*)?"', markup)
    if found is None:
        raise LookupError(f"no link {wanted}")
    return found[1]


def main() -> int:
    with demo_service() as facts, start_chromium() as browser:
        take_all(browser, facts, set(sys.argv[1:]) or names())
    return 0


def take_all(browser: Browser, facts: dict[str, str], wanted: set[str]) -> None:
    """`facts`: the values that `make run` prints at its start."""
    shots = [shot for shot in SHOTS if shot.name in wanted]
    seats = {who: _seat(browser, facts["Portal"], who) for who in {shot.who for shot in shots}}
    for shot in shots:
        page = seats[shot.who].new_page()
        _take(page, shot)
        page.close()
    if PHONES in wanted:
        _take_phone(browser, facts)


def _take(page: Page, shot: Shot) -> None:
    page.set_viewport_size({"width": shot.size[0], "height": shot.size[1]})
    page.goto(shot.path)
    for wanted in shot.then:
        page.goto(first_link(page.content(), wanted))
    page.wait_for_load_state("load")
    page.evaluate(SETTLE)
    _save(page, shot.name)


def _take_phone(browser: Browser, facts: dict[str, str]) -> None:
    """A guest's phone with a new message and the reply."""
    body = {"phone": GUEST, "message": "Your table is ready, Zeynep. See you soon!"}
    request = Request(f"{facts['API']}/messages/send", json.dumps(body).encode())
    request.add_header("Authorization", f"Bearer {facts['API key']}")
    request.add_header("Content-Type", "application/json")
    urlopen(request, timeout=60).close()
    page = browser.new_context(viewport={"width": 1100, "height": 780}).new_page()
    page.goto(facts["Phones"])
    page.locator(f"a[href*='{GUEST}']").first.click()
    page.get_by_role("link", name=re.compile("^Lokanta Mavi")).first.click()
    page.get_by_label("Message", exact=True).fill("We are on our way!")
    page.keyboard.press("Enter")
    page.get_by_role("log").get_by_text("We are on our way!").wait_for()
    page.evaluate(SETTLE)
    _save(page, PHONES)


def _save(page: Page, name: str) -> None:
    """Save with 256 colours, which is enough for a screen and makes the guides load faster."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    place = IMAGES / f"{name}.png"
    picture.quantize(256, dither=Image.Dither.NONE).save(place, optimize=True)
    size = place.stat().st_size
    print(f"{place.relative_to(ROOT)}  {picture.width}x{picture.height}  {size // 1000} kB")
    if size > MOST_BYTES:
        raise SystemExit(f"{place} is larger than {MOST_BYTES // 1000} kB; take less of the page.")


def _seat(browser: Browser, url: str, who: str) -> BrowserContext:
    context = browser.new_context(
        base_url=url, locale="en-GB", reduced_motion="reduce", color_scheme="light"
    )
    context.set_default_timeout(60_000)
    if who:
        page = context.new_page()
        if sign_in(page, who, demo.PASSWORD).endswith("/choose"):
            page.goto("/choose")
            page.get_by_role("button", name=demo.RESTAURANT).click()
            page.wait_for_url("**/home")
        page.close()
    return context


@contextmanager
def demo_service() -> Iterator[dict[str, str]]:
    """Start a separate `make run`, stop it afterwards; yields the values it prints, by name."""
    clean = {k: v for k, v in os.environ.items() if not k.endswith(("_URL", "PASSWORD"))}
    with tempfile.TemporaryDirectory(prefix="comanda-pictures-") as folder:
        # PostgreSQL started by root runs as another user, who must be able to enter
        Path(folder).chmod(0o711)
        log = Path(folder) / "log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "deploy.local", "run"],
                cwd=ROOT,
                env=clean | {"DATA_DIR": f"{folder}/data", "PORT": str(any_free())},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            output_text = _welcome(process, log)
            yield facts_of(output_text)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)


def facts_of(output_text: str) -> dict[str, str]:
    return dict(re.findall(r"(?m)^  (\w+(?: key)?) {2,}(\S+)$", output_text))


def _welcome(process: "subprocess.Popen[bytes]", log: Path) -> str:
    end = time.monotonic() + READY_SECONDS
    while "Ctrl-C stops everything." not in (output_text := log.read_text()):
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"The demo did not start:\n{output_text[-2000:]}")
        time.sleep(0.3)
    return output_text


if __name__ == "__main__":
    sys.exit(main())
