// A page whose thing is still on its way asks for its changing parts again until nothing can
// change any more. Each [data-part] of the answer takes the place of the one that is shown;
// when no part carries data-live, it is over.
import { anyPartIsLive } from "./parts.js";

const SOON_MS = 2000;
const LATER_MS = 10000;
const SOON_TRIES = 90;

let tries = 0;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function seen() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

async function look() {
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
    // What is the same stays: a selection, the focus and an open menu are in there.
    if (shown && shown.innerHTML !== part.innerHTML) shown.replaceWith(document.adoptNode(part));
    else if (shown && !("live" in part.dataset)) delete shown.dataset.live;
  }
}

for (let more = true; more; tries += 1) {
  await wait(tries < SOON_TRIES ? SOON_MS : LATER_MS);
  await seen();
  // A moment without network, or a server that starts anew: the next look tells.
  more = await look().catch(() => true);
}
