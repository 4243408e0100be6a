// Shared by all scripts of the diner's page.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;

export const data = read("menu-data");
export const words = read("menu-words");
export const base = meta("menu-base");
export const table = { ...JSON.parse(meta("menu-table")), key: new URLSearchParams(location.search).get("k") ?? "" };
// The short link of a message through which the guest came.
export const via = new URLSearchParams(location.search).get("via") ?? "";
export const find = (selector, under = document) => under.querySelector(selector);
export const translate = (key, values = {}) => words[key].replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

const format = new Intl.NumberFormat(data.language, { style: "currency", currency: data.currency, currencyDisplay: "narrowSymbol", minimumFractionDigits: data.places, maximumFractionDigits: data.places });
export const money = (minor) => format.format(minor / 10 ** data.places);
export const minor = (text) => Math.round(Number(text) * 10 ** data.places);

// A sheet is a step in the browser's history, so that the phone's Back button closes it.
export function openSheet(sheet) {
  sheet.showModal();
  if (!history.state?.sheet) history.pushState({ sheet: true }, "");
  sheet.addEventListener("close", () => {
    if (history.state?.sheet && !find("dialog[open]")) history.back();
  }, { once: true });
}

addEventListener("popstate", () => {
  for (const sheet of document.querySelectorAll("dialog[open]")) sheet.close();
});

export function showMessage(sentence) {
  const place = find("[data-message]");
  place.textContent = sentence;
  place.hidden = false;
  clearTimeout(showMessage.timer);
  showMessage.timer = setTimeout(() => { place.hidden = true; }, 4000);
}

// Paths that begin with a slash are not below the restaurant's address.
const address = (path) => `${path.startsWith("/") ? path : `${base}/${path}`}?lang=${encodeURIComponent(data.language)}`;

export const post = (path, body) => request(path, {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
});

export async function request(path, options = {}) {
  const answer = await fetch(address(path), options);
  return { ok: answer.ok, status: answer.status, body: await answer.json().catch(() => ({ message: translate("failed") })) };
}
