// Try a call from the page. A test key is kept in this tab across the groups; a live key is never
// stored.
const STORAGE_KEY = "try-key";
const key = document.getElementById("try-key");
key.value = sessionStorage.getItem(STORAGE_KEY) ?? "";
key.addEventListener("input", () => {
  const written = key.value.trim();
  if (written.startsWith("ck_test_")) sessionStorage.setItem(STORAGE_KEY, written);
  else sessionStorage.removeItem(STORAGE_KEY);
});
const prefix = document.querySelector("[data-prefix]").dataset.prefix;

document.querySelector("[data-try-key]").hidden = false;

for (const form of document.querySelectorAll("[data-try]")) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendRequest(form);
  });
}

function address(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const input of form.querySelectorAll("[data-where]")) {
    if (input.dataset.where === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.value) {
      query.set(input.name, input.value);
    }
  }
  return `${prefix}${path}${query.size ? `?${query}` : ""}`;
}

async function sendRequest(form) {
  const state = form.querySelector("[data-try-state]");
  const place = form.querySelector("[data-try-answer]");
  const body = form.querySelector("[data-body]");
  const file = form.querySelector("[data-file]")?.files[0];
  if (!key.value.trim()) {
    state.textContent = state.dataset.noKey;
    key.focus();
    return;
  }
  const headers = { Authorization: `Bearer ${key.value.trim()}` };
  if (body) {
    try {
      JSON.parse(body.value);
    } catch (error) {
      state.textContent = `${state.dataset.badJson} ${error.message}`;
      return;
    }
    headers["Content-Type"] = "application/json";
  } else if (file) {
    headers["Content-Type"] = "application/octet-stream";
  }
  state.textContent = state.dataset.waits;
  const began = performance.now();
  try {
    const answer = await fetch(address(form), {
      method: form.dataset.method,
      headers,
      body: body?.value ?? file,
      credentials: "omit",
      cache: "no-store",
    });
    const text = await answer.text();
    const elapsed = Math.round(performance.now() - began);
    state.textContent = `${answer.status} · ${elapsed} ms · ${answer.headers.get("X-Request-Id") ?? ""}`;
    place.hidden = false;
    place.querySelector("code").textContent = laidOut(text);
  } catch {
    state.textContent = state.dataset.away;
  }
}

function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
