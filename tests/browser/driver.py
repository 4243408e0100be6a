"""Drives a real Chromium and reports errors, foreign requests and unreadable pages."""

import asyncio
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# Shared cores make pages slow, which is not a failure.
expect.set_options(timeout=20_000)

NAMES = ("chromium", "chromium-browser", "google-chrome")
# What a window of Chromium prepares for its own use takes more processor time than most pages here:
# the list below the address bar, and a spare process for the next site. The last list of disabled
# features replaces the one that Playwright passes, so it is repeated here without Edge's.
FEATURES_OFF = (
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "PreconnectToSearch",
    "ThirdPartyStoragePartitioning",
    "SpareRendererForSitePerProcess",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxPopup",
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--in-process-gpu",
    f"--disable-features={','.join(FEATURES_OFF)}",
]
WIDTHS = {390: 844, 820: 1180, 1440: 900}
THEMES = ("light", "dark")
# Dark differs from light only in colours, so every width is checked in one theme only: in dark the
# width that shows most of the page.
LOOKS = ((390, "light"), (820, "light"), (1440, "dark"))
# axe is slow, so it runs only on the phone layout and on the dark colours.
EXAMINED = {(390, "light"), (1440, "dark")}
# Most of axe's time goes into contrast, which is the same for texts with the same colour on the
# same background. One of each is checked, and none that was readable on an earlier page (`seen`).
# What lies behind a solid background does not count, and of the size only whether axe calls it
# large. A floating element without a solid background can be above anything, so it is checked on
# every page. Hidden elements, such as a closed menu, have no contrast. The hundreds of time zones
# in a list are drawn by the browser. Rules of minor or moderate impact are off, because only
# serious and critical violations are reported, and a violation has the impact of its rule.
EXAMINE = """async ([colours_alone, seen]) => {
  const known = new Set(seen);
  const elsewhere = (look) => look.replace(/[\\^][0-9]+/g, "^");
  const grounds = new Map([[null, ""]]);
  const ground = (element) => {
    let found = grounds.get(element);
    if (found === undefined) {
      const style = getComputedStyle(element);
      const own = [style.backgroundColor, style.backgroundImage, style.opacity, style.filter,
        style.mixBlendMode, style.transform, style.display === "contents", style.visibility];
      const floats = ["absolute", "fixed", "sticky"].includes(style.position);
      const solid = (style.backgroundColor.startsWith("rgb(") && style.opacity === "1")
        || (style.position === "sticky" && style.bottom === "auto");  // nothing is scrolled here
      if (floats) own.push((solid ? "^" : "~") + grounds.size);
      found = grounds.get(element.parentElement) ?? ground(element.parentElement);
      if (own.join() !== "rgba(0, 0, 0, 0),none,1,none,normal,none,false,visible") {
        const changed = own.slice(2, 8).join() !== "1,none,normal,none,false,visible";
        const covers = solid && style.backgroundImage === "none" && !changed;
        if (covers && !/[!~]/.test(found)) found = "";
        found += (changed ? "/!" : "/") + own.join();
      }
      grounds.set(element, found);
    }
    return found;
  };
  const large = (style) => {
    const points = Math.ceil(parseFloat(style.fontSize) * 72) / 96;
    return points >= (style.fontWeight >= 700 ? 14 : 18);
  };
  const texts = new Map();
  for (const element of document.body.querySelectorAll("*")) {
    const written = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!written && !element.matches("input, select, textarea, button")) continue;
    const style = getComputedStyle(element), box = element.getBoundingClientRect();
    const unseen = box.width <= 1 || box.height <= 1
      || box.bottom + scrollY <= 0 || box.right + scrollX <= 0;
    if (unseen && style.display !== "contents") continue;
    const look = [written ? "" : element.tagName + element.type,
      element.closest("[disabled], [aria-disabled=true], [inert]") !== null,
      style.color, large(style), style.textShadow, style.webkitTextStroke,
      ground(element)].join("|");
    if (!texts.has(look) && !known.has(elsewhere(look))) texts.set(look, element);
  }
  if (colours_alone && !texts.size) return [[], []];
  for (const element of texts.values()) element.setAttribute("data-ink", "");
  axe.configure({rules: [{id: "color-contrast", selector: "[data-ink]"}]});
  const mild = axe._audit.rules.filter((rule) => ["minor", "moderate"].includes(rule.impact));
  const without = Object.fromEntries(mild.map((rule) => [rule.id, {enabled: false}]));
  const wanted = colours_alone ? {runOnly: ["color-contrast"]} : {rules: without};
  const found = await axe.run({exclude: [["option"]]}, {...wanted, resultTypes: ["violations"]});
  for (const element of texts.values()) element.removeAttribute("data-ink");
  return [found.violations, [...texts.keys()].map(elsewhere).filter((look) => !look.includes("~"))];
}"""
# The only other address that a page requests: a process on the same machine, on its own port.
LIVE_DOOR = ("/stream", "/poll")
SETTLE = """async () => {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(requestAnimationFrame);
    for (const moving of document.getAnimations()) { try { moving.finish(); } catch {} }
  }
}"""
SPILLS = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll("body *")]
    .filter((element) => element.getBoundingClientRect().right > wide + 1)
    .slice(0, 5).map((element) => element.outerHTML.slice(0, 120));
}"""

SETTLED_SPILLS = f"""async () => {{
  await ({SETTLE})();
  return [document.documentElement.dataset.bsTheme, ({SPILLS})()];
}}"""


# The elements of a page without their texts.
SHAPE = """() => [...document.querySelectorAll("main *, dialog[open] *")]
  .map((element) => element.tagName + "." + element.className).join(" ")"""


@contextmanager
def start_chromium() -> Iterator[Browser]:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        if os.environ.get("REQUIRE_BROWSER") == "1":
            pytest.fail(f"REQUIRE_BROWSER=1, and none of {', '.join(NAMES)} is installed")
        pytest.skip("no Chromium is installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            asyncio._set_running_loop(browser._impl_obj._loop)
            browser.close()


@contextmanager
def own_event_loop(browser: Browser) -> Iterator[None]:
    """Set the browser's event loop only while a module uses it: other tests run their own loops."""
    loop = browser._impl_obj._loop
    asyncio._set_running_loop(loop)
    try:
        yield
        for context in browser.contexts:
            context.close()
    finally:
        asyncio._set_running_loop(None)


