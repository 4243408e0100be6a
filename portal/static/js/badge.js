// The number of unread conversations, in the navigation of every page.
import { subscribe } from "./live-updates.js";

const source = document.querySelector("[data-unread]")?.dataset.unread;
const GATHER_MS = 400;
let timer = 0;

async function refreshBadge() {
  timer = 0;
  const answer = await fetch(source, { redirect: "error", cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return;
  const { unread } = await answer.json();
  for (const badge of document.querySelectorAll("[data-unread-badge]")) {
    badge.hidden = !unread;
    badge.textContent = unread > 99 ? "99+" : unread;
  }
}

if (source) subscribe(["conversations"], () => { timer ||= setTimeout(refreshBadge, GATHER_MS); });
