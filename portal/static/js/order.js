// Tells when a colleague changed the open order; adds copies of an item on the entry page.
import { subscribe } from "./live-updates.js";

const here = document.querySelector("[data-order-here]");

if (here) {
  subscribe(["orders"], (facts) => {
    if (facts.some(({ id, many, kind }) => kind === "start-over" || many || id === here.dataset.orderHere)) reload();
  });
}

async function reload() {
  const answer = await fetch(location.href, { redirect: "error", cache: "no-store" }).catch(() => null);
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const version = (page) => page.querySelector("[data-order-version]")?.dataset.orderVersion;
  if (version(fresh) === version(document)) return;
  const busy = document.activeElement?.matches("input, select, textarea") || document.querySelector("details.void[open]");
  if (busy) here.hidden = false;
  else location.reload();
}

// A copy of the item's fields, to order it with other options.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-another]");
  if (!button) return;
  const row = button.closest("[data-item]");
  const copies = row.parentElement.querySelectorAll(`[data-item="${row.dataset.item}"]`);
  const made = row.cloneNode(true);
  const number = copies.length;
  for (const field of made.querySelectorAll("[name]")) {
    field.name = field.name.replace(/^([qgn]\.[^.]+)\.\d+/, `$1.${number}`);
    if (field.name.startsWith("q.")) field.value = 1;
  }
  for (const field of made.querySelectorAll("[id]")) field.id = `${field.id}-${number}`;
  for (const label of made.querySelectorAll("[for]")) label.htmlFor = `${label.htmlFor}-${number}`;
  for (const field of made.querySelectorAll("[data-must]")) field.value = "";
  [...copies].at(-1).after(made);
  requireOptions(made);
  made.querySelector('[name^="q."]').focus();
});

for (const button of document.querySelectorAll("[data-another]")) button.hidden = false;

// Options are required only if the item's quantity is at least one.
function requireOptions(row) {
  const part = row.querySelector("[data-required]");
  if (!part) return;
  const isOrdered = Number(row.querySelector('[name^="q."]').value) > 0;
  part.hidden = !isOrdered;
  for (const field of part.querySelectorAll("[data-must]")) field.required = isOrdered;
}

document.addEventListener("input", (event) => {
  if (event.target.name?.startsWith("q.")) requireOptions(event.target.closest("[data-item]"));
});
for (const row of document.querySelectorAll("[data-item]")) requireOptions(row);
