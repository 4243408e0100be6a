// When the guest wants the order: as soon as possible, or at one of the free times.
import { data, find, request, translate } from "./page.js";

export class Times {
  constructor(changed) {
    this.changed = changed;
    this.field = find("[data-when]");
    this.select = find("[data-times]");
    this.status = find("[data-times-status]");
    this.offers = find("[data-free-times]");
    this.type = "";
    this.wanted = ""; // the time of an order that the guest changes
    this.field.addEventListener("change", () => this.show());
  }

  // The time to send; empty: as soon as possible.
  get due() {
    return !this.field.hidden && this.isLater ? this.select.value : "";
  }

  get isLater() { return find('input[name="when"]:checked').value === "later"; }

  // Load the free times of this type of order. Without orders for later and limits there are none.
  async load(type) {
    if (!(data.later || data.limited) || !type || type === this.type) return;
    this.type = type;
    const answer = await request(`times/${type}`).catch(() => ({ ok: false }));
    if (type !== this.type) return;
    if (!answer.ok) { this.type = ""; return; }
    const { now, minutes, times } = answer.body;
    this.fill(times, now);
    find("[data-when-soon]").textContent = translate("soon", { minutes });
  }

  fill(times, now) {
    const before = this.wanted || this.select.value;
    this.select.replaceChildren(...times.map(({ at, label }) => new Option(label, at)));
    const kept = times.find(({ at }) => Date.parse(at) === Date.parse(before));
    if (kept) this.select.value = kept.at;
    if (this.wanted && kept) this.choose("later");
    this.wanted = "";
    find("[data-when-now]").hidden = !now;
    this.field.hidden = now && !times.length;
    if (!now) this.choose("later");
    this.status.textContent = !now && !times.length ? translate("no_times") : "";
    this.status.hidden = !this.status.textContent;
    this.show();
  }

  choose(when) { find(`input[name="when"][value="${when}"]`).checked = true; }

  show() {
    find("[data-times-field]").hidden = this.field.hidden || !this.isLater || !this.select.options.length;
    this.changed();
  }

  // The kitchen is full: the guest taps one of the next free times.
  offer(times, send) {
    this.offers.replaceChildren(...times.map(({ at, label }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = label;
      button.addEventListener("click", () => {
        if (![...this.select.options].some((one) => one.value === at)) this.select.add(new Option(label, at));
        this.select.value = at;
        this.field.hidden = false;
        this.choose("later");
        this.show();
        this.hideOffers();
        send();
      });
      return button;
    }));
    this.offers.hidden = !times.length;
  }

  hideOffers() { this.offers.hidden = true; }
}
