// Calls from a table: shows that the call was received, and when staff respond.
import { request, find, post, translate, table, showMessage } from "./page.js";

const KEY = `calls:${location.pathname}`;
const MAX_AGE_MS = 15 * 60 * 1000, COMING_FOR = 3 * 60 * 1000;
const SOON = 3000, LATER = 10000, SOON_FOR = 3 * 60 * 1000;
const PAUSE = 5000; // before a button can be pressed again

export class TableCalls {
  constructor() {
    this.place = find("[data-call-status]");
    this.made = [];
    try { this.made = JSON.parse(sessionStorage.getItem(KEY) ?? "[]"); } catch { /* storage is unavailable in a private window */ }
    for (const button of document.querySelectorAll("[data-call]")) {
      button.addEventListener("click", () => this.call(button));
    }
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.poll(); });
    this.show();
    this.poll();
  }

  async call(button) {
    button.disabled = true;
    setTimeout(() => { button.disabled = false; }, PAUSE);
    const answer = await post("call", { table: table.table, k: table.key, kind: button.dataset.call }).catch(() => null);
    if (!answer?.ok) return showMessage(answer?.body.message ?? translate("failed"));
    const { call, kind } = answer.body;
    const known = this.made.find((one) => one.call === call);
    this.made = [...this.made.filter((one) => one.kind !== kind), { at: Date.now(), ...known, ...answer.body }];
    this.show();
    this.later();
  }

  get waiting() { return this.made.filter((one) => !one.answered); }

  later() {
    clearTimeout(this.timer);
    if (!this.made.length) return;
    const recent = this.waiting.some((one) => Date.now() - one.at < SOON_FOR);
    this.timer = setTimeout(() => this.poll(), recent ? SOON : LATER);
  }

  async poll() {
    clearTimeout(this.timer);
    if (document.hidden) return;
    await Promise.all(this.waiting.map((one) => this.refresh(one)));
    this.show();
    this.later();
  }

  async refresh(one) {
    const answer = await request(`calls/${one.call}`).catch(() => null);
    if (answer?.status === 404) one.at = 0;
    if (!answer?.ok) return;
    if (answer.body.answered) one.at = Date.now();
    Object.assign(one, answer.body);
  }

  show() {
    this.made = this.made.filter((one) => Date.now() - one.at < (one.answered ? COMING_FOR : MAX_AGE_MS));
    try { sessionStorage.setItem(KEY, JSON.stringify(this.made)); } catch { /* as above */ }
    const text = this.made.map((one) => one.message).join(" ");
    if (this.place.textContent !== text) this.place.textContent = text;
    this.place.dataset.coming = this.made.length > 0 && !this.waiting.length;
  }
}