class Watch:
    """Records every error of a page, and every request to another host."""

    def __init__(self, page: Page, host: str) -> None:
        self.page, self.host, self.machine = page, urlsplit(host).netloc, urlsplit(host).hostname
        self.faults: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", self._request)
        page.on("dialog", self._dialog)

    def _console(self, message: object) -> None:
        if message.type in ("error", "warning"):  # a policy violation is logged as an error
            self.faults.append(f"{message.type}: {message.text} {message.location.get('url', '')}")

    def _request(self, request: object) -> None:
        place = urlsplit(request.url)
        if place.hostname == self.machine and place.path in LIVE_DOOR:
            return
        if place.scheme not in ("data", "blob") and place.netloc != self.host:
            self.faults.append(f"asked {request.url}")

    def _dialog(self, dialog: object) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def expect_none(self) -> None:
        found, self.faults = self.faults, []
        assert not found, (self.page.url, found)


def new_page(
    browser: Browser, url: str, state: object = None, *, examined: bool = False
) -> tuple[BrowserContext, Page, Watch]:
    """`examined` loads axe with every page, instead of sending it to each page separately."""
    context = browser.new_context(
        base_url=url,
        storage_state=state,
        reduced_motion="reduce",
        locale="en-GB",
        viewport={"width": 1440, "height": 900},
    )
    context.set_default_timeout(20_000)
    if examined:
        context.add_init_script(AXE_SCRIPT)
    return context, *new_tab(context, url)


def new_tab(context: BrowserContext, url: str) -> tuple[Page, Watch]:
    page = context.new_page()
    return page, Watch(page, url)


def sign_in(page: Page, email: str, password: str) -> str:
    """Send what the form would send, and return where it leads.

    Drawing the form and the page behind it would take as long as the rest of many tests.
    tests/browser/test_interactions.py and the journeys type into the form.
    """
    form = page.request.get("/signin").text()
    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', form)
    assert token, form
    fields = {"csrf_token": token[1], "email": email, "password": password}
    answer = page.request.post("/signin", form=fields, max_redirects=0)
    assert answer.status == 302, answer.text()
    return answer.headers["location"]


# The styles of texts that were readable, by theme.
READABLE: dict[str, set[str]] = {theme: set() for theme in THEMES}
# The shapes of the pages that were checked at every width.
CHECKED: set[str] = set()


def check_appearance(page: Page, name: str) -> None:
    """Check that nothing overflows and all text is readable, at every width and theme.

    Starts at the width at which the page before ended, because a new layout takes a browser as long
    as loading a page. A page with the same elements and classes as an earlier one, such as the
    question before something is deleted, has the same layout and the same colours; only its texts
    differ. It is checked at the narrowest width, where its texts have the least room.
    """
    faults, shown = [], None
    narrow_first = page.viewport_size["width"] == LOOKS[0][0]
    known = (shape := page.evaluate(SHAPE)) in CHECKED
    looks = LOOKS[:1] if known else LOOKS if narrow_first else LOOKS[::-1]
    for width, theme in looks:
        page.set_viewport_size({"width": width, "height": WIDTHS[width]})
        if theme != shown:
            page.emulate_media(color_scheme=theme)
            shown = theme
        is_theme, spills = page.evaluate(SETTLED_SPILLS)
        assert is_theme == theme
        where = f"{name} at {width} px, {theme}"
        faults += [f"{where}: spills: {html}" for html in spills]
        if (width, theme) in EXAMINED:
            found = unreadable_texts(page, theme, READABLE[theme])
            faults += [f"{where}: {fault}" for fault in found]
        save_screenshot(page, f"{name}-{width}-{theme}")
    assert not faults, "\n".join(faults)
    CHECKED.add(shape)


def unreadable_texts(page: Page, theme: str, readable: set[str] | None = None) -> list[str]:
    """Run axe; in dark only its contrast rule, because only the colours differ.

    `readable`: the styles of texts that need no check; readable styles found here are added.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found, looks = page.evaluate(EXAMINE, [theme == "dark", sorted(readable or ())])
    faults = [
        f"{rule['id']} ({rule['impact']}): {node['html'][:160]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"][:3]
    ]
    if readable is not None and not any(rule["id"] == "color-contrast" for rule in found):
        readable.update(looks)
    return faults


def save_screenshot(page: Page, name: str) -> None:
    if folder := os.environ.get("SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
