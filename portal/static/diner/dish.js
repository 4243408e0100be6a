// One dish: its options, a note, how many.
import { data, find, minor, money, say } from "./page.js";
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

  open(element) {
    const id = element.dataset.item;
    const item = data.items[id];
    if (!item.groups.length && !element.querySelector(".about")) {
      this.cart.add(id, [], "", 1);
      return;
    }
    this.item = id;
    this.many = 1;
    find("#dish-name").textContent = item.name;
    const about = element.querySelector(".about")?.textContent ?? "";
    find("[data-dish-about]").textContent = about;
    find("[data-dish-about]").hidden = !about;
    find("[data-dish-note]").value = "";
    this.groups.replaceChildren(...item.groups.map((group) => this.group(data.groups[group], group)));
    this.show();
    this.sheet.showModal();
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
    hint.textContent = [this.hint(group), group.free ? say("free", { free: group.free }) : ""].filter(Boolean).join(" · ");
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
      price.textContent = option.gone ? say("sold_out") : minor(option.price) ? `+ ${money(minor(option.price))}` : "";
      label.append(input, option.name, price);
      return label;
    }));
    return box;
  }

  hint({ least, most }) {
    if (least === most) return say("required", { least });
    return least ? say("between", { least, most }) : say("up_to", { most });
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

  show() {
    const complete = data.items[this.item].groups.every((id) =>
      this.groups.querySelectorAll(`[data-group="${id}"] input:checked`).length >= data.groups[id].least);
    find("[data-many]").textContent = this.many;
    find("[data-dish-add]").disabled = !complete;
    find("[data-dish-price]").textContent = money(unit({ item: this.item, options: this.options }) * this.many);
  }

  add() {
    this.cart.add(this.item, this.options, find("[data-dish-note]").value.trim(), this.many);
    this.sheet.close();
  }
}
