// Reloads the changing parts of a page until nothing can change any more. Each [data-part] of the
// response replaces the one that is shown; polling ends when no part has data-live.
import { anyPartIsLive } from "./parts.js";

const SOON_MS = 2000;
const LATER_MS = 10000;
const SOON_TRIES = 90;

let tries = 0;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function untilVisible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

async function reload() {
  const answer = await fetch(location.href, {
    headers: { "X-Part": "timeline" },
    redirect: "error",
    cache: "no-store",
  });
  if (answer.status >= 400 && answer.status < 500) return false;
  if (answer.ok) put(await answer.text());
  return anyPartIsLive();
}

function put(markup) {
  const fresh = new DOMParser().parseFromString(markup, "text/html");
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const shown = document.querySelector(`[data-part="${part.dataset.part}"]`);
    // Unchanged parts are kept, with their selection, focus and open menus.
    if (shown && shown.innerHTML !== part.innerHTML) shown.replaceWith(document.adoptNode(part));
    else if (shown && !("live" in part.dataset)) delete shown.dataset.live;
  }
}

for (let more = true; more; tries += 1) {
  await wait(tries < SOON_TRIES ? SOON_MS : LATER_MS);
  await untilVisible();
  // Offline, or the server restarts: try again at the next interval.
  more = await reload().catch(() => true);
}
