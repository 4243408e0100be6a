// The cart sheet, and sending the cart.
import { data, find, minor, money, openSheet, post, translate, table, showMessage, via } from "./page.js";
import { optionNames, unit } from "./cart.js";
import { Coupon } from "./coupon.js";
import { showPrices } from "./prices.js";
import { Times } from "./times.js";

const value = (name) => find(`input[name="${name}"]:checked`)?.value;

// Some payment methods are only for tables, others only for delivery.
const ONLY = { pos_at_table: "dine_in", card_at_door: "delivery" };
const fits = (label, type) => (ONLY[label.dataset.pay] ?? type) === type;

export class Checkout {
  constructor(cart, order, party) {
    this.cart = cart;
    this.party = party;
    this.order = order;
    this.sheet = find("[data-cart]");
    this.ready = find("[data-ready]");
    for (const sheet of [this.sheet, this.ready]) {
      sheet.addEventListener("click", (event) => { if (event.target === sheet) sheet.close(); });
    }
    this.sheet.addEventListener("change", () => this.show());
    find("[data-send]").addEventListener("click", () => this.send());
    find("[data-copy]").addEventListener("click", () => this.copy());
    this.coupon = new Coupon(cart, () => this.sums());
    this.times = new Times(() => this.sums());
    this.changing = ""; // the code of the order that the guest changes
    cart.watch(() => this.show());
    find("[data-locate]").addEventListener("click", () => this.locate());
    this.place = null;
    if (table.table) find("[data-table-input]").value = table.table;
    // A guest who scanned a table's code is at that table, so the page does not ask.
    const seated = find('input[name="type"][value="dine_in"]');
    if (table.seated && seated) {
      seated.checked = true;
      find("[data-types]").hidden = true;
    }
    showPrices(value("type"));
  }

  // The guest changes a sent order: its type, place and payment stay.
  change(code, { lines, notes, due, order_type: type }) {
    this.changing = code;
    this.cart.replaceAll(lines);
    find("[data-notes]").value = notes;
    const radio = find(`input[name="type"][value="${type}"]`);
    if (radio) radio.checked = true;
    this.times.wanted = due;
    this.open();
  }

  // The chat message has arrived and the order exists. Items added since then stay in the cart.
  received(sent) {
    this.cart.removeOrdered(sent);
    if (!this.coupon.isFromUrl) this.coupon.forget();
    if (this.ready.open) this.ready.close();
    if (this.changing) {
      this.changing = "";
      find("[data-changing]").hidden = true;
      history.replaceState(history.state, "", location.pathname);
    }
  }

  open() {
    this.fault("");
    this.times.hideOffers();
    this.show();
    openSheet(this.sheet);
    this.times.type = "";
    this.times.load(value("type"));
  }

  show() {
    const type = value("type"), kept = Boolean(this.changing);
    showPrices(type);
    if (this.sheet.open) this.times.load(type);
    find("[data-types]").hidden = kept || table.seated;
    find("[data-pays]").hidden = kept;
    find("[data-table-field]").hidden = kept || type !== "dine_in" || Boolean(table.table);
    find("[data-address-field]").hidden = kept || type !== "delivery";
    find("[data-locate-field]").hidden = kept || type !== "delivery" || !navigator.geolocation;
    for (const label of document.querySelectorAll("[data-pay]")) {
      label.hidden = !fits(label, type);
      if (label.hidden && label.querySelector("input").checked) {
        const other = [...document.querySelectorAll("[data-pay]")].find((one) => fits(one, type));
        if (other) other.querySelector("input").checked = true;
      }
    }
    find("[data-lines]").replaceChildren(...this.cart.lines.map((line) => this.line(line)));
    this.party.showOthers();
    if (!this.cart.count && !this.party.othersCount && this.sheet.open) this.sheet.close();
    this.sums();
  }

  line(line) {
    const row = document.createElement("li");
    const name = data.items[line.item].name;
    const stepper = document.createElement("div");
    stepper.className = "stepper";
    const less = this.button("−", `${translate("fewer")}: ${name}`, () => this.cart.step(line, -1));
    const many = document.createElement("output");
    many.textContent = line.quantity;
    stepper.append(less, many, this.button("+", `${translate("more")}: ${name}`, () => this.cart.step(line, 1)));
    const what = document.createElement("div");
    what.className = "what";
    what.append(name);
    for (const extra of [optionNames(line).join(", "), line.note]) {
      if (!extra) continue;
      const small = document.createElement("small");
      small.textContent = extra;
      what.append(small);
    }
    const price = document.createElement("bdi");
    price.className = "num";
    price.textContent = money(unit(line) * line.quantity);
    row.append(stepper, what, price);
    return row;
  }

  button(text, label, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.setAttribute("aria-label", label);
    button.addEventListener("click", act);
    return button;
  }

