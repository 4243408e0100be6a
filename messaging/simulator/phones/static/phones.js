// Sends without a page load and shows new messages. Without this script the forms still work.

const bubbles = document.getElementById("bubbles");
const people = document.getElementById("people");
const list = document.querySelector("[data-follow]");
const devices = document.getElementById("devices");
const facts = document.getElementById("person-facts");
const toast = document.getElementById("toast");

const atEnd = () => bubbles.scrollHeight - bubbles.scrollTop - bubbles.clientHeight < 80;
const toEnd = () => { bubbles.scrollTop = bubbles.scrollHeight; };

// An open menu or sheet is not replaced, not even one opened during the request.
const OPEN = "details[open]";
async function load(address, into) {
  const answer = await fetch(address);
  const html = await answer.text();
  if (answer.ok && !into.querySelector(OPEN)) into.innerHTML = html;
}

// The chat is loaded when the menu or sheet closes.
async function refreshBubbles() {
  if (!bubbles || bubbles.querySelector(OPEN)) return;
  const follow = atEnd();
  await load(bubbles.dataset.from, bubbles);
  if (follow) toEnd();
}

const refreshPeople = () => load(`/phones/people?phone=${people.dataset.phone}`, people);

// One request at a time; a change during it triggers another one.
function once(work) {
  let busy = false, again = false;
  return async () => {
    if (busy) { again = true; return; }
    busy = true;
    do { again = false; try { await work(); } catch { /* the next change retries */ } } while (again);
    busy = false;
  };
}

const showBubbles = once(refreshBubbles);
const showPeople = once(refreshPeople);
const showFacts = once(async () => { if (facts) await load(facts.dataset.from, facts); });
bubbles?.addEventListener("toggle", (event) => { if (!event.target.open) showBubbles(); }, true);

function tell(text) {
  toast.textContent = text;
  toast.hidden = !text;
  if (text) setTimeout(() => { toast.hidden = true; }, 5000);
}

// Enter sends and Shift+Enter inserts a line break; the field grows with its text.
const fit = (field) => { field.rows = Math.min(8, field.value.split("\n").length); };
const field = document.querySelector("textarea[name=text]");
if (field) {
  fit(field);
  field.addEventListener("input", () => fit(field));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      field.form.requestSubmit();
    }
  });
}
// A text from the URL is inserted once: a reload starts with an empty field.
if (location.search) history.replaceState(null, "", location.pathname);

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("form[data-live]")) return;
  event.preventDefault();
  const data = new URLSearchParams(new FormData(form));
  const text = form.querySelector("textarea[name=text]");
  if (text) { text.value = ""; fit(text); }
  for (let open = form.closest("details"); open; open = open.parentElement.closest("details")) {
    if (!open.matches(".act")) open.removeAttribute("open");
  }
  const answer = await fetch(form.action, { method: "POST", body: data });
  if (!answer.ok) tell(await answer.text());
  if (!answer.ok && text) { text.value = data.get("text"); fit(text); }
  if (answer.ok && form.matches(".panel form")) {
    for (const one of form.querySelectorAll("input[name=words]:not([value])")) one.value = "";
    if (getComputedStyle(form.closest(".panel")).position === "fixed") location.hash = "";
  }
  if (answer.ok) { document.querySelector(".replying")?.remove(); if (form.matches(".write")) form.querySelector("[name=reply_to]")?.remove(); }
  await Promise.all([showBubbles(), showFacts()]);
  if (bubbles) toEnd();
});

// Not by a reload, which would leave a chat that is being opened.
const showList = once(async () => {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const current = page.querySelector("[data-follow]");
  if (current) list.innerHTML = current.innerHTML;
});

document.addEventListener("click", (event) => {
  for (const open of document.querySelectorAll("details.menu[open], details.tray[open], details.bubble-menu[open]")) {
    if (!open.contains(event.target)) open.removeAttribute("open");
  }
});

const events = new EventSource("/phones/events");
events.addEventListener("changed", (event) => {
  showPeople();
  const changed = JSON.parse(event.data);
  if (bubbles && changed.some(([phone, line]) => phone === bubbles.dataset.phone && line === bubbles.dataset.line)) {
    showBubbles();
    showFacts();
  }
  if (list && changed.some(([phone]) => phone === list.dataset.follow)) showList();
});
// Updates may have been missed while disconnected.
events.addEventListener("open", () => { showPeople(); showBubbles(); });

if (bubbles) toEnd();

// Codes change every few seconds. An open menu is not replaced.
const showDevices = once(() => load(devices.dataset.from, devices));
if (devices) {
  setInterval(() => {
    if (!document.hidden && !devices.querySelector(OPEN) && !devices.contains(document.activeElement)) showDevices();
  }, 1000);
}
