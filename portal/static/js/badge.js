// Counts in the navigation of every page: unread conversations, and messages to approve.
import { subscribe } from "./live-updates.js";

const addresses = document.querySelector("[data-live-url]")?.dataset ?? {};
const GATHER_MS = 400;

function keepFresh(topic, source, field, selector) {
  if (!source) return;
  let timer = 0;
  const refresh = async () => {
    timer = 0;
    const answer = await fetch(source, { redirect: "error", cache: "no-store" }).catch(() => null);
    if (!answer?.ok) return;
    const count = (await answer.json())[field];
    for (const badge of document.querySelectorAll(selector)) {
      badge.hidden = !count;
      badge.textContent = count > 99 ? "99+" : count;
    }
  };
  subscribe([topic], () => { timer ||= setTimeout(refresh, GATHER_MS); });
}

keepFresh("conversations", addresses.unread, "unread", "[data-unread-badge]");
keepFresh("approvals", addresses.approvals, "waiting", "[data-approvals-badge]");
