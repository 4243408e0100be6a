// A page about work in progress: fetches its changing part every second and reloads the page once
// the work is finished.
import { anyPartIsLive } from "./parts.js";

const EVERY_MS = 1000;

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function reload() {
  const answer = await fetch(location.href, {
    headers: { "X-Part": "progress" },
    redirect: "error",
    cache: "no-store",
  });
  if (!answer.ok) return answer.status >= 500;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const shown = document.querySelector(`[data-part="${part.dataset.part}"]`);
    if (shown) shown.replaceWith(document.adoptNode(part));
  }
  if (anyPartIsLive()) return true;
  location.reload();
  return false;
}

for (let more = true; more; ) {
  await wait(EVERY_MS);
  if (!document.hidden) more = await reload().catch(() => true);
}
