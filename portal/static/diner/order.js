// Shows the state of an order sent through the messaging app until the order ends.
import { request, find, translate, showMessage } from "./page.js";

const KEY = `order:${location.pathname}`;
const MAX_AGE_MS = 6 * 3600 * 1000;
const SOON = 3000, LATER = 15000, SOON_FOR = 10 * 60 * 1000;

export class SentOrder {
  constructor(received) {
    this.received = received;
    this.place = find("[data-order]");
    find("[data-order-hide]").addEventListener("click", () => this.forget());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.poll(); });
    try {
      const stored = JSON.parse(localStorage.getItem(KEY) ?? "null");
      if (stored && stored.at > Date.now() - MAX_AGE_MS) this.current = stored;
    } catch { /* storage is unavailable in a private window */ }
    if (this.current) this.poll();
  }

  follow({ code, link, lines }) {
    this.current = { code, link, lines, at: Date.now(), sent: false };
    this.save();
    this.show({ state: "waiting", message: translate("order_waiting"), number: "" });
    this.later();
  }

  forget() {
    clearTimeout(this.timer);
    this.current = null;
    this.place.hidden = true;
    this.save();
  }

  save() {
    try {
      if (this.current) localStorage.setItem(KEY, JSON.stringify(this.current));
      else localStorage.removeItem(KEY);
    } catch { /* as above */ }
  }

  later() {
    clearTimeout(this.timer);
    const recent = Date.now() - this.current.at < SOON_FOR;
    this.timer = setTimeout(() => this.poll(), recent ? SOON : LATER);
  }

  async poll() {
    clearTimeout(this.timer);
    const order = this.current;
    if (!order || document.hidden) return;
    const answer = await request(`orders/${order.code}`).catch(() => null);
    if (order !== this.current) return;
    if (answer?.status === 404) return this.forget();
    if (answer?.ok) {
      if (answer.body.sent && !order.sent) {
        order.sent = true;
        this.save();
        this.received(order.lines ?? []);
        showMessage(answer.body.message);
      }
      this.show(answer.body);
      if (answer.body.ended) return;
    }
    this.later();
  }

  show({ state, message, number }) {
    this.place.hidden = false;
    this.place.dataset.state = state;
    find("[data-order-name]").textContent = number ? translate("order_number", { number }) : translate("order_title");
    const sentence = find("[data-order-status]");
    if (sentence.textContent !== message) sentence.textContent = message;
    const again = find("[data-order-again]");
    again.hidden = state !== "waiting";
    again.href = this.current.link;
  }
}
