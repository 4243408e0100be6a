// The open orders board: shows new orders with a sound; a tap takes an order to its next step.
import { subscribe } from "./live-updates.js";
import { toast } from "./toast.js";

const board = document.querySelector("[data-board]");
const announcer = document.querySelector("[data-announcer]");
const sound = document.querySelector("[data-sound]");
const whole = document.querySelector("[data-whole]");
const SOUND_KEY = "comanda.board.sound";
const LATE_MINUTES = [Number(board.dataset.warn), Number(board.dataset.late)];

const found = (selector) => [...document.querySelectorAll(selector)];
const known = new Set();
const newIds = () => found("[data-order], [data-call]").map((one) => one.dataset.arrival ?? one.dataset.call);
newIds().forEach((id) => known.add(id));

let reloading = null;
let again = false;

function refresh() {
  again = true;
  reloading ??= (async () => {
    while (again) {
      again = false;
      await reload().catch(() => null);
    }
    reloading = null;
  })();
  return reloading;
}

// Every response has a new CSRF token.
const bare = (part) => part.innerHTML
  .replace(/(name="csrf_token" value=)"[^"]*"/g, "$1")
  .replace(/(<time[^>]*>)[^<]*/g, "$1");

async function reload() {
  const answer = await fetch(location.href, { headers: { "X-Part": "fresh" }, redirect: "error", cache: "no-store" });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const shown = document.querySelector(`[data-part="${part.dataset.part}"]`);
    if (!shown || bare(shown) === bare(part)) continue;
    if (shown.contains(document.activeElement) && document.activeElement.matches("input:not([type=hidden]), select")) continue;
    const active = shown.contains(document.activeElement) ? document.activeElement : null;
    const focused = active?.closest("[data-order]")?.dataset.order;
    const key = active?.dataset.key;
    const onTicket = active?.matches("[data-kds]");
    const lanes = shown.querySelector(".lanes");
    const left = lanes?.scrollLeft ?? 0;
    shown.replaceChildren(...document.adoptNode(part).childNodes);
    const now = shown.querySelector(".lanes");
    if (now) now.scrollLeft = left;
    if (active) focusAgain(shown, focused, key, onTicket);
  }
  announceNew();
  grow();
  showPrint();
  document.dispatchEvent(new Event("board-shown"));
}

// Keep the focus on the same button; when its ticket is gone, on the first ticket.
function focusAgain(part, order, key, onTicket) {
  const ticket = order && part.querySelector(`[data-order="${order}"]`);
  const next = (key && part.querySelector(`[data-key="${key}"]`))
    ?? (onTicket || !ticket ? null : ticket.querySelector("button"))
    ?? ticket ?? part.querySelector("[data-kds]");
  next?.focus({ preventScroll: true });
}

function announceNew() {
  const fresh = newIds().filter((id) => !known.has(id));
  fresh.forEach((id) => known.add(id));
  if (!fresh.length) return;
  for (const id of fresh) document.querySelector(`[data-arrival="${id}"]`)?.classList.add("ticket-fresh");
  announcer.textContent = fresh.some((id) => id.startsWith("cal_")) ? announcer.dataset.called : announcer.dataset.new;
  beep();
}

// Two short tones, generated here without a sound file.
let player = null;
// Browsers allow sound only after the first touch or key; a reloaded display needs one, too.
for (const gesture of ["pointerdown", "keydown"]) {
  addEventListener(gesture, () => {
    player ??= new AudioContext();
    player.resume();
  }, { once: true });
}

function beep() {
  if (localStorage.getItem(SOUND_KEY) !== "on") return;
  player ??= new AudioContext();
  player.resume();
  [880, 1175].forEach((pitch, number) => {
    const tone = player.createOscillator();
    const volume = player.createGain();
    const at = player.currentTime + number * 0.18;
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.0001, at);
    volume.gain.exponentialRampToValueAtTime(0.4, at + 0.02);
    volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.16);
    tone.connect(volume).connect(player.destination);
    tone.start(at);
    tone.stop(at + 0.17);
  });
  document.documentElement.dataset.beeped = String(Number(document.documentElement.dataset.beeped ?? 0) + 1);
}

function showSound() {
  const on = localStorage.getItem(SOUND_KEY) === "on";
  sound.ariaPressed = String(on);
  sound.querySelector("[data-sound-on]").hidden = !on;
  sound.querySelector("[data-sound-off]").hidden = on;
}

if (sound) {
  sound.hidden = false;
  showSound();
  sound.addEventListener("click", () => {
    localStorage.setItem(SOUND_KEY, localStorage.getItem(SOUND_KEY) === "on" ? "off" : "on");
    showSound();
    beep(); // browsers allow sound only after the first interaction
  });
}

if (whole && document.fullscreenEnabled) {
  whole.hidden = false;
  whole.addEventListener("click", () => {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen();
  });
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) print();
});

function showPrint() {
  for (const button of found("[data-print]")) button.hidden = false;
}

// Update the age of each order, and its colour.
function grow() {
  for (const age of found(".ticket .age[data-since]")) {
    const minutes = Math.max(0, Math.floor((Date.now() - new Date(age.dataset.since)) / 60000));
    if (!("clock" in age.dataset)) age.textContent = board.dataset.minutes.replace("0", minutes);
    const ticket = age.closest(".ticket");
    const { state } = ticket.dataset;
    if (ticket.classList.contains("ticket-alarm") || ["served", "out_for_delivery"].includes(state)) continue;
    ticket.classList.toggle("ticket-warm", minutes >= LATE_MINUTES[0] && minutes < LATE_MINUTES[1]);
    ticket.classList.toggle("ticket-hot", minutes >= LATE_MINUTES[1]);
    ticket.classList.toggle("ticket-calm", minutes < LATE_MINUTES[0]);
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form[data-act]");
  if (!form) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  if (button.ariaPressed !== null) button.ariaPressed = String(button.ariaPressed !== "true"); // at once
  const answer = await fetch(form.action, {
    method: "POST", body: new FormData(form), headers: { "X-Part": "act" }, redirect: "error",
  }).catch(() => null);
  const result = await answer?.json().catch(() => ({})) ?? {};
  if (!answer?.ok || result.note) toast(result.error ?? result.note ?? board.dataset.failed);
  button.ariaBusy = "false";
  await refresh();
});

subscribe(["orders", "calls", "prints"], (facts) => {
  const here = board.dataset.site;
  const isShown = ({ order }) => order && board.querySelector(`[data-order="${CSS.escape(order)}"]`);
  if (facts.some((fact) => fact.kind === "start-over" || fact.many || fact.site === here || isShown(fact))) refresh();
});
setInterval(grow, 15000);
grow();
showPrint();
document.documentElement.dataset.board = "ready";
