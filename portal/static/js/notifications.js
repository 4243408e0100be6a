// The notifications page: asks for permission only when the button is pressed.
import { toast } from "./toast.js";

const form = document.querySelector("[data-push]");
const button = form?.querySelector("[data-push-on]");
const state = document.querySelector("[data-push-state]");

const supported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

function show(name) {
  if (!state) return;
  for (const one of state.querySelectorAll("[data-state]")) one.hidden = one.dataset.state !== name;
}

function bytes(text) {
  const padded = text.replaceAll("-", "+").replaceAll("_", "/").padEnd(Math.ceil(text.length / 4) * 4, "=");
  return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function subscribe() {
  if (await Notification.requestPermission() !== "granted") {
    show("denied");
    return;
  }
  await navigator.serviceWorker.register("/service-worker.js");
  const worker = await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.getSubscription()
    ?? await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(form.dataset.push) });
  const body = new FormData(form);
  body.set("endpoint", subscription.endpoint);
  body.set("p256dh", text(subscription.getKey("p256dh")));
  body.set("auth", text(subscription.getKey("auth")));
  const answer = await fetch(form.action, { method: "POST", body, redirect: "error" });
  const result = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(result.error ?? form.dataset.failed);
  location.reload();
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  await subscribe().catch((error) => toast(error.message || form.dataset.failed));
  button.disabled = false;
});

if (form && !supported) {
  show("unsupported");
  button.disabled = true;
} else if (form && Notification.permission === "denied") {
  show("denied");
}
document.documentElement.dataset.notifications = "ready";
