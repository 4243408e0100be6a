// Shows messages that arrive for approval, or that another member has decided about.
import { subscribe } from "./live-updates.js";

const GATHER_MS = 300;
let timer = 0;

async function reload() {
  timer = 0;
  const answer = await fetch(location.href, {
    headers: { "X-Part": "approvals" },
    redirect: "error",
    cache: "no-store",
  }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = fresh.querySelector('[data-part="approvals"]');
  const shown = document.querySelector('[data-part="approvals"]');
  if (part && shown.innerHTML !== part.innerHTML) shown.replaceWith(document.adoptNode(part));
}

subscribe(["approvals"], () => { timer ||= setTimeout(reload, GATHER_MS); });
