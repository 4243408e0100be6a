// The open inbox: shows new entries and keeps the text being typed.
import { subscribe } from "./live-updates.js";
import { toast } from "./toast.js";
import { setUpComposer } from "./composer.js";
import { setUpKeys } from "./inbox-keys.js";
import { placePopovers } from "./popover-place.js";

const inbox = document.querySelector("[data-inbox]");
const talkId = inbox.dataset.talk;
const thread = document.querySelector("[data-thread]");
const NEAR_END = 120;
const SENT_ELSEWHERE_MS = 4000;

placePopovers("#snooze, #labels");

const entries = () => thread?.querySelector("[data-entries]");
const lastEntry = () => [...(entries()?.querySelectorAll("[data-entry]") ?? [])].at(-1)?.dataset.entry ?? "";

function atEnd() {
  return thread.scrollHeight - thread.scrollTop - thread.clientHeight < NEAR_END;
}

function toEnd() {
  if (thread) thread.scrollTop = thread.scrollHeight;
}

// One request at a time; requests made meanwhile are combined into the next one.
let reloading = null;
let pending = null;

export function refresh({ again = [] } = {}) {
  pending = { again: new Set([...(pending?.again ?? []), ...again]) };
  reloading ??= (async () => {
    while (pending) {
      const request = pending;
      pending = null;
      await reload(request).catch(() => null);
    }
    reloading = null;
  })();
  return reloading;
}

async function reload({ again }) {
  const url = new URL(location.href);
  if (talkId) url.searchParams.set("since", lastEntry());
  if (again.size) url.searchParams.set("again", [...again].join(","));
  const answer = await fetch(url, { headers: { "X-Part": "fresh" }, redirect: "error", cache: "no-store" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const name of ["talks", "head", "facts", "scheduled"]) putPart(fresh, name);
  putComposer(fresh);
  updateFooters(fresh);
  updateBodies(fresh);
  if (append(fresh.querySelector("[data-fresh]"))) readSoon();
}

// Every response has a new CSRF token.
const bare = (part) => part.innerHTML.replace(/(name="csrf_token" value=)"[^"]*"/g, "$1");

function putPart(fresh, name) {
  const part = fresh.querySelector(`[data-part="${name}"]`);
  const shown = document.querySelector(`[data-part="${name}"]`);
  if (!part || !shown || bare(shown) === bare(part)) return;
  if (shown.contains(document.activeElement) && document.activeElement.matches("select, input, textarea")) return;
  if (shown.querySelector("details[open]")) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement.dataset.row : null;
  const top = shown.scrollTop;
  shown.replaceChildren(...document.adoptNode(part).childNodes);
  shown.scrollTop = top;
  if (focused) shown.querySelector(`[data-row="${focused}"]`)?.focus({ preventScroll: true });
}

// Only if the way to reply has changed: the window opened, or the line is gone.
function putComposer(fresh) {
  const part = fresh.querySelector('[data-part="composer"]');
  const shown = document.querySelector('[data-part="composer"]');
  if (!part || !shown || shown.dataset.hurdle === part.dataset.hurdle) return;
  const typed = shown.querySelector("[data-writing]")?.value ?? "";
  shown.replaceWith(document.adoptNode(part));
  const field = document.querySelector("[data-writing]");
  if (field) field.value = typed;
  setUpComposer({ talkId, refresh, toEnd });
}

function updateFooters(fresh) {
  for (const foot of fresh.querySelectorAll(":not([data-fresh] *)[data-foot]")) {
    const shown = document.querySelector(`[data-entries] [data-foot="${foot.dataset.foot}"]`);
    if (!shown || shown.dataset.state === foot.dataset.state) continue;
    shown.closest(".message-box")?.classList.toggle("message-failed", foot.dataset.state === "failed");
    shown.replaceWith(document.adoptNode(foot));
  }
}

// Edited and deleted messages.
function updateBodies(fresh) {
  for (const body of fresh.querySelectorAll(":not([data-fresh] *)[data-body]")) {
    const shown = document.querySelector(`[data-entries] [data-body="${body.dataset.body}"]`);
    if (!shown || shown.dataset.version === body.dataset.version) continue;
    const gone = body.querySelector(".message-gone");
    if (gone) shown.closest("[data-entry]")?.querySelector("[data-quote]")?.remove();
    shown.replaceWith(document.adoptNode(body));
  }
}

function append(list) {
  const shown = entries();
  if (!list || !shown) return false;
  const stay = !atEnd();
  let added = false;
  for (const item of [...list.children]) {
    const { entry, day } = item.dataset;
    if (entry && document.getElementById(entry)) continue;
    if (day && shown.querySelector(`[data-day="${day}"]`)) continue;
    shown.append(document.adoptNode(item));
    added ||= Boolean(entry);
  }
  if (added && !stay) toEnd();
  return added;
}

// A message is read once it was visible to the person.
let readTimer = 0;
const unreadHere = () => document.querySelector(`[data-row="${talkId}"] [data-count]`);

function readSoon() {
  if (!talkId || document.hidden || readTimer || !unreadHere()) return;
  readTimer = setTimeout(async () => {
    readTimer = 0;
    const form = document.querySelector("[data-composer]");
    if (document.hidden || !form) return;
    const lastId = [...entries().querySelectorAll('[data-entry^="msg_"]')].at(-1)?.dataset.entry ?? "";
    const body = new FormData();
    body.set("csrf_token", form.querySelector('[name="csrf_token"]').value);
    body.set("seen", lastId);
    await act(`/inbox/${talkId}/read`, body);
  }, 500);
}

export async function act(url, body) {
  const answer = await fetch(url, {
    method: "POST", body, headers: { "X-Part": "act" }, redirect: "error",
  }).catch(() => null);
  const result = await answer?.json().catch(() => ({})) ?? {};
  if (!answer?.ok) toast(result.error ?? inbox.dataset.failed ?? "…");
  return answer?.ok ? result : null;
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-act]");
  if (!form) return;
  event.preventDefault();
  if (form.contains(document.activeElement)) document.activeElement.blur();
  form.closest("details")?.removeAttribute("open");
  const leaves = form.action.endsWith("/unread") || form.action.includes("/unread?");
  const done = await act(form.action, new FormData(form));
  if (done && leaves) location.href = document.querySelector(".talk-back").href;
  else await refresh();
});

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-older]");
  if (!link) return;
  event.preventDefault();
  if (link.ariaBusy === "true") return;
  link.ariaBusy = "true";
  const answer = await fetch(link.href, { headers: { "X-Part": "older" }, redirect: "error" }).catch(() => null);
  link.ariaBusy = "false";
  if (!answer?.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const list = fresh.querySelector("[data-older-entries]");
  const height = thread.scrollHeight;
  const first = entries().querySelector("[data-day]");
  if (first && list.querySelector(`[data-day="${first.dataset.day}"]`)) first.remove();
  entries().prepend(...[...list.children].map((item) => document.adoptNode(item)));
  thread.scrollTop += thread.scrollHeight - height;
  if (list.dataset.next) link.href = list.dataset.next;
  else link.parentElement.remove();
});

