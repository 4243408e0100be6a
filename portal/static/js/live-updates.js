// Live updates of the tenant:
//
//   import { subscribe } from "./live-updates.js";
//   const stop = subscribe(["messages", "conversations"], (facts) => { … });
//
// `facts` are small objects with a `kind` and ids; the page loads the data.
// A fact of the kind "start-over" means that some were missed: reload everything that is shown.
const banner = document.querySelector("[data-live-url]");
const listeners = new Set();
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30000;
const HIDDEN_MS = 60000; // a hidden tab disconnects after this time, and catches up once visible
const SILENT_MS = 45000; // the server sends something every 20 s
const BANNER_AFTER_MS = 4000;

let ticket = banner?.dataset.ticket ?? "";
let after = banner?.dataset.after ?? "";
let failures = 0;
let polls = false;
let running = false;
let cut = null;
let bannerTimer = 0;
let hiddenTimer = 0;

export function subscribe(topics, callback) {
  const listener = { topics: new Set(topics), callback };
  listeners.add(listener);
  if (!running && banner) {
    running = true;
    run();
  }
  return () => listeners.delete(listener);
}

export const isLive = () => Boolean(banner) && banner.hidden && running;

function notify(facts) {
  for (const { topics, callback } of listeners) {
    const matching = facts.filter(({ kind }) => kind === "start-over" || topics.has(kind.split(".")[0]));
    if (matching.length) callback(matching);
  }
}

function connected() {
  failures = 0;
  clearTimeout(bannerTimer);
  bannerTimer = 0;
  banner.hidden = true;
  document.documentElement.dataset.live = "connected";
}

function disconnected() {
  failures += 1;
  document.documentElement.dataset.live = "lost";
  bannerTimer ||= setTimeout(() => { banner.hidden = false; }, BANNER_AFTER_MS);
}

async function run() {
  for (;;) {
    await pageVisible();
    try {
      await (polls ? poll() : stream());
    } catch (error) {
      if (error?.name !== "AbortError" || !document.hidden) disconnected();
      // Switch to polling if a proxy holds streams back.
      if (failures >= 3) polls = !polls;
    }
    if (failures) await wait(backOff());
  }
}

const wait = (ms) => new Promise((done) => {
  const timer = setTimeout(end, ms);
  addEventListener("online", end, { once: true });
  function end() {
    clearTimeout(timer);
    removeEventListener("online", end);
    done();
  }
});

function backOff() {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 6));
  return most / 2 + Math.random() * (most / 2);
}

function pageVisible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => {
    document.addEventListener("visibilitychange", function check() {
      if (document.hidden) return;
      document.removeEventListener("visibilitychange", check);
      done();
    });
  });
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(hiddenTimer);
  if (document.hidden) hiddenTimer = setTimeout(() => cut?.abort(), HIDDEN_MS);
});

async function request(path, control) {
  const url = `${banner.dataset.liveUrl}/${path}?after=${encodeURIComponent(after)}`;
  const answer = await fetch(url, {
    headers: { Authorization: `Bearer ${ticket}` },
    cache: "no-store",
    credentials: "omit",
    signal: control.signal,
  });
  if (answer.status === 401) {
    await renew();
    return null;
  }
  if (!answer.ok) throw new Error(`live updates answered ${answer.status}`);
  return answer;
}

async function renew() {
  const answer = await fetch(banner.dataset.renew, { redirect: "error", cache: "no-store" });
  const fresh = answer.ok ? (await answer.json()).ticket : "";
  if (!fresh) throw new Error("no ticket");
  ticket = fresh;
}

async function stream() {
  const control = (cut = new AbortController());
  let silence = setTimeout(() => control.abort(), SILENT_MS);
  try {
    const answer = await request("stream", control);
    if (!answer) return;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      connected();
      clearTimeout(silence);
      silence = setTimeout(() => control.abort(), SILENT_MS);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      blocks.forEach(receive);
    }
  } finally {
    clearTimeout(silence);
  }
  await renew(); // normal end: the token has expired, or the server is being replaced
  await wait(Math.random() * 500);
}

function receive(block) {
  let facts = null;
  for (const line of block.split("\n")) {
    if (line.startsWith("id: ")) after = line.slice(4);
    else if (line.startsWith("data: ")) facts = JSON.parse(line.slice(6));
  }
  if (facts) notify(facts);
}

async function poll() {
  const control = (cut = new AbortController());
  const late = setTimeout(() => control.abort(), SILENT_MS);
  try {
    const answer = await request("poll", control);
    if (!answer) return;
    const update = await answer.json();
    connected();
    after = update.after;
    if (update.news.length) notify(update.news);
  } finally {
    clearTimeout(late);
  }
}