  sums() {
    const subtotal = this.cart.subtotal + (value("type") === "dine_in" ? this.party.othersSubtotal : 0);
    const discount = Math.min(this.coupon.discount, subtotal);
    const percent = data.serviceTypes.includes(value("type")) ? Number(data.service) : 0;
    const service = Math.round(((subtotal - discount) * percent) / 100);
    const tip = Math.round((subtotal * Number(value("tip") ?? 0)) / 100);
    const isDelivery = value("type") === "delivery";
    const fee = isDelivery && this.place ? minor(this.place.fee) : 0;
    const rows = [["subtotal", discount || service || fee || tip ? subtotal : 0], ["discount", -discount], ["service", service], ["delivery_fee", fee], ["tip", tip]].filter(([, amount]) => amount);
    const total = subtotal - discount + service + fee + tip;
    if (isDelivery && data.zoned && !this.place) rows.push(["delivery_fee", null]);
    const list = [...rows, ["total", total]].map(([key, amount]) => {
      const row = document.createElement("div");
      row.className = key === "total" ? "whole" : "";
      const name = document.createElement("dt"), sum = document.createElement("dd");
      name.textContent = translate(key, { percent: new Intl.NumberFormat(data.language).format(percent) });
      sum.textContent = amount === null ? translate("fee_open") : money(amount);
      row.append(name, sum);
      return row;
    });
    find("[data-sums]").replaceChildren(...list);
    for (const place of document.querySelectorAll("[data-total]")) place.textContent = money(total);
    this.promise();
  }

  // How long the kitchen takes: the slowest dish of those that it makes first.
  promise() {
    const dishes = this.cart.lines.map((line) => data.items[line.item]);
    const courses = dishes.map((dish) => dish.course).filter(Boolean);
    const first = value("type") === "dine_in" && courses.length ? Math.min(...courses) : Infinity;
    const minutes = dishes.filter((dish) => dish.course <= first).map((dish) => dish.minutes);
    const known = minutes.length > 0 && minutes.every(Boolean);
    const place = find("[data-promise]");
    place.hidden = !known;
    place.textContent = known ? translate("ready_in", { minutes: Math.max(...minutes) }) : "";
  }

  // The location is requested only on tap; the server computes the fee.
  async locate() {
    const status = find("[data-locate-status]"), button = find("[data-locate]");
    button.disabled = true;
    status.dataset.state = "";
    status.textContent = translate("sending");
    try {
      const { coords } = await new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no, { enableHighAccuracy: true, timeout: 15000, maximumAge: 0 }));
      const place = { latitude: coords.latitude, longitude: coords.longitude };
      const answer = await post("zone", place);
      this.place = answer.ok ? { ...place, fee: answer.body.fee } : null;
      status.textContent = answer.body.message;
      status.dataset.state = answer.ok ? "good" : "bad";
    } catch {
      this.place = null;
      status.textContent = translate("locate_failed");
      status.dataset.state = "bad";
    } finally {
      button.disabled = false;
    }
    this.show();
  }

  async send() {
    const button = find("[data-send]");
    button.disabled = true;
    find("[data-send-word]").textContent = translate("sending");
    this.times.hideOffers();
    try {
      const round = { due: this.times.due || null, payment_method: value("pay"), tip: Number(value("tip") ?? 0), notes: find("[data-notes]").value, language: data.language, coupon: this.coupon.good ? this.coupon.code : "" };
      const answer = this.party.joined && !this.changing && value("type") === "dine_in" ? await this.party.send(round) : await post("cart", {
        due: this.times.due || null, replaces: this.changing, via,
        lines: this.cart.lines.map(({ item, options, note, quantity }) => ({ item, options, note, quantity })),
        order_type: value("type"), payment_method: value("pay"), tip: Number(value("tip") ?? 0),
        table: find("[data-table-input]").value.trim(), k: table.key,
        notes: find("[data-notes]").value, address: find("[data-address]").value, language: data.language,
        coupon: this.coupon.good ? this.coupon.code : "", latitude: this.place?.latitude ?? null, longitude: this.place?.longitude ?? null,
      });
      if (answer.ok) this.done(answer.body);
      else {
        const message = this.refusal(answer.body);
        if (answer.body.thing) this.cart.drop(answer.body.thing);
        if (answer.body.left !== undefined) this.cart.limit(answer.body.item, answer.body.left);
        if (answer.body.times) this.times.offer(answer.body.times, () => this.send());
        if (answer.body.code?.startsWith("coupon_")) this.coupon.refuse(message);
        this.fault(message);
        if (!this.sheet.open) showMessage(message);
      }
    } catch {
      this.fault(translate("failed"));
    } finally {
      button.disabled = false;
      find("[data-send-word]").textContent = translate("send");
    }
  }

  // The server no longer has items that left the menu; this page still has their names.
  refusal({ message, code, thing }) {
    const name = code === "not_on_menu" ? this.cart.nameOf(thing) : "";
    return name ? translate("off_menu", { name }) : message;
  }

  // The cart stays until the message has arrived: closing the sheet does not lose it.
  done({ code, text, link, phone, qr }) {
    this.sheet.close();
    this.order.follow({ code, link, lines: this.cart.lines.map((line) => ({ ...line })) });
    find("[data-open-app]").href = link;
    find("[data-text]").textContent = text;
    find("[data-copy-to]").textContent = translate("or_copy", { phone });
    const image = new DOMParser().parseFromString(qr, "image/svg+xml").documentElement;
    find("[data-qr]").replaceChildren(document.importNode(image, true));
    openSheet(this.ready);
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(find("[data-text]").textContent);
      showMessage(translate("copied"));
    } catch {
      getSelection().selectAllChildren(find("[data-text]"));
    }
  }

  fault(sentence) {
    const place = find("[data-cart-fault]");
    place.textContent = sentence;
    place.hidden = !sentence;
    if (sentence) place.scrollIntoView({ block: "nearest" });
  }
}
