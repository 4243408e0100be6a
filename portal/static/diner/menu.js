// The script of the diner's page: search, options, a cart kept on the phone, and ordering.
import { TableCalls } from "./calls.js";
import { Cart } from "./cart.js";
import { Dish } from "./dish.js";
import { Party } from "./party.js";
import { Checkout } from "./checkout.js";
import { SentOrder } from "./order.js";
import { data, find, request, translate, table } from "./page.js";

function showTable() {
  const name = find("[data-table-name]");
  if (table.table) {
    name.textContent = translate("table", { table: table.table });
    name.hidden = false;
  }
  if (table.unknown) {
    const note = find("[data-unknown-table]");
    note.textContent = translate("unknown_table", { table: new URLSearchParams(location.search).get("table") });
    note.hidden = false;
  }
  find("[data-calls]").hidden = !table.seated;
  for (const link of document.querySelectorAll("[data-lang]")) {
    const here = new URLSearchParams(location.search);
    here.set("lang", link.dataset.lang);
    link.href = `?${here}`;
  }
}

function fold(text) {
  return text.toLocaleLowerCase(data.language).normalize("NFD").replace(/\p{M}/gu, "").replace(/ı/g, "i");
}

function filter() {
  const typed = fold(find("#search").value.trim());
  const ticked = (name) => [...document.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value);
  const diets = ticked("diet"), without = ticked("allergen");
  let any = false;
  for (const section of document.querySelectorAll("main section")) {
    let here = false;
    for (const item of section.querySelectorAll(".item")) {
      const has = (list, one) => item.dataset[list].split(" ").includes(one);
      const fits = fold(item.textContent).includes(typed)
        && diets.every((one) => has("diets", one)) && !without.some((one) => has("allergens", one) || has("diets", one));
      item.hidden = !fits;
      here ||= fits;
    }
    section.hidden = !here;
    any ||= here;
  }
  find("[data-nothing]").hidden = any;
  const count = diets.length + without.length;
  find("[data-filter-count]").textContent = count ? ` (${count})` : "";
}

function followChapters() {
  const links = new Map([...document.querySelectorAll(".chapters a")].map((link) => [link.hash.slice(1), link]));
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting)) {
      for (const link of links.values()) link.removeAttribute("aria-current");
      const link = links.get(entry.target.id);
      link?.setAttribute("aria-current", "true");
      link?.parentElement.scrollTo({ left: link.offsetLeft - 24, behavior: "smooth" });
    }
  }, { rootMargin: "-25% 0px -70% 0px" });
  for (const section of document.querySelectorAll("main section")) observer.observe(section);
}

const cart = new Cart();
const dish = new Dish(cart);
const party = new Party(cart);
const checkout = new Checkout(cart, new SentOrder((sent) => checkout.received(sent)), party);

// A guest changes an order that the kitchen has not begun: its items come back into the cart.
async function openOrder(code) {
  const answer = await request(`orders/${encodeURIComponent(code)}/cart`).catch(() => ({ ok: false }));
  if (!answer.ok) return;
  const note = find("[data-changing]");
  note.textContent = translate(answer.body.open ? "changing" : "change_over", answer.body);
  note.hidden = false;
  if (answer.body.open) checkout.change(code, answer.body);
}

showTable();
followChapters();
const changed = new URLSearchParams(location.search).get("change");
if (changed) openOrder(changed);
find("[data-find]").hidden = false;
find("#search").addEventListener("input", filter);
find(".filter").addEventListener("change", filter);
find("[data-clear]").addEventListener("click", () => {
  for (const box of document.querySelectorAll(".filter input:checked")) box.checked = false;
  filter();
});
document.addEventListener("click", (event) => {
  const open = find(".filter[open]");
  if (open && !open.contains(event.target)) open.open = false;
});
for (const button of document.querySelectorAll("[data-add]")) {
  const item = button.closest("[data-item]");
  button.hidden = false;
  button.addEventListener("click", () => dish.addOne(item));
  // The whole card opens the dish: its name becomes a button that is as large as the card.
  const name = find("h3", item);
  const opener = document.createElement("button");
  opener.type = "button";
  opener.className = "item-open";
  opener.textContent = name.textContent;
  opener.addEventListener("click", () => dish.open(item));
  name.replaceChildren(opener);
  item.classList.add("opens");
}
find("[data-open-cart]").addEventListener("click", () => checkout.open());
new TableCalls();
if (table.seated) {
  party.start(() => {
    find("[data-bar]").hidden = !(cart.count + party.othersCount);
    find("[data-count]").textContent = cart.count + party.othersCount;
    checkout.show();
  });
}
if (cart.lost.length) {
  const note = find("[data-lost]");
  const notes = cart.lost.map(({ item, name }) => translate(data.items[item] ? "choose_again" : "off_menu", { name }));
  note.textContent = [...new Set(notes)].join(" ");
  note.hidden = false;
}
