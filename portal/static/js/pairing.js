// Polls the pairing's progress every second, and counts down in between. Unchanged parts of the
// page are kept.
const part = () => document.querySelector('[data-part="pairing"]');

const untilVisible = () => document.hidden
  ? new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }))
  : Promise.resolve();

function count(fresh) {
  const shown = part().querySelector("[data-left]");
  if (!shown) return;
  shown.dataset.left = fresh?.dataset.left ?? Math.max(Number(shown.dataset.left) - 1, 0);
  const number = shown.querySelector("[data-seconds]");
  if (fresh) shown.replaceChildren(...fresh.childNodes);
  else if (number) number.textContent = shown.dataset.left;
  const bar = part().querySelector("[data-left-bar]");
  if (bar) bar.value = shown.dataset.left;
}

async function reload() {
  const answer = await fetch(location.href, { headers: { "X-Part": "pairing" }, redirect: "error", cache: "no-store" });
  if (!answer.ok) return answer.status >= 500;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("[data-part]");
  const left = fresh.querySelector("[data-left]");
  const same = fresh.dataset.version === part().dataset.version
    && (left === null) === (part().querySelector("[data-left]") === null)
    && !fresh.querySelector(".notice") === !part().querySelector(".notice");
  if (same) count(left);
  else part().replaceWith(document.adoptNode(fresh));
  return "live" in part().dataset;
}

let more = "live" in part().dataset;
while (more) {
  await new Promise((done) => setTimeout(done, 1000));
  await untilVisible();
  // Offline, or the server restarts: try again at the next interval.
  more = await reload().catch(() => { count(); return true; });
}
if (part().querySelector(".pairing-done")) document.querySelector("[data-until-linked]")?.remove();
