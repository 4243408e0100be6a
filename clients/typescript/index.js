// A client for the Comanda messaging API. Lists are iterators that fetch pages as they are consumed.

import { Operations } from "./operations.js";
import { Transport } from "./transport.js";

export * from "./errors.js";
export { verifyWebhook } from "./webhooks.js";

export class Comanda {
  constructor(apiKey, baseUrl, options = {}) {
    this.transport = new Transport(apiKey, baseUrl, options);
    /** Every call of the API, with its types. */
    this.api = new Operations(this.transport);
  }

  me() {
    return this.transport.call("GET", "/me");
  }

  // Sending. Each call waits up to ten seconds for the network's answer; `wait: 0` does not wait.

  send(phone, message, options) {
    return this.#send("/messages/send", { phone, message }, options);
  }

  sendMedia(phone, mediaUrl, type, { caption, filename, ...options } = {}) {
    const body = { phone, media_url: mediaUrl, type, caption, filename };
    return this.#send("/messages/send-media", body, options);
  }

  sendLocation(phone, latitude, longitude, { name, address, ...options } = {}) {
    const body = { phone, latitude, longitude, name, address };
    return this.#send("/messages/send-location", body, options);
  }

  sendTemplate(phone, name, language, parameters = [], options) {
    return this.#send("/messages/send-template", { phone, name, language, parameters }, options);
  }

  // Messages

  message(id) {
    return this.transport.call("GET", `/messages/${encodeURIComponent(id)}`);
  }

  async timeline(id) {
    const path = `/messages/${encodeURIComponent(id)}/timeline`;
    return (await this.transport.call("GET", path)).data;
  }

  cancel(id) {
    return this.transport.call("POST", `/messages/${encodeURIComponent(id)}/cancel`);
  }

  messages({ page, ...filters } = {}) {
    return this.transport.pages("/messages", filters, page);
  }

  // Contacts

  contacts({ page, ...filters } = {}) {
    return this.transport.pages("/contacts", filters, page);
  }

  contact(id) {
    return this.transport.call("GET", `/contacts/${encodeURIComponent(id)}`);
  }

  addContact(facts, options = {}) {
    return this.transport.call("POST", "/contacts", { body: facts, ...options });
  }

  changeContact(id, facts) {
    return this.transport.call("PATCH", `/contacts/${encodeURIComponent(id)}`, { body: facts });
  }

  async removeContact(id) {
    await this.transport.call("DELETE", `/contacts/${encodeURIComponent(id)}`);
  }

  // Events

  /** Oldest first, without gaps, up to the present. Store the last `sequence` for the next time. */
  events(after = 0, { page } = {}) {
    return this.transport.pages("/events", { after }, page);
  }

  #send(path, body, { wait, idempotencyKey, scheduled_at: at, ...options } = {}) {
    const headers = {};
    if (wait !== undefined) headers.Prefer = wait ? `wait=${wait}` : "respond-async";
    const later = at instanceof Date ? at.toISOString() : at;
    const given = { ...body, ...options, scheduled_at: later };
    return this.transport.call("POST", path, { body: given, headers, idempotencyKey });
  }
}
