// The cart, stored on the phone until it is sent. Amounts here are for display only: the server
// computes all prices again.
import { base, data, find, minor } from "./page.js";
import { priceOf } from "./prices.js";

const KEY = `cart:${location.pathname}`;
const MAX_AGE_MS = 3 * 3600 * 1000;

export class Cart {
  constructor() {
    this.lines = [];
    this.lost = []; // stored items that are no longer on the menu
    this.watchers = [];
    this.othersCount = () => 0; // items of other guests at the table
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}");
      if (stored.at > Date.now() - MAX_AGE_MS) {
        this.lines = stored.lines.filter((line) => known(line));
        this.lost = stored.lines.filter((line) => !known(line) && line.name);
      }
    } catch { /* storage is unavailable in a private window */ }
    queueMicrotask(() => this.changed());
  }

  watch(watcher) { this.watchers.push(watcher); }

  add(item, options, note, quantity) {
    const same = this.like({ item, options, note });
    if (same) same.quantity = Math.min(same.quantity + quantity, 99);
    else this.lines.push({ item, options, note, quantity, name: data.items[item].name });
    this.changed();
  }

  // The items of an order that the guest changes.
  replaceAll(lines) {
    this.lines = lines.filter((line) => known(line));
    this.lost = lines.filter((line) => !known(line));
    this.changed();
  }

  // Only so many of an item are left.
  limit(item, left) {
    let most = left;
    for (const line of this.lines.filter((one) => one.item === item)) {
      line.quantity = Math.min(line.quantity, most);
      most -= line.quantity;
    }
    this.lines = this.lines.filter((line) => line.quantity > 0);
    this.changed();
  }

  // Remove the ordered items; keep those added since.
  removeOrdered(ordered) {
    for (const line of ordered) {
      const own = this.like(line);
      if (own) own.quantity -= line.quantity;
    }
    this.lines = this.lines.filter((line) => line.quantity > 0);
    this.changed();
  }

  like({ item, options, note }) {
    return this.lines.find((line) => line.item === item && line.note === note
      && line.options.length === options.length && line.options.every((one) => options.includes(one)));
  }

  step(line, by) {
    line.quantity = Math.min(line.quantity + by, 99);
    if (line.quantity < 1) this.lines.splice(this.lines.indexOf(line), 1);
    this.changed();
  }

  // The name of a dish, with its chosen option if there is one.
  nameOf(thing) {
    const line = this.lines.find((one) => one.item === thing || one.options.includes(thing));
    if (!line || line.item === thing) return line?.name ?? "";
    const option = data.items[line.item].groups.flatMap((id) => data.groups[id].options).find((one) => one.id === thing);
    return `${line.name} (${option.name})`;
  }

  drop(thing) {
    this.lines = this.lines.filter((line) => line.item !== thing && !line.options.includes(thing));
    this.changed();
  }

  get subtotal() { return this.lines.reduce((sum, line) => sum + unit(line) * line.quantity, 0); }
  get count() { return this.lines.reduce((sum, line) => sum + line.quantity, 0); }

  changed() {
    try { localStorage.setItem(KEY, JSON.stringify({ at: Date.now(), lines: this.lines })); } catch { /* as above */ }
    const count = this.count + this.othersCount();
    find("[data-bar]").hidden = !count;
    find("[data-count]").textContent = count;
    for (const watcher of this.watchers) watcher();
  }
}

export function unit(line) {
  const item = data.items[line.item];
  let sum = priceOf(item);
  for (const group of item.groups.map((id) => data.groups[id])) {
    const prices = group.options.filter((one) => line.options.includes(one.id)).map((one) => minor(one.price));
    prices.sort((a, b) => b - a);
    sum += prices.slice(group.free).reduce((all, one) => all + one, 0);
  }
  return sum;
}

export function optionNames(line) {
  return data.items[line.item].groups.flatMap((id) => data.groups[id].options)
    .filter((one) => line.options.includes(one.id)).map((one) => one.name);
}

function known(line) {
  const item = data.items[line.item];
  if (!item || !base) return false;
  const all = item.groups.flatMap((id) => data.groups[id].options.map((one) => one.id));
  return line.options.every((one) => all.includes(one));
}
