// Shows the state of an order sent through the messaging app until the order ends.
import { ask, find, say, tell } from "./page.js";

const KEY = `order:${location.pathname}`;
const KEPT = 6 * 3600 * 1000;
const SOON = 3000, LATER = 15000, SOON_FOR = 10 * 60 * 1000;

export class SentOrder {
  constructor(received) {
    this.received = received;
    this.place = find("[data-order]");
    find("[data-order-hide]").addEventListener("click", () => this.forget());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.look(); });
    try {
      const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
      if (kept && kept.at > Date.now() - KEPT) this.current = kept;
    } catch { /* storage is unavailable in a private window */ }
    if (this.current) this.look();
  }

  follow({ code, link, lines }) {
    this.current = { code, link, lines, at: Date.now(), sent: false };
    this.keep();
    this.show({ state: "waiting", said: say("order_waiting"), number: "" });
    this.later();
  }

  forget() {
    clearTimeout(this.timer);
    this.current = null;
    this.place.hidden = true;
    this.keep();
  }

  keep() {
    try {
      if (this.current) localStorage.setItem(KEY, JSON.stringify(this.current));
      else localStorage.removeItem(KEY);
    } catch { /* as above */ }
  }

  later() {
    clearTimeout(this.timer);
    const young = Date.now() - this.current.at < SOON_FOR;
    this.timer = setTimeout(() => this.look(), young ? SOON : LATER);
  }

  async look() {
    clearTimeout(this.timer);
    const asked = this.current;
    if (!asked || document.hidden) return;
    const answer = await ask(`orders/${asked.code}`).catch(() => null);
    if (asked !== this.current) return;
    if (answer?.status === 404) return this.forget();
    if (answer?.ok) {
      if (answer.body.sent && !asked.sent) {
        asked.sent = true;
        this.keep();
        this.received(asked.lines ?? []);
        tell(answer.body.said);
      }
      this.show(answer.body);
      if (answer.body.ended) return;
    }
    this.later();
  }

  show({ state, said, number }) {
    this.place.hidden = false;
    this.place.dataset.state = state;
    find("[data-order-name]").textContent = number ? say("order_number", { number }) : say("order_title");
    const sentence = find("[data-order-said]");
    if (sentence.textContent !== said) sentence.textContent = said;
    const again = find("[data-order-again]");
    again.hidden = state !== "waiting";
    again.href = this.current.link;
  }
}
