// Coupon codes: typed in the cart, or part of the link.
import { find, minor, post, translate } from "./page.js";

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
    this.status = find("[data-coupon-status]");
    this.button.addEventListener("click", () => (this.code ? this.forget() : this.apply(this.input.value)));
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (!this.code) this.apply(this.input.value);
    });
    const fromUrl = new URLSearchParams(location.search).get("coupon");
    this.isFromUrl = Boolean(fromUrl);
    let stored = "";
    try { stored = sessionStorage.getItem(KEY) ?? ""; } catch { /* storage is unavailable in a private window */ }
    if (fromUrl) {
      const note = find("[data-coupon-ready]");
      note.textContent = translate("coupon_ready", { code: fromUrl.toUpperCase() });
      note.hidden = false;
    }
    if (fromUrl || stored) this.apply(fromUrl || stored);
    cart.watch(() => this.later());
  }

  apply(typed) {
    const code = typed.trim().toUpperCase();
    if (!code) return;
    this.code = code;
    this.query = "";
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
    this.timer = setTimeout(() => this.check(), this.query ? WAIT : 0);
  }

  async check() {
    const lines = this.cart.lines.map(({ item, options, quantity }) => ({ item, options, quantity }));
    const type = find('input[name="type"]:checked')?.value ?? "";
    const query = JSON.stringify([this.code, lines, type]);
    if (query === this.query) return;
    this.query = query;
    const answer = await post("coupon", { code: this.code, lines, order_type: type }).catch(() => ({ ok: false, body: { message: translate("failed") } }));
    if (query !== this.query || !this.code) return;
    if (!answer.ok) {
      this.refuse(answer.body.message);
      if (answer.body.code === "coupon_unknown") this.code = "", this.show(answer.body.message, "bad");
      return;
    }
    this.code = answer.body.code;
    this.query = JSON.stringify([this.code, lines]);
    this.discount = minor(answer.body.discount);
    this.good = true;
    this.show(answer.body.message, "good");
    this.changed();
  }

  show(sentence, state = "") {
    if (this.code) this.input.value = this.code;
    this.input.readOnly = Boolean(this.code);
    this.button.textContent = translate(this.code ? "coupon_remove" : "coupon_apply");
    this.status.textContent = sentence;
    this.status.dataset.state = state;
    try { sessionStorage.setItem(KEY, this.code); } catch { /* as above */ }
  }
}
