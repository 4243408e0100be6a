// The kitchen display: running timers, a screen that stays on, keys of a bump bar, and code scanners.
import { toast } from "./toast.js";

const board = document.querySelector("[data-board]");
const TICKET_PATH = "/k/";
const SCAN_PAUSE = 500; // milliseconds between two keys, after which a scan has been abandoned

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

const tickets = () => [...board.querySelectorAll("[data-kds]")];
const BUTTONS = { enter: "[data-bump]", s: "[data-start]", f: "[data-fire]", u: "[data-undo]" };

function markFirst() {
  const [first] = tickets();
  if (first) first.tabIndex = 0; // reachable by the Tab key
}

document.addEventListener("board-shown", markFirst);
markFirst();
// Only where there is a keyboard: a touch screen shows no selection.
if (matchMedia("(hover: hover)").matches && document.activeElement === document.body) {
  tickets()[0]?.focus({ preventScroll: true });
}

function move(ticket, step) {
  const all = tickets();
  all[all.indexOf(ticket) + step]?.focus();
}

function pressed(event) {
  const ticket = document.activeElement?.closest?.("[data-kds]");
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

// A scanner types the address of the code and Enter. The address begins with an h, which is no other
// key of the display.

let scan = null;
let lastAt = 0;

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

// Before other keys of the page, such as the one that opens the search.
addEventListener("keydown", (event) => {
  if (event.target.matches("input:not([type=hidden]), select, textarea")) return;
  if (event.timeStamp - lastAt > SCAN_PAUSE) scan = null;
  lastAt = event.timeStamp;
  if (scan === null && event.key.toLowerCase() === "h" && !event.ctrlKey && !event.metaKey) {
    scan = event.key;
  } else if (scan === null) {
    if (!pressed(event)) return;
  } else if (event.key === "Enter") {
    scanned(scan);
    scan = null;
  } else if (event.key.length === 1) {
    scan += event.key;
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}, { capture: true });

document.documentElement.dataset.kitchen = "ready";
