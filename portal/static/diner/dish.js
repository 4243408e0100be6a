// One dish: its options, a note, the quantity.
import { data, find, minor, money, openSheet, translate, showMessage } from "./page.js";
import { unit } from "./cart.js";

export class Dish {
  constructor(cart) {
    this.cart = cart;
    this.sheet = find("[data-dish]");
    this.groups = find("[data-dish-groups]");
    this.sheet.addEventListener("click", (event) => { if (event.target === this.sheet) this.sheet.close(); });
    find("[data-less]").addEventListener("click", () => this.step(-1));
    find("[data-more]").addEventListener("click", () => this.step(1));
    find("[data-dish-add]").addEventListener("click", () => this.add());
    this.groups.addEventListener("change", (event) => this.chosen(event.target));
  }

  // The plus adds one at once, unless an option is required.
  addOne(element) {
    const id = element.dataset.item;
    if (data.items[id].groups.length) return this.open(element);
    this.cart.add(id, [], "", 1);
    showMessage(translate("added", { name: data.items[id].name }));
  }

  open(element) {
    const id = element.dataset.item;
    const item = data.items[id];
    this.item = id;
    this.many = 1;
    const photo = element.querySelector("img");
    const shown = find("[data-dish-photo]");
    shown.hidden = !photo;
    if (photo) shown.src = photo.src;
    else shown.removeAttribute("src");
    const allergens = element.querySelector(".allergens")?.textContent ?? "";
    find("[data-dish-allergens]").textContent = allergens;
    find("[data-dish-allergens]").hidden = !allergens;
    this.fault("");
    find("#dish-name").textContent = item.name;
    const about = element.querySelector(".about")?.textContent ?? "";
    find("[data-dish-about]").textContent = about;
    find("[data-dish-about]").hidden = !about;
    find("[data-dish-note]").value = "";
    this.groups.replaceChildren(...item.groups.map((group) => this.group(data.groups[group], group)));
    this.show();
    openSheet(this.sheet);
  }

  group(group, id) {
    const box = document.createElement("fieldset");
    box.className = "group";
    box.dataset.group = id;
    const one = group.least === 1 && group.most === 1;
    const legend = document.createElement("legend");
    legend.append(group.name, " ");
    const hint = document.createElement("span");
    hint.className = "hint";
    hint.textContent = [this.hint(group), group.free ? translate("free", { free: group.free }) : ""].filter(Boolean).join(" · ");
    legend.append(hint);
    box.append(legend, ...group.options.map((option) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.type = one ? "radio" : "checkbox";
      input.name = id;
      input.value = option.id;
      input.disabled = option.gone;
      input.checked = option.preset && !option.gone;
      label.classList.toggle("gone", option.gone);
      const price = document.createElement("bdi");
      price.className = "num";
      price.textContent = option.gone ? translate("sold_out") : minor(option.price) ? `+ ${money(minor(option.price))}` : "";
      label.append(input, option.name, price);
      return label;
    }));
    return box;
  }

  hint({ least, most }) {
    if (least === most) return translate("required", { least });
    return least ? translate("between", { least, most }) : translate("up_to", { most });
  }

  chosen(input) {
    const box = input.closest("[data-group]");
    const { most } = data.groups[box.dataset.group];
    const ticked = box.querySelectorAll("input:checked");
    if (input.type === "checkbox" && ticked.length > most) input.checked = false;
    this.show();
  }

  step(by) {
    this.many = Math.min(Math.max(this.many + by, 1), 99);
    this.show();
  }

  get options() { return [...this.groups.querySelectorAll("input:checked")].map((input) => input.value); }

  // The first group with too few chosen options.
  get incomplete() {
    return data.items[this.item].groups.find((id) =>
      this.groups.querySelectorAll(`[data-group="${id}"] input:checked`).length < data.groups[id].least);
  }

  fault(sentence) {
    const place = find("[data-dish-fault]");
    place.textContent = sentence;
    place.hidden = !sentence;
  }

  show() {
    if (!this.incomplete) this.fault("");
    find("[data-many]").textContent = this.many;
    find("[data-dish-price]").textContent = money(unit({ item: this.item, options: this.options }) * this.many);
  }

  add() {
    const missing = this.incomplete;
    if (missing) {
      this.fault(translate("missing_choice", { group: data.groups[missing].name }));
      const group = find(`[data-group="${missing}"]`, this.groups);
      group.scrollIntoView({ block: "nearest" });
      group.querySelector("input:not(:disabled)")?.focus();
      return;
    }
    this.cart.add(this.item, this.options, find("[data-dish-note]").value.trim(), this.many);
    this.sheet.close();
  }
}
