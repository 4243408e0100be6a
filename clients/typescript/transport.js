// HTTP calls with retries where a retry is safe and useful.

import { BadKey, ConnectionFailed, errorFor } from "./errors.js";

const AGAIN = new Set([429, 500, 502, 503, 504]);
const LONGEST_WAIT = 60;
const sleepFor = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

export class Transport {
  constructor(apiKey, baseUrl, { timeout = 40, retries = 4, fetch = globalThis.fetch, sleep = sleepFor } = {}) {
    this.key = String(apiKey).trim(); // a key from a file often ends with a newline
    if (!this.key.startsWith("ck_")) throw new BadKey("an API key begins with ck_live_ or ck_test_");
    if (!/^\w+$/.test(this.key)) {
      throw new BadKey("an API key consists of letters, digits and underscores");
    }
    this.base = baseUrl.replace(/\/+$/, "").replace(/\/api\/v1$/, "") + "/api/v1";
    this.timeout = timeout;
    this.retries = retries;
    this.fetch = fetch;
    this.sleep = sleep;
  }

  /** Every POST has an idempotency key, the same in each try, so it is executed once. */
  async call(method, path, { body, query, headers = {}, idempotencyKey } = {}) {
    const sent = {
      Authorization: `Bearer ${this.key}`,
      Accept: "application/json",
      "User-Agent": "comanda-typescript/1.0.0",
      ...headers,
    };
    if (method === "POST") {
      idempotencyKey = idempotencyKey ?? crypto.randomUUID().replaceAll("-", "");
      sent["Idempotency-Key"] = idempotencyKey;
    }
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const url = this.base + path + queryText(query);
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= this.retries;
      let answer, text;
      try {
        answer = await this.fetch(url, {
          method,
          headers: sent,
          body: body === undefined ? undefined : JSON.stringify(body),
          redirect: "manual",
          signal: AbortSignal.timeout(this.timeout * 1000),
        });
        text = await answer.text();
      } catch (error) {
        // A DELETE whose response was lost would get a 404 the second time.
        if (last || method === "DELETE") {
          throw new ConnectionFailed(`${method} ${path}: ${error.message}`, idempotencyKey);
        }
        await this.sleep(backOff(attempt));
        continue;
      }
      const found = parsed(text);
      if (answer.status < 400) return found;
      const wait = worthAWait(answer.status, found, answer.headers.get("Retry-After"), attempt);
      if (last || wait === null) {
        throw errorFor(answer.status, found, answer.headers.get("X-Request-Id") ?? "");
      }
      await this.sleep(wait);
    }
  }

  /** All entries of a list; the next page is fetched when it is needed. */
  async *pages(path, query, limit = 200) {
    const asked = { ...query, limit };
    for (;;) {
      const found = await this.call("GET", path, { query: asked });
      yield* found.data;
      if (found.next === null) return;
      asked.after = found.next;
    }
  }
}

/** Seconds until the next try; null if a retry cannot help. */
function worthAWait(status, body, retryAfter, attempt) {
  if (body.code === "line_unavailable") return null;
  if (!AGAIN.has(status) && body.code !== "idempotency_in_flight") return null;
  if (retryAfter !== null && /^\d+$/.test(retryAfter)) {
    return Number(retryAfter) <= LONGEST_WAIT ? Number(retryAfter) : null;
  }
  return backOff(attempt);
}

/** Half a second, one, two, … with jitter, so that many clients do not retry together. */
function backOff(attempt) {
  return Math.min(0.5 * 2 ** attempt, 20) * (0.75 + Math.random() / 2);
}

function parsed(text) {
  try {
    const found = text ? JSON.parse(text) : {};
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

function queryText(query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const named = given.map(([name, value]) => [
    name,
    value instanceof Date ? value.toISOString() : String(value),
  ]);
  return named.length ? `?${new URLSearchParams(named)}` : "";
}
