// The bill stays up to date, and a share is paid with one tap. Without this script forms do the same.
import { follow } from "./tab-live.js";

const main = document.querySelector("[data-tab]");
const find = (selector, under = document) => under.querySelector(selector);

async function refresh() {
  const answer = await fetch(location.href, { cache: "no-store" });
  if (!answer.ok) throw new Error(`the bill answered ${answer.status}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = find("[data-tab]", page);
  if (!fresh) return null;
  const old = find("[data-fresh]");
  const now = find("[data-fresh]", fresh);
  if (old.innerHTML !== now.innerHTML && !old.contains(document.activeElement?.closest("input"))) replace(old, now);
  updateWays(find("[data-ways]"), find("[data-ways]", fresh));
  return { url: fresh.dataset.liveUrl, ticket: fresh.dataset.ticket, after: fresh.dataset.after };
}

// A guest who uses the keyboard stays at the same button.
function replace(old, now) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  old.replaceWith(now);
  const same = (one) => one.textContent === focused.textContent && one.closest("form")?.action === focused.closest("form")?.action;
  if (focused) [...now.querySelectorAll("a[href], button")].find(same)?.focus();
}

// What the guest has entered stays; only amounts and the choice of items change.
function updateWays(old, fresh) {
  if (!fresh) {
    if (old) old.hidden = true;
    return;
  }
  if (!old) {
    main.append(fresh); // the table has let this guest in
    return;
  }
  old.hidden = fresh.hidden;
  for (const name of ["[data-equal]", "[data-free]"]) {
    if (find(name, old) && find(name, fresh)) find(name, old).textContent = find(name, fresh).textContent;
  }
  const list = find("[data-choose]", old), next = find("[data-choose]", fresh);
  if (!list || !next || list.contains(document.activeElement)) return;
  const chosen = new Map([...list.querySelectorAll("select")].map((one) => [one.name, one.value]));
  list.replaceWith(next);
  for (const one of next.querySelectorAll("select")) {
    const value = chosen.get(one.name);
    if (value !== undefined && [...one.options].some((option) => option.value === value)) one.value = value;
  }
}

async function pay(form) {
  const button = find("button", form), fault = find("[data-pay-fault]");
  button.disabled = true;
  fault.hidden = true;
  try {
    const answer = await fetch(form.action, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    const body = await answer.json();
    if (answer.ok && body.url) {
      location.assign(body.url);
      return;
    }
    if (!answer.ok) {
      fault.textContent = body.message;
      fault.hidden = false;
    }
    await refresh();
  } finally {
    button.disabled = false;
  }
}

main?.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-pay]")) return;
  event.preventDefault();
  pay(event.target);
});

// The amount on the button is that of the proposed number of people.
main?.addEventListener("input", ({ target }) => {
  if (target.name === "people") find("[data-equal]").hidden = target.value !== target.defaultValue;
});

if (main) follow({ url: main.dataset.liveUrl, ticket: main.dataset.ticket, after: main.dataset.after }, refresh);
