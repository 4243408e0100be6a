// The template editor: shows the fields that fit, asks for sample values, and draws the preview while the author types.
const place = document.querySelector("[data-template-editor]");
const form = place.querySelector("form");
const preview = place.querySelector("[data-preview]");
const body = form.elements.body;
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;
const MARKS = [["```", "code"], ["*", "strong"], ["_", "em"], ["~", "s"]];
let picture = preview.dataset.picture;

const value = (name) => form.elements[name]?.value.trim() ?? "";
const checked = (name) => form.elements[name]?.checked ?? false;
const namesIn = (text) => {
  const found = [...new Set([...text.matchAll(PLACEHOLDER)].map((one) => one[1]))];
  return found.every((name) => /^\d+$/.test(name)) ? found.sort((a, b) => a - b) : found;
};
const isAuthentication = () => form.querySelector("[name=category]:checked")?.value === "authentication";

function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// WhatsApp's formatting marks, each only around text that does not begin or end with a space.
function formatted(text) {
  for (const [mark, tag] of MARKS) {
    const begins = text.indexOf(mark);
    const ends = begins < 0 ? -1 : text.indexOf(mark, begins + mark.length + 1);
    const inside = ends < 0 ? "" : text.slice(begins + mark.length, ends);
    if (inside && inside === inside.trim()) {
      return [
        ...formatted(text.slice(0, begins)),
        element(tag, "", ...(tag === "code" ? [inside] : formatted(inside))),
        ...formatted(text.slice(ends + mark.length)),
      ];
    }
  }
  return text ? [text] : [];
}

const filled = (text, valueOf) => text.replace(PLACEHOLDER, (all, name) => valueOf(name) || `[${name}]`);

function showFields() {
  const authentication = isAuthentication();
  for (const part of form.querySelectorAll("[data-part]")) {
    part.hidden = (part.dataset.part === "authentication") !== authentication;
  }
  const kind = value("header_type");
  for (const part of form.querySelectorAll("[data-header]")) {
    const file = ["image", "video", "document"].includes(kind);
    part.hidden = part.dataset.header !== (file ? "file" : kind);
  }
  form.querySelector("[data-header-example]").hidden = !namesIn(value("header_text")).length;
  for (const row of form.querySelectorAll("[data-button-row]")) {
    const type = row.querySelector("select").value;
    for (const field of row.querySelectorAll("[data-for]")) {
      const needless = "buttonExample" in field.dataset && type === "url"
        && !namesIn(row.querySelector("[name$=-url]").value).length;
      field.hidden = needless || !field.dataset.for.split(" ").includes(type);
    }
  }
  form.querySelector("[data-otp-apps]").hidden = value("otp_type") === "copy_code";
  form.querySelector("[data-otp-terms]").hidden = value("otp_type") !== "zero_tap";
}

function showExamples() {
  const part = form.querySelector("[data-examples]");
  const fields = part.querySelector("[data-example-fields]");
  const names = namesIn(body.value);
  const known = Object.fromEntries([...fields.querySelectorAll("input")].map((one) => [one.name, one.value]));
  const wanted = names.map((name) => `example-${name}`);
  if (wanted.join() !== Object.keys(known).join()) {
    fields.replaceChildren(...names.map((name) => {
      const label = element("label", "field-label", part.dataset.label.replace("{}", `{{${name}}}`));
      const input = element("input", "form-control");
      Object.assign(input, { id: `example-${name}`, name: `example-${name}`, maxLength: 300, autocomplete: "off" });
      input.value = known[input.name] ?? "";
      label.htmlFor = input.id;
      return element("div", "field", label, input);
    }));
  }
  part.hidden = !names.length;
}

function headerParts() {
  const kind = value("header_type");
  if (kind === "text") {
    const text = filled(value("header_text"), () => value("header_example"));
    return text ? [element("strong", "bubble-head", text)] : [];
  }
  if (kind === "image" && picture) {
    const image = element("img");
    image.src = picture;
    image.alt = preview.dataset.image;
    return [element("div", "bubble-picture", image)];
  }
  return kind ? [element("div", "bubble-media", preview.dataset[kind])] : [];
}

