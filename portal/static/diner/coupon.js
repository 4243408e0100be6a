// Coupon codes: typed in the cart, or part of the link.
import { find, minor, post, say } from "./page.js";

const KEY = `coupon:${location.pathname}`;
const WAIT = 350; // wait while the guest taps plus and minus

export class Coupon {
  constructor(cart, changed) {
    this.cart = cart;
    this.changed = changed;
    this.box = find("[data-coupon]");
    this.code = "";
    this.discount = 0;
    this.good = false;
    if (!this.box) return;
    this.input = find("[data-coupon-code]");
    this.button = find("[data-coupon-apply]");
    this.said = find("[data-coupon-said]");
    this.button.addEventListener("click", () => (this.code ? this.forget() : this.apply(this.input.value)));
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (!this.code) this.apply(this.input.value);
    });
    const brought = new URLSearchParams(location.search).get("coupon");
    this.brought = Boolean(brought);
    let kept = "";
    try { kept = sessionStorage.getItem(KEY) ?? ""; } catch { /* storage is unavailable in a private window */ }
    if (brought) {
      const note = find("[data-coupon-ready]");
      note.textContent = say("coupon_ready", { code: brought.toUpperCase() });
      note.hidden = false;
    }
    if (brought || kept) this.apply(brought || kept);
    cart.watch(() => this.later());
  }

  apply(typed) {
    const code = typed.trim().toUpperCase();
    if (!code) return;
    this.code = code;
    this.asked = "";
    this.show("");
    this.later();
  }

  forget() {
    if (!this.box) return;
    this.code = this.input.value = "";
    this.discount = 0;
    this.good = false;
    this.show("");
    this.changed();
  }

  refuse(sentence) {
    this.discount = 0;
    this.good = false;
    this.show(sentence, "bad");
    this.changed();
  }

  // The server computes the discount for the items in the cart.
  later() {
    clearTimeout(this.timer);
    if (!this.code || !this.cart.count) return;
    this.timer = setTimeout(() => this.ask(), this.asked ? WAIT : 0);
  }

  async ask() {
    const lines = this.cart.lines.map(({ item, options, quantity }) => ({ item, options, quantity }));
    const asked = JSON.stringify([this.code, lines]);
    if (asked === this.asked) return;
    this.asked = asked;
    const answer = await post("coupon", { code: this.code, lines }).catch(() => ({ ok: false, body: { said: say("failed") } }));
    if (asked !== this.asked || !this.code) return;
    if (!answer.ok) {
      this.refuse(answer.body.said);
      if (answer.body.code === "coupon_unknown") this.code = "", this.show(answer.body.said, "bad");
      return;
    }
    this.code = answer.body.code;
    this.asked = JSON.stringify([this.code, lines]);
    this.discount = minor(answer.body.discount);
    this.good = true;
    this.show(answer.body.said, "good");
    this.changed();
  }

  show(sentence, state = "") {
    if (this.code) this.input.value = this.code;
    this.input.readOnly = Boolean(this.code);
    this.button.textContent = say(this.code ? "coupon_remove" : "coupon_apply");
    this.said.textContent = sentence;
    this.said.dataset.state = state;
    try { sessionStorage.setItem(KEY, this.code); } catch { /* as above */ }
  }
}
