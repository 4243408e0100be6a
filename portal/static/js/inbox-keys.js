// Single-key shortcuts, inactive while the person types.
const rows = () => [...document.querySelectorAll("[data-row]")];

function step(by) {
  const list = rows();
  if (!list.length) return;
  const at = list.findIndex((row) => row.matches("[aria-current]"));
  const next = list[Math.min(list.length - 1, Math.max(0, at + by))];
  if (next && !next.matches("[aria-current]")) next.click();
}

function write(mode) {
  const choice = document.querySelector(`[data-composer] [name="mode"][value="${mode}"]`);
  if (choice && !choice.checked) choice.click();
  document.querySelector("[data-writing]")?.focus();
}

function assignToMe() {
  const select = document.querySelector("#assign");
  const me = [...(select?.options ?? [])].find((option) => option.dataset.me !== undefined);
  if (!me || me.selected) return;
  select.value = me.value;
  select.form.requestSubmit();
}

const KEYS = {
  j: () => step(1),
  k: () => step(-1),
  "/": () => document.querySelector("[data-search] input[type=search]")?.focus(),
  r: () => write("reply"),
  n: () => write("note"),
  a: assignToMe,
  e: () => document.querySelector('[data-key="e"]')?.click(),
  u: () => document.querySelector('[data-key="u"]')?.click(),
  "?": () => document.querySelector("#keys")?.togglePopover(),
};

export function setUpKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const written = event.target.closest("input:not([type=radio]), textarea, select, [contenteditable]");
    if (event.key === "Escape") {
      if (document.querySelector(":popover-open, dialog[open]")) return;
      if (written) written.blur();
      else if (document.querySelector("[data-talk]")) location.href = document.querySelector(".talk-back").href;
      return;
    }
    const act = KEYS[event.key.toLowerCase()];
    if (!act || written || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    act();
  });
}