function buttonParts() {
  const rows = [...form.querySelectorAll("[data-button-row]")].map((row) => {
    const of = (name) => row.querySelector(`[name$=-${name}]`).value.trim();
    const type = of("type");
    if (type === "copy_code") return of("example") ? [preview.dataset.copyCode, of("example")] : null;
    const link = type === "url" ? filled(of("url"), () => of("example")) : type === "phone" ? of("phone") : "";
    return of("text") ? [of("text"), link] : null;
  });
  return rows.filter(Boolean);
}

function draw() {
  let parts;
  let buttons;
  if (isAuthentication()) {
    const text = [preview.dataset.codeText, checked("security_recommendation") ? preview.dataset.codeWarning : ""];
    parts = [element("p", "", ...formatted(text.join(" ").trim()))];
    if (value("code_expiration_minutes")) {
      const expires = preview.dataset.codeExpires.replace("{}", value("code_expiration_minutes"));
      parts.push(element("small", "bubble-foot", expires));
    }
    buttons = [[value("otp_text") || preview.dataset.copyCode, ""]];
  } else {
    const text = filled(body.value, (name) => value(`example-${name}`));
    parts = [...headerParts(), element("p", "", ...formatted(text || "–"))];
    if (value("footer")) parts.push(element("small", "bubble-foot", value("footer")));
    buttons = buttonParts();
  }
  if (buttons.length) {
    const rows = buttons.map(([text, link]) => element("li", "", text, ...(link ? [element("small", "", link)] : [])));
    parts.push(element("ul", "bubble-buttons", ...rows));
  }
  preview.replaceChildren(element("div", "bubble bubble-out bubble-template", ...parts));
}

function count() {
  for (const field of form.querySelectorAll("[data-count]")) {
    let shown = field.parentElement.querySelector(".char-count");
    if (!shown) field.after((shown = element("span", "char-count num")));
    shown.textContent = `${[...field.value].length}/${field.maxLength}`;
  }
}

function update() {
  showFields();
  showExamples();
  count();
  draw();
}

// The server's rules, asked shortly after the last change.
const findings = place.querySelector("[data-findings]");
let waiting;
let asked = 0;
async function check() {
  const number = ++asked;
  const fields = new FormData(form);
  fields.delete("header_file");
  const answer = await fetch(place.dataset.checkUrl, { method: "POST", body: fields }).catch(() => null);
  if (!answer?.ok || number !== asked) return;
  const { findings: found } = await answer.json();
  if (!found.length) {
    findings.replaceChildren(element("p", "soft", findings.dataset.nothing));
    return;
  }
  findings.replaceChildren(element("ul", "findings", ...found.map((one) => element(
    "li", `finding finding-${one.severity}`, element("strong", "", findings.dataset[one.severity]), ` ${one.message}`,
  ))));
}
function checkSoon() {
  clearTimeout(waiting);
  if (body.value.trim() || isAuthentication()) waiting = setTimeout(check, 500);
}

const adder = form.querySelector("[data-add-placeholder]");
adder.hidden = false;
adder.addEventListener("click", () => {
  const numbers = namesIn(body.value).filter((name) => /^\d+$/.test(name)).map(Number);
  body.setRangeText(`{{${Math.max(0, ...numbers) + 1}}}`, body.selectionStart, body.selectionEnd, "end");
  body.focus();
  update();
});

form.addEventListener("input", update);
form.addEventListener("input", checkSoon);
form.addEventListener("change", checkSoon);
form.addEventListener("change", (event) => {
  if (event.target.name !== "header_file") {
    update();
    return;
  }
  const file = event.target.files[0];
  picture = "";
  if (!file?.type.startsWith("image/")) {
    update();
    return;
  }
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    picture = reader.result;
    update();
  });
  reader.readAsDataURL(file);
});
form.addEventListener("click", (event) => {
  if (event.target.closest("[data-add-row], [data-remove-row]")) setTimeout(update);
});
update();
form.querySelector(".is-invalid")?.focus();
