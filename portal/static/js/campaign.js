// A campaign's page: reloads its changing parts on live updates, at most once a second.
import { subscribe } from "./live-updates.js";

const here = document.querySelector("[data-campaign]");
const LEAST_MS = 1000;
let timer = 0;

async function reload() {
  timer = 0;
  const answer = await fetch(location.href, {
    headers: { "X-Part": "campaign" },
    redirect: "error",
    cache: "no-store",
  }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = fresh.querySelector('[data-part="campaign"]');
  const shown = document.querySelector('[data-part="campaign"]');
  // A new state has other buttons and another list, so the whole page is reloaded.
  if (!part || !shown || part.dataset.state !== shown.dataset.state) location.reload();
  else {
    shown.replaceWith(document.adoptNode(part));
    const freshTable = fresh.querySelector('[data-part="recipients"]');
    const table = document.querySelector('[data-part="recipients"]');
    // Unchanged parts are kept, so that they keep the focus.
    if (freshTable && table && freshTable.innerHTML !== table.innerHTML) table.replaceWith(document.adoptNode(freshTable));
  }
}

subscribe(["campaigns"], (facts) => {
  const isThis = facts.some((one) => one.kind === "start-over" || one.many || one.id === here.dataset.campaign);
  if (isThis) timer ||= setTimeout(reload, LEAST_MS);
});
