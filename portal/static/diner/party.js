// The guests at one table: a shared cart, who may join, and the way to the bill.
import { data, find, money, post, request, showMessage, table, translate } from "./page.js";
import { optionNames, unit } from "./cart.js";
import { follow } from "./tab-live.js";

const KEY = `tab:${location.pathname}:${table.table}`;
const SYNC_MS = 300;

export class Party {
  constructor(cart) {
    this.cart = cart;
    this.others = [];
    this.place = find("[data-party]");
    find("[data-party-join]").addEventListener("submit", (event) => this.enterCode(event));
    cart.othersCount = () => this.othersCount;
    cart.watch(() => this.later());
  }

  get joined() { return this.tab?.state === "open" && this.tab.me?.state === "joined"; }
  get othersCount() { return this.others.reduce((sum, line) => sum + line.quantity, 0); }
  get othersSubtotal() { return this.others.reduce((sum, line) => sum + unit(line) * line.quantity, 0); }

  async start(changed) {
    this.changed = changed;
    try { this.stored = JSON.parse(localStorage.getItem(KEY) ?? "null"); } catch { /* storage is unavailable in a private window */ }
    this.token = this.stored?.token;
    this.dirty = Boolean(this.stored?.dirty); // the page was left before its items were sent
    const known = this.token ? await this.call("state") : null;
    if (known?.ok && known.body.state === "open") this.show(known.body);
    else if (!(await this.join())) return;
    const isNew = this.stored?.tab !== this.tab.tab;
    this.remember();
    if (this.dirty || (isNew && this.cart.lines.length)) this.later();
    follow(this.tab.live, () => this.refresh());
  }

  async join() {
    const answer = await post("tab", { table: table.table, k: table.key }).catch(() => null);
    if (!answer?.ok) return false;
    this.token = answer.body.token;
    this.show(answer.body);
    return true;
  }

  remember() {
    this.stored = { token: this.token, tab: this.tab.tab, dirty: this.dirty };
    try { localStorage.setItem(KEY, JSON.stringify(this.stored)); } catch { /* as above */ }
  }

  call(path, body) {
    const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    return request(`/tab/${this.token}/${path}`, options).catch(() => null);
  }

  async refresh() {
    const answer = await this.call("state");
    if (!answer?.ok) throw new Error("the tab cannot be read");
    if (answer.body.state !== "open" && this.tab.state === "open") return this.ended(answer.body);
    this.show(answer.body);
    return answer.body.live;
  }

  ended(tab) {
    this.show(tab);
    return tab.live;
  }

  // The items of this phone are sent a moment after the last change, or once the table lets it in.
  later() {
    if (!this.tab || this.receiving) return;
    this.dirty = true;
    this.remember();
    clearTimeout(this.timer);
    if (!this.joined) return;
    this.timer = setTimeout(() => this.sync(), SYNC_MS);
  }

  async sync() {
    clearTimeout(this.timer);
    while (this.sending) await this.sending; // an older list of items must not arrive last
    if (!this.joined || !this.dirty) return null;
    this.sending = this.sendOwn();
    return this.sending;
  }

  async sendOwn() {
    this.dirty = false;
    const lines = this.cart.lines.map(({ item, options, note, quantity }) => ({ item, options, note, quantity }));
    const answer = await this.call("cart", { lines });
    if (!answer?.ok) this.dirty = true;
    this.sending = null;
    this.remember();
    if (answer?.ok) this.show(answer.body);
    return answer;
  }

  show(tab) {
    const before = this.tab;
    if (before?.tab === tab.tab && tab.version < before.version) return; // an answer that came late
    const wasJoined = this.joined;
    this.tab = tab;
    this.place.hidden = tab.state !== "open" && !before;
    const joined = this.joined;
    if (joined && !wasJoined && this.dirty) this.later();
    this.others = joined ? tab.cart.filter((line) => line.guest !== tab.me.id && data.items[line.item]) : [];
    if (joined && !this.dirty && !this.sending && this.stored?.tab === tab.tab) this.takeOwn(tab.cart.filter((line) => line.guest === tab.me.id));
    find("[data-party-names]").textContent = joined ? translate("tab_people", { names: tab.guests.map((one) => one.name).join(", ") }) : "";
    find("[data-party-code]").textContent = joined ? translate("tab_code", { code: tab.code }) : "";
    find("[data-party-join]").hidden = tab.state !== "open" || tab.me?.state === "joined";
    find("[data-party-waiting]").textContent = translate("tab_waiting");
    find("[data-party-asking]").replaceChildren(...tab.asking.map((one) => this.asking(one)));
    const link = find("[data-party-bill]");
    link.hidden = !tab.bill?.orders;
    link.href = `/tab/${this.token}?lang=${encodeURIComponent(data.language)}`;
    if (tab.bill) link.textContent = [translate("tab_bill"), translate("tab_open", { amount: tab.bill.shown })].join(" · ");
    this.changed?.();
  }

  // Items that were ordered with a round of another phone leave this cart too.
  takeOwn(own) {
    const key = (lines) => JSON.stringify(lines.map(({ item, options, note, quantity }) => [item, [...options].sort(), note, quantity]));
    if (key(own) === key(this.cart.lines)) return;
    this.receiving = true;
    this.cart.lines = own.filter((line) => data.items[line.item]).map(({ item, options, note, quantity }) => ({ item, options, note, quantity, name: data.items[item].name }));
    this.cart.changed();
    this.receiving = false;
  }

  asking(guest) {
    const row = document.createElement("li");
    row.append(translate("tab_wants_in", { name: guest.name }));
    for (const [act, text] of [["let_in", translate("tab_let_in")], ["refuse", translate("tab_refuse")]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = text;
      button.addEventListener("click", async () => {
        button.disabled = true;
        await this.call("guests", { guest: guest.id, act });
        await this.refresh().catch(() => null);
      });
      row.append(button);
    }
    return row;
  }

  async enterCode(event) {
    event.preventDefault();
    const answer = await this.call("join", { code: find("[data-party-digits]").value });
    const fault = find("[data-party-fault]");
    fault.hidden = Boolean(answer?.ok);
    if (!answer?.ok) fault.textContent = answer?.body.message ?? translate("failed");
    else await this.refresh().catch(() => null);
  }

  // What the others chose, in the cart sheet.
  showOthers() {
    find("[data-others]").hidden = !this.others.length;
    find("[data-others-name]").textContent = translate("tab_others");
    const names = new Map((this.tab?.guests ?? []).map((one) => [one.id, one.name]));
    find("[data-others-lines]").replaceChildren(...this.others.map((line) => {
      const row = document.createElement("li"), many = document.createElement("span"), what = document.createElement("div"), price = document.createElement("bdi");
      many.className = price.className = "num";
      many.textContent = `${line.quantity}×`;
      what.className = "what";
      what.append(data.items[line.item].name);
      for (const extra of [optionNames(line).join(", "), line.note, names.get(line.guest)]) {
        if (!extra) continue;
        const small = document.createElement("small");
        small.textContent = extra;
        what.append(small);
      }
      price.textContent = money(unit(line) * line.quantity);
      row.append(many, what, price);
      return row;
    }));
  }

  async send(body) {
    const stored = await this.sync();
    if (stored && !stored.ok) return stored;
    const answer = this.dirty ? null : await this.call("send", body);
    if (answer === null) showMessage(translate("failed"));
    return answer ?? { ok: false, body: { message: translate("failed") } };
  }
}
