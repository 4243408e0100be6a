// The kitchen display: running timers, a screen that stays on, keys of a bump bar, and code scanners.
import { toast } from "./toast.js";

const board = document.querySelector("[data-board]");
const TICKET_PATH = "/k/";
const KEY_PAUSE = 80; // milliseconds; a scanner types faster than a person

// Timers

function showTimers() {
  for (const timer of document.querySelectorAll("[data-clock]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - new Date(timer.dataset.since)) / 1000));
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    const rest = [hours ? String(minutes).padStart(2, "0") : minutes, String(seconds % 60).padStart(2, "0")];
    timer.textContent = (hours ? [hours, ...rest] : rest).join(":");
  }
}

setInterval(showTimers, 1000);
document.addEventListener("board-shown", showTimers);
showTimers();

// The screen stays on while the display is visible.

async function keepScreenOn() {
  if (document.visibilityState !== "visible" || !navigator.wakeLock) return;
  const lock = await navigator.wakeLock.request("screen").catch(() => null); // refused on low battery
  if (lock) document.documentElement.dataset.awake = "yes";
  lock?.addEventListener("release", () => delete document.documentElement.dataset.awake);
}

document.addEventListener("visibilitychange", keepScreenOn);
keepScreenOn();

// Keys, while the focus is on a ticket

const tickets = () => [...board.querySelectorAll("[data-ticket]")];
const BUTTONS = { enter: "[data-bump]", s: "[data-start]", f: "[data-fire]", u: "[data-undo]" };

function markFirst() {
  const [first] = tickets();
  if (first) first.tabIndex = 0; // reachable by the Tab key
}

document.addEventListener("board-shown", markFirst);
markFirst();
if (document.activeElement === document.body) tickets()[0]?.focus({ preventScroll: true });

function move(ticket, step) {
  const all = tickets();
  all[all.indexOf(ticket) + step]?.focus();
}

function pressed(event) {
  const ticket = document.activeElement?.closest?.("[data-ticket]");
  if (!ticket || event.ctrlKey || event.metaKey || event.altKey) return false;
  const key = event.key.toLowerCase();
  if (key === "arrowright" || key === "arrowleft") {
    move(ticket, key === "arrowright" ? 1 : -1);
    return true;
  }
  if (key === "enter" && document.activeElement !== ticket) return false; // the button's own key
  if (key === "r") {
    board.querySelector("[data-recall-last]")?.click();
    return true;
  }
  const button = /^[1-9]$/.test(key)
    ? ticket.querySelectorAll("[data-item]")[Number(key) - 1]
    : BUTTONS[key] && ticket.querySelector(BUTTONS[key]);
  button?.click();
  return Boolean(button);
}

// A scanner types the address of the code and Enter. Its characters come much faster than a person's,
// so single keys wait for KEY_PAUSE before they count as pressed.

let typed = "";
let lastAt = 0;
let waiting = null;

async function scanned(text) {
  let address = null;
  try {
    address = new URL(text);
  } catch {
    return;
  }
  if (!address.pathname.startsWith(TICKET_PATH)) return;
  const token = document.querySelector("input[name=csrf_token]")?.value ?? "";
  const answer = await fetch(address.pathname, {
    method: "POST", body: new URLSearchParams({ csrf_token: token }), headers: { "X-Part": "act" }, redirect: "error",
  }).catch(() => null);
  const result = await answer?.json().catch(() => ({})) ?? {};
  toast(result.error ?? result.note ?? board.dataset.failed);
}

addEventListener("keydown", (event) => {
  if (event.target.matches("input:not([type=hidden]), select, textarea")) return;
  const quick = event.timeStamp - lastAt < KEY_PAUSE;
  lastAt = event.timeStamp;
  if (event.key.length === 1) typed = quick ? typed + event.key : event.key;
  if (typed.length > 1 && quick) {
    clearTimeout(waiting);
    if (event.key === "Enter") {
      event.preventDefault();
      scanned(typed);
      typed = "";
    }
    return;
  }
  if (event.key.length > 1) {
    if (pressed(event)) event.preventDefault();
    return;
  }
  if (event.key === " ") return;
  clearTimeout(waiting);
  const { key, ctrlKey, metaKey, altKey } = event;
  waiting = setTimeout(() => pressed({ key, ctrlKey, metaKey, altKey }), KEY_PAUSE);
});

document.documentElement.dataset.kitchen = "ready";