// The next message takes the conversation over from the network's agent.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-take-over]")) return;
  event.preventDefault();
  document.querySelector("[data-writing]")?.focus();
});

// Counts down the time left in the window.
setInterval(() => {
  const mark = document.querySelector("[data-window]");
  if (!mark) return;
  const minutes = Math.floor((new Date(mark.dataset.window) - Date.now()) / 60000);
  if (minutes < 0) { refresh(); return; }
  const left = mark.querySelector("[data-window-left]");
  const unit = minutes >= 60 ? [Math.floor(minutes / 60), "hour"] : [minutes, "minute"];
  left.textContent = new Intl.NumberFormat(document.documentElement.lang, {
    style: "unit", unit: unit[1], unitDisplay: "long",
  }).format(unit[0]);
  mark.classList.toggle("window-short", minutes < 60);
}, 20000);

let elsewhereTimer = 0;

subscribe(["conversations", "messages"], (facts) => {
  const shown = (id) => id && document.getElementById(id);
  const again = facts.filter(({ kind, id }) => kind === "messages.changed" && shown(id)).map(({ id }) => id);
  const all = facts.some(({ kind, many }) => kind === "start-over" || many);
  if (all) {
    const last = [...document.querySelectorAll('[data-foot]:not([data-state="read"])')].slice(-40);
    refresh({ again: last.map((foot) => foot.dataset.foot) });
  } else if (again.length || facts.some(({ kind }) => kind.startsWith("conversations."))) {
    refresh({ again });
  } else if (talkId) {
    // A message was sent by API, perhaps in this conversation.
    elsewhereTimer ||= setTimeout(() => { elsewhereTimer = 0; refresh(); }, SENT_ELSEWHERE_MS);
  }
});

document.addEventListener("visibilitychange", readSoon);
// Stay at the end of the thread when a keyboard opens or a picture gets its height.
if (thread) {
  let end = true;
  thread.addEventListener("scroll", () => { end = atEnd(); }, { passive: true });
  const follow = new ResizeObserver(() => { if (end) toEnd(); });
  follow.observe(thread);
  follow.observe(entries());
}
toEnd();
document.querySelector(".talk-row[aria-current]")?.scrollIntoView({ block: "nearest" });
readSoon();
if (talkId) setUpComposer({ talkId, refresh, toEnd });
setUpKeys();
document.documentElement.dataset.inbox = "ready";
