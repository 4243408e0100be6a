// Verifies the three headers of Standard Webhooks against the raw body.

import { createHmac, timingSafeEqual } from "node:crypto";

import { BadSignature } from "./errors.js";

const TOLERANCE_SECONDS = 300;

/**
 * Returns the event, or throws BadSignature. `body` is the raw request body, not parsed and
 * serialized again. `headers` is an object or a Headers. `secret` is one secret or several.
 */
export function verifyWebhook(headers, body, secret, { tolerance = TOLERANCE_SECONDS, now } = {}) {
  const given = lowered(headers);
  const id = given["webhook-id"] ?? "";
  const stamp = given["webhook-timestamp"] ?? "";
  const signatures = (given["webhook-signature"] ?? "").split(" ").filter(Boolean);
  if (!id || !stamp || !signatures.length) {
    throw new BadSignature("webhook-id, webhook-timestamp and webhook-signature are needed");
  }
  if (!/^\d+$/.test(stamp)) throw new BadSignature("webhook-timestamp is not a number of seconds");
  if (Math.abs((now ?? Date.now() / 1000) - Number(stamp)) > tolerance) {
    throw new BadSignature("webhook-timestamp is too far from the current time");
  }
  const raw = typeof body === "string" ? Buffer.from(body, "utf8") : Buffer.from(body);
  const fits = [secret].flat().flatMap((one) => {
    const good = createHmac("sha256", keyOf(one)).update(`${id}.${stamp}.`).update(raw).digest();
    const expected = Buffer.from(`v1,${good.toString("base64")}`);
    return signatures.map((other) => {
      const found = Buffer.from(other);
      return found.length === expected.length && timingSafeEqual(found, expected);
    });
  });
  if (!fits.includes(true)) throw new BadSignature("no signature matches the body");
  return JSON.parse(raw.toString("utf8"));
}

function keyOf(secret) {
  const text = secret.replace(/^whsec_/, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4) {
    throw new BadSignature("the secret is whsec_ and base64, as the portal showed it");
  }
  return Buffer.from(text, "base64");
}

function lowered(headers) {
  const entries = typeof headers.entries === "function" ? headers.entries() : Object.entries(headers);
  return Object.fromEntries([...entries].map(([name, value]) => [name.toLowerCase(), String(value)]));
}
