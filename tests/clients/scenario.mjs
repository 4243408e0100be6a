// Runs the steps of scenario.py, which come as JSON on the standard input, and prints the results.
import { readFileSync } from "node:fs";

const [folder, url, key] = process.argv.slice(2);
const { Comanda, ApiError } = await import(`${folder}/index.js`);
const client = new Comanda(key, url);
const hidden = new Set(["request_id", "key", "created_at", "instance_id", "cost_usd"]);
const saved = {};

function resolved(value) {
  if (typeof value !== "string" || !value.startsWith("$")) return value;
  const [name, field] = value.slice(1).split(".");
  return saved[name][field];
}

function picked(found, fields) {
  if (Array.isArray(found)) return found.map((one) => picked(one, fields));
  if (found === null || typeof found !== "object") return found;
  const names = (fields ?? Object.keys(found).sort()).filter((name) => !hidden.has(name));
  return Object.fromEntries(names.map((name) => [name, found[name]]));
}

const results = [];
for (const step of JSON.parse(readFileSync(0, "utf8"))) {
  const args = (step.args ?? []).map(resolved);
  if (step.facts) args.push(step.facts);
  if (step.filters) args.push(step.filters);
  if (step.call === "sendTemplate" && args.length < 4) args.push([]);
  if (step.options) args.push(step.options);
  try {
    let found = client[step.call](...args);
    if (typeof found[Symbol.asyncIterator] === "function") {
      const all = [];
      for await (const one of found) all.push(one);
      found = all;
    }
    found = (await found) ?? null;
    if (step.as) saved[step.as] = found;
    results.push(picked(found, step.pick));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const fields = error.errors.map((one) => one.field);
    results.push({ error: error.name, status: error.status, code: error.code, fields });
  }
}
console.log(JSON.stringify(results));
