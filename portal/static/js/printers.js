// Reloads the parts of the page that show printers and print jobs on live updates, with a minimum
// interval.
import { subscribe } from "./live-updates.js";

const AGAIN_MS = 800;
let timer = 0;

async function reload() {
  timer = 0;
  const answer = await fetch(location.href, { redirect: "error", cache: "no-store" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const shown = document.querySelector(`[data-part="${part.dataset.part}"]`);
    if (shown && shown.innerHTML !== part.innerHTML) shown.replaceWith(document.adoptNode(part));
  }
}

subscribe(["prints", "printers"], (facts) => {
  if (facts.every(({ kind }) => kind === "prints.agent")) return;
  timer ||= setTimeout(() => reload().catch(() => {}), AGAIN_MS);
});
